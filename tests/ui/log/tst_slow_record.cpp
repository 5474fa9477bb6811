// SPDX-License-Identifier: Apache-2.0

// The window stays alive while the record is slow: what a person does is handled although no answer has come.

#include "tests/support/scripted_log.h"
#include "tests/support/scripted_runner.h"
#include "ui/log/log_page.h"
#include "ui/log/log_table.h"

#include <QLineEdit>
#include <QScrollBar>
#include <QSemaphore>
#include <QTest>
#include <QThread>
#include <QTimer>

#include <atomic>

using namespace portcullis;
using portcullis::test::ScriptedLog;
using portcullis::test::ScriptedRunner;

namespace {

/// A log in a thread of its own that does not answer before the test lets it.
class SlowLog : public ports::LogSource
{
public:
    SlowLog() : m_log(new ScriptedLog(50'000))
    {
        m_log->moveToThread(&m_thread);
        connect(&m_thread, &QThread::finished, m_log, &QObject::deleteLater);
        connect(m_log, &LogSource::indexed, this, &LogSource::indexed);
        connect(m_log, &LogSource::pageReady, this, &LogSource::pageReady);
        connect(m_log, &LogSource::detailReady, this, &LogSource::detailReady);
        m_thread.start();
    }

    ~SlowLog() override
    {
        letGo.release(1000);
        m_thread.quit();
        m_thread.wait();
    }

    void setFilter(ports::Generation generation, const record::Filter &filter) override
    {
        later([this, generation, filter] { m_log->setFilter(generation, filter); });
    }
    void requestPages(ports::Generation generation, const QList<int> &pages) override
    {
        later([this, generation, pages] { m_log->requestPages(generation, pages); });
    }
    void requestDetail(std::uint64_t request, const std::string &eventId) override
    {
        later([this, request, eventId] { m_log->requestDetail(request, eventId); });
    }
    void requestDenial(ports::Generation, std::int64_t, ports::Direction) override { }
    void requestHistogram(ports::Generation, int) override { }

    QSemaphore letGo;
    std::atomic_int asked = 0;
    std::atomic_int answered = 0;

private:
    template <class F>
    void later(F work)
    {
        ++asked;
        QMetaObject::invokeMethod(m_log, [this, work] {
            letGo.acquire();
            ++answered;
            work();
        });
    }

    QThread m_thread;
    ScriptedLog *m_log;
};

} // namespace

class TstSlowRecord : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void handles_what_a_person_does_while_no_answer_comes();
};

void TstSlowRecord::handles_what_a_person_does_while_no_answer_comes()
{
    SlowLog log;
    ScriptedRunner runner;
    ui::LogPage page(log, runner,
                     {.recordPath = [] { return QString(); }, .clock = [] { return record::FilterClock{}; }});
    page.resize(1000, 700);
    page.show();
    QVERIFY(QTest::qWaitForWindowActive(&page));
    auto *table = page.findChild<ui::LogTable *>();
    auto *filter = page.findChild<QLineEdit *>();

    // No index yet: typing works, and the loop turns.
    int turns = 0;
    QTimer heart;
    connect(&heart, &QTimer::timeout, &page, [&turns] { ++turns; });
    heart.start(0);
    QTest::keyClicks(filter, QStringLiteral("curl"));
    QTRY_VERIFY(turns > 200);
    QCOMPARE(filter->text(), QStringLiteral("curl"));
    QCOMPARE(log.answered, 0);
    QTest::keyClick(filter, Qt::Key_Escape);

    // The index is there, but no page: scrolling through all of it works.
    log.letGo.release(log.asked);
    QTRY_COMPARE(table->model()->rowCount(), 50'000);
    QTRY_COMPARE(log.letGo.available(), 0);
    const int answered = log.answered;
    turns = 0;
    for (int step = 0; step <= 20; ++step) {
        table->verticalScrollBar()->setValue(table->verticalScrollBar()->maximum() * step / 20);
        page.grab();
        QCoreApplication::processEvents();
    }
    QTest::keyClick(table, Qt::Key_Home);
    QCOMPARE(table->currentIndex().row(), 0);
    QTRY_VERIFY(turns > 200);
    QCOMPARE(log.answered, answered);

    // And everything comes in the end.
    log.letGo.release(1000);
    QTRY_COMPARE(table->model()->index(0, ui::ExecLogModel::Command).data().toString(), QStringLiteral("echo 0"));
}

QTEST_MAIN(TstSlowRecord)
#include "tst_slow_record.moc"
