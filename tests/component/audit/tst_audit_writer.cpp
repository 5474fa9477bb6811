// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_writer.h"
#include "runner/audit/audit_writer_thread.h"
#include "tests/support/audit_events.h"
#include "tests/support/record_options.h"

#include <QFile>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

#include <sys/stat.h>

using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

namespace {

/// A value through another connection, as any SQLite tool would read it.
QVariant asked(const std::string &path, const QString &sql)
{
    QVariant value;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("other"));
        database.setDatabaseName(QString::fromStdString(path));
        if (database.open()) {
            QSqlQuery query(database);
            if (query.exec(sql) && query.next())
                value = query.value(0);
        }
    }
    QSqlDatabase::removeDatabase(QStringLiteral("other"));
    return value;
}

record::Event pruneEvent(std::uint64_t n)
{
    record::Event event = test::allowedEvent(n, thisRunner());
    event.kind = record::Kind::Prune;
    event.command = "log prune";
    return event;
}

} // namespace

class TstAuditWriter : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_decision_is_committed_when_begin_returns()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto row = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT outcome FROM events")).toString(),
                 QStringLiteral("running"));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT verdict FROM events")).toString(), QStringLiteral("allow"));
    }

    void a_finished_run_keeps_its_verdict_and_gets_its_outcome()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto row = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        record::Ending ending;
        ending.exitCode = 3;
        QVERIFY((*writer)->finish(*row, ending, {"out", "err", 0, 0}));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT outcome || exit_code FROM events")).toString(),
                 QStringLiteral("exited3"));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT err FROM outputs")).toByteArray(), QByteArray("err"));
        // Once is enough: a second end, or the end of a refused command, is a mistake of the caller.
        QCOMPARE((*writer)->finish(*row, ending).error().code, Code::NotFound);
        QCOMPARE((*writer)->finish(*row + 1, ending).error().code, Code::NotFound);
    }

    void one_bad_request_does_not_harm_the_others_of_its_batch()
    {
        QTemporaryDir folder;
        auto writer = AuditWriter::open(test::recordIn(folder));
        QVERIFY(writer);
        record::Event noId = test::deniedEvent(5);
        noId.id.clear();
        record::Event ended = test::allowedEvent(6);
        ended.outcome = Outcome::Exited;
        std::vector<WriteRequest> requests{Append{test::deniedEvent(1), {}},
                                           Append{test::deniedEvent(1), {}},
                                           Append{noId, {}},
                                           Begin{ended},
                                           Finish{77, {}, {}, false},
                                           Append{test::allowedEvent(7), {}},
                                           Append{test::deniedEvent(2), {}}};
        const auto results = (*writer)->commit(std::move(requests));
        QCOMPARE(results.size(), std::size_t{7});
        QVERIFY(results[0]);
        QCOMPARE(results[1].error().code, Code::Refused); // the id is taken
        QCOMPARE(results[2].error().code, Code::Refused);
        QCOMPARE(results[3].error().code, Code::Refused); // what begins has not ended
        QCOMPARE(results[4].error().code, Code::NotFound);
        QCOMPARE(results[5].error().code, Code::Refused); // what is appended is not running
        QVERIFY(results[6]);
        QCOMPARE(asked(test::recordIn(folder).path, QStringLiteral("SELECT count(*) FROM events")).toInt(), 2);
        QCOMPARE(asked(test::recordIn(folder).path, QStringLiteral("SELECT count(*) FROM details")).toInt(), 2);
    }

    void a_request_that_fails_half_way_leaves_nothing_data()
    {
        QTest::addColumn<QString>("table");
        QTest::newRow("the decision's details") << QStringLiteral("details");
        QTest::newRow("the output") << QStringLiteral("outputs");
    }
    void a_request_that_fails_half_way_leaves_nothing()
    {
        QFETCH(QString, table);
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto running = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(running);
        // Another program that breaks the second half of whatever is written for the rows 1 and 2.
        asked(options.path,
              QStringLiteral("CREATE TRIGGER half BEFORE INSERT ON %1 WHEN new.row < 3 AND NOT EXISTS (SELECT 1 FROM "
                             "events WHERE row = new.row AND id = '%2') BEGIN SELECT RAISE(ABORT, 'no'); END")
                  .arg(table, QString::fromStdString(test::eventId(3))));
        const record::Output output{"out", "err", 0, 0};
        record::Ending ending;
        ending.exitCode = 0;
        record::Event second = test::deniedEvent(2);
        second.configDigest = "sha256:another";
        record::Event third = test::deniedEvent(3);
        third.configDigest = second.configDigest;
        const bool finishes = table == u"details"; // which writes an output, and no details
        const auto results =
            (*writer)->commit({Append{second, output}, Finish{*running, ending, output}, Append{third, output}});
        QCOMPARE(results.size(), std::size_t{3});
        QCOMPARE(results[0].error().code, Code::Refused);
        QCOMPARE(static_cast<bool>(results[1]), finishes);
        QVERIFY(results[2]);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT group_concat(row || outcome) FROM events")).toString(),
                 finishes ? QStringLiteral("1exited,2not_started") : QStringLiteral("1running,2not_started"));
        for (const char *each : {"events", "details"})
            QCOMPARE(asked(options.path, QStringLiteral("SELECT count(*) FROM ") + QLatin1String(each)).toInt(), 2);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT count(*) FROM outputs")).toInt(), finishes ? 2 : 1);
        // A configuration that was new in what was undone is there for the next that needs it.
        QCOMPARE(asked(options.path,
                       QStringLiteral("SELECT digest FROM configurations c JOIN events e ON e.config = c.id "
                                      "WHERE e.row = 2"))
                     .toString(),
                 QStringLiteral("sha256:another"));
    }

    void a_row_keeps_its_secrets_until_it_is_finished()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        record::Event event = test::allowedEvent(1, thisRunner());
        event.command = "mysql -uroot -p'hunter2hunter2' -e x";
        const auto row = (*writer)->begin(event);
        QVERIFY(row);
        asked(options.path,
              QStringLiteral("CREATE TRIGGER half BEFORE INSERT ON outputs BEGIN SELECT RAISE(ABORT, 'no'); END"));
        const record::Output output{"refused hunter2hunter2", {}, 0, 0};
        QCOMPARE((*writer)->finish(*row, {}, output).error().code, Code::Refused);
        asked(options.path, QStringLiteral("DROP TRIGGER half"));
        QVERIFY((*writer)->finish(*row, {}, output));
        const QByteArray kept = asked(options.path, QStringLiteral("SELECT out FROM outputs")).toByteArray();
        QVERIFY2(kept.startsWith("refused ") && !kept.contains("hunter2"), kept.constData());
    }

    void secrets_do_not_reach_the_file()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        {
            auto writer = AuditWriter::open(options);
            QVERIFY(writer);
            record::Event event = test::allowedEvent(1, thisRunner());
            event.command = "mysql -uroot -p'hunter2hunter2' -e x";
            event.normalised = event.command;
            event.argv = {"/bin/bash", "-c", event.command};
            const auto row = (*writer)->begin(event);
            QVERIFY(row);
            QVERIFY((*writer)->finish(*row, {}, {"DB_PASSWORD=hunter2hunter2\n", {}, 0, 0}));
        }
        QFile file(QString::fromStdString(options.path));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray content = file.readAll();
        QVERIFY(content.contains("mysql -uroot -p'_MASKED_16_' -e x"));
        QVERIFY(!content.contains("hunter2"));
        QCOMPARE(asked(options.path, QStringLiteral("SELECT masked FROM events")).toInt(), 1);
    }

    void the_file_and_its_log_are_for_their_owner_only()
    {
        QTemporaryDir folder;
        WriterOptions options = test::recordIn(folder);
        options.path = folder.filePath(QStringLiteral("new/folder/audit.db")).toStdString();
        const auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        QVERIFY((*writer)->append(test::deniedEvent(1)));
        for (const std::string &name :
             {options.path, options.path + "-wal", options.path + "-shm", options.path + "-reserve"}) {
            struct stat info{};
            QVERIFY2(::stat(name.c_str(), &info) == 0, name.c_str());
            QCOMPARE(info.st_mode & 07777, mode_t{0600});
        }
        struct stat info{};
        QVERIFY(::stat(folder.filePath(QStringLiteral("new/folder")).toLocal8Bit().constData(), &info) == 0);
        QCOMPARE(info.st_mode & 07777, mode_t{0700});
    }

    void the_mode_follows_role_and_place()
    {
        QCOMPARE(auditFileMode(true, "/var/lib/portcullis/audit.db"), 0640);
        QCOMPARE(auditFileMode(false, "/var/lib/portcullis/audit.db"), 0600);
        QCOMPARE(auditFileMode(true, "/var/lib/portcullis-other/audit.db"), 0600);
    }

    void the_reserve_has_real_blocks_and_comes_back()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const std::string reserve = options.path + "-reserve";
        struct stat info{};
        QVERIFY(::stat(reserve.c_str(), &info) == 0);
        QVERIFY(info.st_blocks * 512 >= options.reserveBytes);
        QVERIFY(QFile::remove(QString::fromStdString(reserve)));
        QVERIFY((*writer)->begin(test::allowedEvent(1)));
        QVERIFY(::stat(reserve.c_str(), &info) == 0);
    }

    void pruning_by_age_removes_what_is_older_and_says_so_in_the_record()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        std::vector<WriteRequest> requests;
        for (std::uint64_t n = 1; n <= 5000; ++n)
            requests.emplace_back(Append{test::deniedEvent(n), {"out", {}, 0, 0}});
        QVERIFY((*writer)->commit(std::move(requests)).back());
        const auto running = (*writer)->begin(test::allowedEvent(5001, thisRunner()));
        QVERIFY(running);
        const std::int64_t cut = test::deniedEvent(4001).timeUs;
        const auto result = (*writer)->prune({.beforeUs = cut, .maxBytes = {}}, pruneEvent(6000));
        QVERIFY(result);
        QCOMPARE(result->rows, std::int64_t{4000});
        QCOMPARE(result->oldestUs, std::optional(cut));
        QVERIFY(result->bytesAfter < result->bytesBefore);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT count(*) FROM events")).toInt(), 1000 + 2);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT count(*) FROM details")).toInt(), 1000 + 2);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT count(*) FROM outputs")).toInt(), 1000);
        QCOMPARE(asked(options.path, QStringLiteral("SELECT outcome FROM events WHERE kind = 'prune'")).toString(),
                 QStringLiteral("exited"));
        const QString detail =
            asked(options.path, QStringLiteral("SELECT detail FROM details ORDER BY row DESC")).toString();
        QVERIFY2(detail.contains(QStringLiteral("\"rows\":4000")), qPrintable(detail));
        QVERIFY((*writer)->finish(*running, {}));
    }

    void pruning_by_size_removes_the_oldest_and_never_what_runs()
    {
        QTemporaryDir folder;
        const WriterOptions options = test::recordIn(folder);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto running = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(running);
        std::vector<WriteRequest> requests;
        for (std::uint64_t n = 2; n <= 6000; ++n)
            requests.emplace_back(Append{test::deniedEvent(n), {std::string(500, 'x'), {}, 0, 0}});
        QVERIFY((*writer)->commit(std::move(requests)).back());
        const auto result = (*writer)->prune({.beforeUs = {}, .maxBytes = 2 << 20}, pruneEvent(9000));
        QVERIFY(result);
        QVERIFY(result->bytesBefore > 4 << 20);
        QVERIFY(result->bytesAfter <= 2 << 20);
        QVERIFY(QFile(QString::fromStdString(options.path)).size() <= (2 << 20) + (256 << 10));
        QVERIFY((*writer)->finish(*running, {}));
        const auto everything = (*writer)->prune({.beforeUs = {}, .maxBytes = 1}, pruneEvent(9001));
        QVERIFY(everything); // as far as it goes: the event of this pruning stays
        QCOMPARE(asked(options.path, QStringLiteral("SELECT count(*) FROM events")).toInt(), 1);
    }

    void the_thread_answers_every_request_once_and_in_order()
    {
        QTemporaryDir folder;
        AuditWriterThread thread(test::recordIn(folder));
        std::vector<quint64> answered;
        std::int64_t begunRow = 0;
        connect(&thread, &AuditWriterThread::begun, this, [&](quint64 request, qint64 row) {
            answered.push_back(request);
            begunRow = row;
        });
        connect(&thread, &AuditWriterThread::written, this,
                [&](quint64 request, qint64) { answered.push_back(request); });
        connect(&thread, &AuditWriterThread::failed, this,
                [&](quint64 request, const AuditError &) { answered.push_back(request); });
        // Requests made before the record is open wait for it.
        const quint64 first = thread.begin(test::allowedEvent(1, thisRunner()));
        thread.start();
        QTRY_COMPARE(answered.size(), std::size_t{1});
        thread.heartbeat({"1:2:3", "sha256:aa", "0.1.0", "console", 1});
        thread.begin(test::allowedEvent(1)); // the id is taken
        thread.finish(begunRow, {});
        for (std::uint64_t n = 10; n < 300; ++n)
            thread.append(test::deniedEvent(n));
        QTRY_COMPARE(answered.size(), std::size_t{4 + 290});
        QVERIFY(std::ranges::is_sorted(answered));
        QCOMPARE(answered.front(), first);
        QCOMPARE(asked(test::recordIn(folder).path, QStringLiteral("SELECT count(*) FROM events")).toInt(), 291);
    }

    void stopping_writes_what_is_queued_and_refuses_what_comes_later()
    {
        QTemporaryDir folder;
        AuditWriterThread thread(test::recordIn(folder));
        int written = 0;
        QList<AuditError> failures;
        connect(&thread, &AuditWriterThread::written, this, [&] { ++written; });
        connect(&thread, &AuditWriterThread::failed, this,
                [&](quint64, const AuditError &error) { failures.append(error); });
        thread.start();
        for (std::uint64_t n = 1; n <= 100; ++n)
            thread.append(test::deniedEvent(n));
        thread.stop();
        QCOMPARE(written, 100);
        thread.append(test::deniedEvent(101));
        QTRY_COMPARE(failures.size(), 1);
        QCOMPARE(failures.first().code, Code::Stopped);
        QCOMPARE(asked(test::recordIn(folder).path, QStringLiteral("SELECT count(*) FROM events")).toInt(), 100);
    }

    void a_record_that_cannot_be_opened_fails_every_request()
    {
        QTemporaryDir folder;
        WriterOptions options = test::recordIn(folder);
        options.path = folder.path().toStdString(); // a folder
        AuditWriterThread thread(options);
        QList<AuditError> failures;
        connect(&thread, &AuditWriterThread::failed, this,
                [&](quint64, const AuditError &error) { failures.append(error); });
        QList<AuditError> openFailures;
        connect(&thread, &AuditWriterThread::openFailed, this,
                [&](const AuditError &error) { openFailures.append(error); });
        thread.begin(test::allowedEvent(1));
        thread.start();
        thread.begin(test::allowedEvent(2));
        QTRY_COMPARE(failures.size(), 2);
        QCOMPARE(openFailures.size(), 1);
        QCOMPARE(failures.first().code, Code::CannotOpen);
    }
};

QTEST_GUILESS_MAIN(TstAuditWriter)
#include "tst_audit_writer.moc"
