// SPDX-License-Identifier: Apache-2.0

// `log prune` through the built runner, on a record that real commands and these tests write.

#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"
#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <chrono>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace portcullis;
using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

constexpr int patience = 60'000;
constexpr std::int64_t day = 86'400'000'000;

std::int64_t nowUs()
{
    using namespace std::chrono;
    return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count();
}

record::Event agedEvent(std::uint64_t n, int days)
{
    record::Event event = test::deniedEvent(n);
    event.timeUs = nowUs() - days * day;
    return event;
}

QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TstLogPrune : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] Done log(const QStringList &words) const { return m_gateway->runner(QStringList{u"log"_s} + words); }
    [[nodiscard]] Done prune(const QStringList &words) const { return log(QStringList{u"prune"_s} + words); }

    [[nodiscard]] QList<QJsonObject> events(const QStringList &filter) const
    {
        QList<QJsonObject> found;
        for (const QByteArray &line : log(QStringList{u"--json"_s} + filter).out.split('\n')) {
            if (!line.isEmpty())
                found.append(QJsonDocument::fromJson(line).object());
        }
        return found;
    }

    [[nodiscard]] std::unique_ptr<audit::AuditWriter> writer() const
    {
        auto writer = audit::AuditWriter::open({.path = m_gateway->auditDb().toStdString(), .reserveBytes = 0});
        return writer ? std::move(*writer) : nullptr;
    }

    /// `number` refused commands of so many days ago, each with an output of this size.
    void fill(int number, int days, std::size_t output = 0) const
    {
        const auto record = writer();
        QVERIFY(record);
        static std::uint64_t n = 0; // ids differ in one record and between them
        std::vector<audit::WriteRequest> requests;
        for (int i = 0; i < number; ++i)
            requests.emplace_back(audit::Append{agedEvent(++n, days), {std::string(output, 'o'), {}, 0, 0}});
        for (const audit::WriteResult &result : record->commit(std::move(requests)))
            QVERIFY(result);
    }

    [[nodiscard]] bool hasReserve() const
    {
        struct stat info{};
        const QByteArray path = QFile::encodeName(m_gateway->auditDb() + u"-reserve"_s);
        const std::int64_t wanted = audit::WriterOptions().reserveBytes;
        return ::stat(path.constData(), &info) == 0 && info.st_size == wanted && info.st_blocks * 512 >= wanted;
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QVERIFY(m_gateway->isValid());
    }

    void cleanup() { m_gateway.reset(); }

    void a_command_that_runs_stays_whatever_is_ordered_data()
    {
        QTest::addColumn<QString>("order");
        QTest::addRow("by size") << u"--max-size=1K"_s;
        QTest::addRow("by age") << u"--older-than=30d"_s;
        QTest::addRow("by an age of a second") << u"--older-than=1s"_s;
    }

    void a_command_that_runs_stays_whatever_is_ordered()
    {
        QFETCH(QString, order);
        QCOMPARE(m_gateway->exec(u"true"_s).exitCode, 0); // makes the record
        fill(50, 40);
        // One whose runner lives and that began long ago, and one that really runs.
        const auto record = writer();
        QVERIFY(record);
        record::Event old = test::allowedEvent(900'000, audit::thisRunner());
        old.timeUs = nowUs() - 60 * day;
        const auto row = record->begin(old);
        QVERIFY(row);
        const QString folder = m_gateway->tenantWorkspace(u"acme"_s);
        const auto runner =
            m_gateway->startExec(u"touch started; while [ ! -e go ]; do sleep 0.05; done; echo said; exit 5"_s);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(folder + u"/started"_s), patience);
        const QList<QJsonObject> running = events({u"outcome:running"_s});
        QCOMPARE(running.size(), 2);

        const Done dry = prune({order, u"--dry-run"_s});
        QVERIFY2(dry.exitCode == 0 && dry.out.endsWith("Nothing was changed.\n"), dry.err.constData());
        const Done done = prune({order});
        QVERIFY2(done.exitCode == 0, done.err.constData());
        QCOMPARE(events({u"outcome:running"_s}), running);
        QCOMPARE(events({u"outcome:not_started"_s}).size(), 0);

        record::Ending ending;
        ending.exitCode = 3;
        QVERIFY(record->finish(*row, ending, {"also said\n", {}, 0, 0}));
        QFile go(folder + u"/go"_s);
        QVERIFY(go.open(QIODevice::WriteOnly));
        QTRY_COMPARE_WITH_TIMEOUT(runner->state(), QProcess::NotRunning, patience);
        QCOMPARE(runner->exitCode(), 5);
        QCOMPARE(events({u"exit:5"_s}).size(), 1);
        QCOMPARE(events({u"exit:3"_s}).size(), 1);
        const Done shown = log({u"show"_s, events({u"exit:5"_s}).first().value("id"_L1).toString()});
        QVERIFY2(shown.exitCode == 0 && shown.out.contains("│ said"), shown.out.constData());
    }

    void the_pruning_is_recorded_with_who_ordered_what_and_how_much_went()
    {
        fill(7, 40);
        fill(3, 1);
        const Done done = prune({u"--older-than"_s, u"30d"_s});
        QCOMPARE(done.exitCode, 0);
        QVERIFY2(done.out.startsWith("7 events removed, "), done.out.constData());
        QCOMPARE(events({u"kind:exec"_s}).size(), 3);
        const QList<QJsonObject> entries = events({u"kind:prune"_s});
        QCOMPARE(entries.size(), 1);
        const QJsonObject &entry = entries.first();
        QCOMPARE(entry.value("command"_L1).toString(), u"log prune --older-than 30d"_s);
        QCOMPARE(entry.value("outcome"_L1).toString(), u"exited"_s);
        QCOMPARE(entry.value("origin"_L1).toString(), u"operator"_s);
        const QJsonObject detail = entry.value("detail"_L1).toObject();
        QCOMPARE(detail.value("rows"_L1).toInt(), 7);
        const char *behindSudo = ::geteuid() == 0 ? ::getenv("SUDO_USER") : nullptr;
        const passwd *user = ::getpwuid(::getuid());
        const QString by = QString::fromUtf8(behindSudo ? behindSudo : user ? user->pw_name : "");
        QCOMPARE(detail.value("by"_L1).toString(), by.isEmpty() ? QString::number(::getuid()) : by);
        for (const auto time : {"first_us"_L1, "last_us"_L1})
            QVERIFY(std::abs(detail.value(time).toDouble() - static_cast<double>(nowUs() - 40 * day)) < 1e9);
        QVERIFY(log({}).out.contains(by.toUtf8()));
    }

    void what_a_size_asks_for_goes_oldest_first()
    {
        fill(300, 9, 20'000);
        fill(5, 2);
        const Done done = prune({u"--max-size"_s, u"1M"_s, u"--json"_s});
        QCOMPARE(done.exitCode, 0);
        const QJsonObject said = QJsonDocument::fromJson(done.out).object();
        QVERIFY(said.value("bytes_before"_L1).toInt() > 5'000'000);
        QVERIFY(said.value("bytes_after"_L1).toInt() <= 1 << 20);
        QVERIFY(QFileInfo(m_gateway->auditDb()).size() <= 1 << 20);
        QCOMPARE(events({u"kind:prune"_s}).first().value("detail"_L1).toObject().value("rows"_L1),
                 said.value("rows"_L1));
        const Done again = prune({u"--max-size"_s, u"1M"_s, u"--json"_s});
        QCOMPARE(QJsonDocument::fromJson(again.out).object().value("rows"_L1).toInt(-1), 0);
    }

    void a_dry_run_changes_nothing_at_all()
    {
        fill(5, 40);
        const QByteArray before = contents(m_gateway->auditDb());
        QVERIFY(before.size() > 0);
        QFile::remove(m_gateway->auditDb() + u"-reserve"_s);
        QStringList names = QDir(m_gateway->root()).entryList(QDir::AllEntries | QDir::NoDotAndDotDot);
        for (const QStringList &order : {QStringList{u"--older-than=30d"_s}, QStringList{u"--max-size=1K"_s},
                                         QStringList{u"--older-than=30d"_s, u"--max-size=1K"_s}}) {
            const Done done = prune(order + QStringList{u"--dry-run"_s});
            QCOMPARE(done.exitCode, 0);
            QVERIFY2(done.out.endsWith("Nothing was changed.\n"), done.out.constData());
            QVERIFY(contents(m_gateway->auditDb()) == before);
        }
        QCOMPARE(events({}).size(), 5);
        QVERIFY(!QFile::exists(m_gateway->auditDb() + u"-reserve"_s));
    }

    void a_dry_run_does_not_count_what_would_stay()
    {
        fill(2, 40);
        const auto record = writer();
        record::Event running = test::allowedEvent(900'001, audit::thisRunner());
        running.timeUs = nowUs() - 50 * day;
        QVERIFY(record && record->begin(running));
        QCOMPARE(prune({u"--older-than=30d"_s, u"--dry-run"_s}).out,
                 "2 of 3 events are older and would be removed. Nothing was changed.\n");
        QVERIFY(prune({u"--older-than=30d"_s}).out.startsWith("2 events removed, "));
    }

    void the_reserve_is_there_again()
    {
        fill(5, 40);
        QFile::remove(m_gateway->auditDb() + u"-reserve"_s);
        QCOMPARE(prune({u"--older-than=30d"_s}).exitCode, 0);
        QVERIFY(hasReserve());
    }

    void what_is_no_order_is_64_and_removes_nothing_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addRow("nothing") << QStringList{};
        QTest::addRow("an age that is none") << QStringList{u"--older-than=soon"_s};
        QTest::addRow("an age below zero") << QStringList{u"--older-than=-1d"_s};
        QTest::addRow("a size that is none") << QStringList{u"--max-size=much"_s};
        QTest::addRow("one of both is none") << QStringList{u"--older-than=1d"_s, u"--max-size=much"_s};
        QTest::addRow("a filter") << QStringList{u"--older-than=1d"_s, u"tenant:acme"_s};
    }

    void what_is_no_order_is_64_and_removes_nothing()
    {
        QFETCH(QStringList, words);
        fill(3, 40);
        const Done done = prune(words);
        QVERIFY2(done.exitCode == 64 && !done.err.isEmpty() && done.out.isEmpty(), done.err.constData());
        QCOMPARE(events({}).size(), 3);
    }
};

QTEST_GUILESS_MAIN(TstLogPrune)
#include "tst_log_prune.moc"
