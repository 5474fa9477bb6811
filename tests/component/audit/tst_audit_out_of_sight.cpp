// SPDX-License-Identifier: Apache-2.0

// Rows whose runner cannot be seen, as that of a container that shares the record.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"
#include "tests/support/record_options.h"

#include <QDateTime>
#include <QTemporaryDir>
#include <QTest>

using namespace portcullis;
using namespace portcullis::audit;

class TstAuditOutOfSight : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_run_whose_runner_is_out_of_sight_is_closed_when_it_must_be_over_data()
    {
        QTest::addColumn<QString>("runner");
        QTest::addColumn<int>("began"); // seconds ago
        QTest::addColumn<QString>("detail"); // the limit in force
        QTest::addColumn<int>("asked"); // limit, 0: none
        QTest::addColumn<bool>("closed");
        constexpr int margin = 600;
        const QString elsewhere = QStringLiteral("1:2:3");
        const QString minute = QStringLiteral(R"({"limit_seconds":60})");
        QTest::newRow("within its limit") << elsewhere << 30 << minute << 0 << false;
        QTest::newRow("its limit has passed a moment ago") << elsewhere << 120 << minute << 0 << false;
        QTest::newRow("its limit has long passed") << elsewhere << 60 + margin + 60 << minute << 0 << true;
        QTest::newRow("its limit is longer")
            << elsewhere << 60 + margin + 60 << QStringLiteral(R"({"limit_seconds":7200})") << 0 << false;
        QTest::newRow("the limit in force counts, not what was asked for")
            << elsewhere << 60 + margin + 60 << minute << 100'000 << true;
        QTest::newRow("only what was asked for is known") << elsewhere << 60 + margin + 60 << QString() << 60 << true;
        QTest::newRow("no limit is known") << elsewhere << 86'400 << QString() << 0 << false;
        QTest::newRow("longer than any limit") << elsewhere << 8 * 86'400 << QString() << 0 << true;
        QTest::newRow("a limit beyond all limits")
            << elsewhere << 8 * 86'400 << QStringLiteral(R"({"limit_seconds":99999999})") << 0 << true;
        QTest::newRow("a detail that is no JSON") << elsewhere << 86'400 << QStringLiteral("{") << 0 << false;
        QTest::newRow("the clock was put back since") << elsewhere << -86'400 << minute << 0 << false;
        QTest::newRow("a runner that is seen to live")
            << QString::fromStdString(thisRunner()) << 8 * 86'400 << minute << 0 << false;
    }

    void a_run_whose_runner_is_out_of_sight_is_closed_when_it_must_be_over()
    {
        QFETCH(QString, runner);
        QFETCH(int, began);
        QFETCH(QString, detail);
        QFETCH(int, asked);
        QFETCH(bool, closed);
        QTemporaryDir folder;
        WriterOptions options = test::recordIn(folder);
        auto first = AuditWriter::open(options);
        QVERIFY(first);
        record::Event event = test::allowedEvent(1, runner.toStdString());
        event.timeUs = QDateTime::currentSecsSinceEpoch() * 1'000'000 - static_cast<std::int64_t>(began) * 1'000'000;
        event.detailJson = detail.toStdString();
        event.timeoutSeconds = asked != 0 ? std::optional(asked) : std::nullopt;
        const auto row = (*first)->begin(event);
        QVERIFY(row);
        options.endRun = [](const std::string &) {
            qWarning("nobody is killed on the word of a clock");
            return 1;
        };
        const auto second = AuditWriter::open(options);
        QVERIFY(second);
        QCOMPARE((*second)->unfinishedRuns().size(), closed ? std::size_t{1} : std::size_t{0});
        const auto reader = AuditReader::open(options.path);
        QVERIFY(reader);
        QCOMPARE((*reader)->event(*row)->outcome, closed ? Outcome::Unfinished : Outcome::Running);
        QCOMPARE((*reader)->event(*row)->note, std::string(closed ? "runner_out_of_sight" : ""));
        // One that goes on all the same completes its row.
        QVERIFY((*first)->finish(*row, {}));
        QCOMPARE((*reader)->event(*row)->outcome, Outcome::Exited);
    }
};

QTEST_GUILESS_MAIN(TstAuditOutOfSight)
#include "tst_audit_out_of_sight.moc"
