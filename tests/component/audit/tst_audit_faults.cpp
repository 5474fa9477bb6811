// SPDX-License-Identifier: Apache-2.0

// What can happen to a record: death of writers, other processes, a full or read-only device, damage.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"
#include "tests/support/must_work.h"
#include "tests/support/small_mount.h"

#include <QCoreApplication>
#include <QFile>
#include <QProcess>
#include <QSet>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <cstdio>
#include <memory>
#include <vector>

using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

namespace {

/// The test binary as another process: writes events from `first` on, one commit each, and says every committed id.
int writeAsChild(const char *path, std::uint64_t first, std::uint64_t count)
{
    auto writer = AuditWriter::open({.path = path, .busyMilliseconds = 60'000, .reserveBytes = 0});
    if (!writer) {
        std::fprintf(stderr, "child cannot open: %d at %s, sqlite %d\n", static_cast<int>(writer.error().code),
                     writer.error().step.c_str(), writer.error().sqlite);
        return 1;
    }
    for (std::uint64_t n = first; n < first + count; ++n) {
        const record::Event event = test::allowedEvent(n, thisRunner());
        if (const auto row = (*writer)->begin(event); !row) {
            std::fprintf(stderr, "child cannot write: %d at %s, sqlite %d\n", static_cast<int>(row.error().code),
                         row.error().step.c_str(), row.error().sqlite);
            return 2;
        }
        std::puts(event.id.c_str());
        std::fflush(stdout);
    }
    return 0;
}

std::unique_ptr<QProcess> startChild(const std::string &path, int first, int count)
{
    auto child = std::make_unique<QProcess>();
    child->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    child->start(
        QCoreApplication::applicationFilePath(),
        {QStringLiteral("--write"), QString::fromStdString(path), QString::number(first), QString::number(count)});
    return child;
}

/// Another process holds the write lock for so long; it has it when this returns.
int holdLockAsChild(const char *path, unsigned long milliseconds)
{
    QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"));
    database.setDatabaseName(QString::fromLocal8Bit(path));
    if (!database.open() || !QSqlQuery(database).exec(QStringLiteral("BEGIN IMMEDIATE")))
        return 1;
    std::puts("held");
    std::fflush(stdout);
    QThread::msleep(milliseconds);
    return 0; // rolls back
}

std::unique_ptr<QProcess> holdLock(const std::string &path, int milliseconds)
{
    auto child = std::make_unique<QProcess>();
    child->start(QCoreApplication::applicationFilePath(),
                 {QStringLiteral("--hold"), QString::fromStdString(path), QString::number(milliseconds)});
    const bool held = child->waitForReadyRead(60'000) && child->readAll() == "held\n";
    return held ? std::move(child) : nullptr;
}

/// The last part of a runner's name.
std::string namespaceOfThisRunner()
{
    return thisRunner().substr(thisRunner().rfind(':'));
}

/// With all rows of dead runners closed; they have left nothing.
WriterOptions optionsFor(const std::string &path)
{
    return {.path = path, .busyMilliseconds = 300, .reserveBytes = 256 * 1024, .endRun = [](const std::string &) {
                return 0;
            }};
}

std::string databaseIn(const QTemporaryDir &folder)
{
    return folder.filePath(QStringLiteral("audit.db")).toStdString();
}

} // namespace

class TstAuditFaults : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_killed_writer_loses_no_row_that_it_had_committed()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        const auto child = startChild(path, 1, 1'000'000);
        QByteArray said;
        QTRY_VERIFY_WITH_TIMEOUT((said += child->readAllStandardOutput()).count('\n') >= 200, 60'000);
        child->kill();
        QVERIFY(child->waitForFinished());
        said += child->readAllStandardOutput();
        const auto reader = AuditReader::open(path);
        QVERIFY(reader);
        int rows = 0;
        for (const QByteArray &id : said.left(said.lastIndexOf('\n')).split('\n')) {
            const auto event = (*reader)->eventById(id.toStdString());
            QVERIFY2(event, id.constData());
            ++rows;
        }
        QVERIFY(rows >= 200);
    }

    void what_a_dead_process_was_running_becomes_unfinished_and_keeps_its_verdict()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        const auto child = startChild(path, 1, 3);
        QVERIFY(child->waitForFinished());
        QCOMPARE(child->exitCode(), 0);
        {
            const auto reader = AuditReader::open(path);
            QVERIFY(reader);
            QCOMPARE((*reader)->changes()->running.size(), std::size_t{3});
        }
        auto writer = AuditWriter::open(optionsFor(path));
        QVERIFY(writer);
        QCOMPARE((*writer)->unfinishedRuns().size(), std::size_t{3});
        const auto reader = AuditReader::open(path);
        const auto event = (*reader)->event(2);
        QVERIFY(event);
        QCOMPARE(event->outcome, Outcome::Unfinished);
        QCOMPARE(event->verdict, Verdict::Allow);
    }

    void what_a_dead_run_left_is_ended_before_its_row_is_closed()
    {
        QTemporaryDir folder;
        WriterOptions options = optionsFor(databaseIn(folder));
        const auto child = startChild(options.path, 1, 2);
        QVERIFY(child->waitForFinished());
        options.endRun = {}; // who cannot end anything closes nothing
        QVERIFY((*AuditWriter::open(options))->unfinishedRuns().empty());
        std::vector<std::string> asked;
        options.endRun = [&](const std::string &id) {
            const auto reader = AuditReader::open(options.path);
            if (reader && (*reader)->changes()->running.size() == 2)
                asked.push_back(id);
            return static_cast<int>(asked.size()) - 1; // nothing of the first, one process of the second
        };
        const auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        QCOMPARE(asked, (std::vector{test::eventId(1), test::eventId(2)}));
        QCOMPARE((*writer)->unfinishedRuns().size(), std::size_t{2});
        const auto reader = AuditReader::open(options.path);
        QVERIFY(reader);
        QCOMPARE((*reader)->event(1)->note, std::string());
        QCOMPARE((*reader)->event(2)->note, std::string("leftovers_killed:1"));
    }

    void what_a_living_process_is_running_stays_running()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        auto first = AuditWriter::open(optionsFor(path));
        QVERIFY(first);
        const auto row = (*first)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        auto second = AuditWriter::open(optionsFor(path));
        QVERIFY(second);
        QCOMPARE((*second)->unfinishedRuns().size(), std::size_t{0});
        QVERIFY((*first)->finish(*row, {}));
    }

    void a_process_in_another_pid_namespace_is_not_taken_for_dead()
    {
        QCOMPARE(livenessOf(thisRunner()), Liveness::Alive);
        QCOMPARE(livenessOf("1:2:3"), Liveness::Unknown);
        QCOMPARE(livenessOf(""), Liveness::Unknown);
        QCOMPARE(livenessOf("x:2:" + thisRunner().substr(thisRunner().rfind(':') + 1)), Liveness::Unknown);
        QCOMPARE(livenessOf("4194300:2" + thisRunner().substr(thisRunner().rfind(':'))), Liveness::Dead);
        // The same number at another time is another process.
        const std::string self = thisRunner();
        QCOMPARE(livenessOf(self.substr(0, self.find(':')) + ":1" + self.substr(self.rfind(':'))), Liveness::Dead);
    }

    void eight_processes_write_at_once_and_every_row_is_there_once()
    {
        constexpr int each = 5000;
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        std::vector<std::unique_ptr<QProcess>> children;
        for (int i = 0; i < 8; ++i)
            children.push_back(startChild(path, 1 + i * each, each));
        QSet<QByteArray> said;
        for (const auto &child : children) {
            QVERIFY(child->state() == QProcess::NotRunning || child->waitForFinished(250'000));
            QCOMPARE(child->exitCode(), 0);
            for (const QByteArray &id : child->readAllStandardOutput().trimmed().split('\n'))
                said.insert(id);
        }
        QCOMPARE(said.size(), 8 * each);
        QSet<QByteArray> found;
        {
            QSqlDatabase other = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("other"));
            other.setDatabaseName(QString::fromStdString(path));
            QVERIFY(other.open());
            QSqlQuery query(QStringLiteral("SELECT id FROM events JOIN details USING (row)"), other);
            while (query.next())
                found.insert(query.value(0).toByteArray());
        }
        QSqlDatabase::removeDatabase(QStringLiteral("other"));
        QCOMPARE(found, said); // the index on ids allows none twice
    }

    void many_processes_make_a_new_record_at_once()
    {
        for (int round = 0; round < 5; ++round) {
            QTemporaryDir folder;
            const std::string path = databaseIn(folder);
            std::vector<std::unique_ptr<QProcess>> children;
            for (int i = 0; i < 8; ++i)
                children.push_back(startChild(path, 1 + i, 1));
            for (const auto &child : children) {
                QVERIFY(child->waitForFinished(60'000));
                QCOMPARE(child->exitCode(), 0);
            }
            const auto reader = AuditReader::open(path);
            QVERIFY(reader);
            QCOMPARE((*reader)->count({}).value_or(-1), std::int64_t{8});
        }
    }

    void a_lock_that_is_held_too_long_is_an_error_and_writes_nothing()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        auto writer = AuditWriter::open(optionsFor(path));
        QVERIFY(writer);
        {
            QSqlDatabase other = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("other"));
            other.setDatabaseName(QString::fromStdString(path));
            QVERIFY(other.open());
            QVERIFY(QSqlQuery(other).exec(QStringLiteral("BEGIN IMMEDIATE")));
            QCOMPARE((*writer)->begin(test::allowedEvent(1)).error().code, Code::Locked);
            QVERIFY(QSqlQuery(other).exec(QStringLiteral("ROLLBACK")));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("other"));
        QVERIFY((*writer)->begin(test::allowedEvent(1)));
    }

    void the_outcome_of_a_command_waits_longer_for_a_lock_than_a_new_command()
    {
        QTemporaryDir folder;
        WriterOptions options = optionsFor(databaseIn(folder));
        options.busyMilliseconds = 50;
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        const auto row = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        const auto holder = holdLock(options.path, 2000);
        QVERIFY(holder);
        record::Ending ending;
        ending.exitCode = 3;
        const auto results = (*writer)->commit({Begin{test::allowedEvent(2, thisRunner())}, Finish{*row, ending, {}}});
        QCOMPARE(results.at(0).error().code, Code::Locked);
        QVERIFY(results.at(1));
        QVERIFY(holder->waitForFinished());
        const auto reader = AuditReader::open(options.path);
        QVERIFY(reader);
        QCOMPARE((*reader)->event(*row)->exitCode.value_or(-1), 3);
        QCOMPARE((*reader)->count({}).value_or(-1), std::int64_t{1});
    }

    void an_outcome_that_is_given_up_is_unfinished_at_the_next_start()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        const auto child = startChild(path, 1, 1);
        QVERIFY(child->waitForFinished());
        std::int64_t row = 0;
        {
            WriterOptions options = optionsFor(path);
            options.busyMilliseconds = options.finishMilliseconds = 20;
            auto writer = AuditWriter::open(options);
            QVERIFY(writer);
            QCOMPARE((*writer)->unfinishedRuns().size(), std::size_t{1});
            const auto begun = (*writer)->begin(test::allowedEvent(2, "4194300:1" + namespaceOfThisRunner()));
            QVERIFY(begun);
            row = *begun;
            const auto holder = holdLock(path, 60'000);
            QVERIFY(holder);
            QCOMPARE((*writer)->finish(row, {}).error().code, Code::Locked);
            holder->kill();
            QVERIFY(holder->waitForFinished());
        }
        const auto next = AuditWriter::open(optionsFor(path));
        QVERIFY(next);
        QCOMPARE((*next)->unfinishedRuns().size(), std::size_t{1});
        const auto reader = AuditReader::open(path);
        QVERIFY(reader);
        QCOMPARE((*reader)->event(row)->outcome, Outcome::Unfinished);
    }

    void a_newer_record_is_left_alone()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        QVERIFY(AuditWriter::open(optionsFor(path)));
        {
            QSqlDatabase other = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("other"));
            other.setDatabaseName(QString::fromStdString(path));
            QVERIFY(other.open());
            QVERIFY(QSqlQuery(other).exec(QStringLiteral("PRAGMA user_version = 99")));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("other"));
        const auto writer = AuditWriter::open(optionsFor(path));
        QVERIFY(!writer);
        QCOMPARE(writer.error().code, Code::NewerVersion);
        QCOMPARE(writer.error().version, 99);
        const auto reader = AuditReader::open(path);
        QVERIFY(!reader);
        QCOMPARE(reader.error().code, Code::NewerVersion);
    }

    void what_is_no_record_is_left_alone_data()
    {
        QTest::addColumn<QByteArray>("content");
        QTest::addRow("text")
            << QByteArray("this is not a database, and longer than a header of one hundred bytes ").repeated(20);
        QTest::addRow("a damaged header") << QByteArray("SQLite format 3\0", 16) + QByteArray(4096, '\xee');
    }

    void what_is_no_record_is_left_alone()
    {
        QFETCH(QByteArray, content);
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(content);
        file.close();
        QCOMPARE(AuditWriter::open(optionsFor(path)).error().code, Code::NotARecord);
        QCOMPARE(AuditReader::open(path).error().code, Code::NotARecord);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), content);
    }

    void the_database_of_another_program_is_left_alone()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        {
            QSqlDatabase other = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), QStringLiteral("other"));
            other.setDatabaseName(QString::fromStdString(path));
            QVERIFY(other.open());
            QVERIFY(QSqlQuery(other).exec(QStringLiteral("CREATE TABLE events (a)")));
        }
        QSqlDatabase::removeDatabase(QStringLiteral("other"));
        QCOMPARE(AuditWriter::open(optionsFor(path)).error().code, Code::NotARecord);
        QCOMPARE(AuditReader::open(path).error().code, Code::NotARecord);
    }

    void damage_in_the_middle_is_an_error_of_the_query_that_meets_it()
    {
        QTemporaryDir folder;
        const std::string path = databaseIn(folder);
        {
            auto writer = AuditWriter::open(optionsFor(path));
            QVERIFY(writer);
            std::vector<WriteRequest> requests;
            for (std::uint64_t n = 1; n < 3000; ++n)
                requests.emplace_back(Append{test::deniedEvent(n), {}});
            QVERIFY((*writer)->commit(std::move(requests)).back());
        }
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::ReadWrite));
        for (qint64 at = 40'960; at < file.size(); at += 4096) { // all pages after the first ten
            file.seek(at);
            file.write(QByteArray(4096, '\xee'));
        }
        file.close();
        const auto reader = AuditReader::open(path);
        QVERIFY(reader);
        const auto page = (*reader)->page({}, 0, 100'000);
        QVERIFY(!page);
        QCOMPARE(page.error().code, Code::Corrupt);
    }

    void a_missing_record_is_not_made_by_a_reader()
    {
        QTemporaryDir folder;
        const auto reader = AuditReader::open(databaseIn(folder));
        QVERIFY(!reader);
        QCOMPARE(reader.error().code, Code::CannotOpen);
        QCOMPARE(reader.error().systemErrno, ENOENT);
        QVERIFY(!QFile::exists(QString::fromStdString(databaseIn(folder))));
        QCOMPARE(AuditReader::open(folder.path().toStdString()).error().systemErrno, EISDIR);
        QCOMPARE(AuditWriter::open(optionsFor(folder.path().toStdString())).error().code, Code::CannotOpen);
    }

    void a_read_only_device_refuses_writers_and_serves_readers()
    {
        QTemporaryDir folder;
        const test::SmallMount device(folder.path().toStdString(), 8192);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        const std::string path = databaseIn(folder);
        {
            auto writer = AuditWriter::open(optionsFor(path));
            QVERIFY(writer);
            QVERIFY((*writer)->append(test::deniedEvent(1)));
        }
        QVERIFY(device.makeReadOnly());
        QCOMPARE(AuditWriter::open(optionsFor(path)).error().code, Code::ReadOnly);
        const auto reader = AuditReader::open(path);
        QVERIFY(reader);
        QCOMPARE((*reader)->count({}).value_or(-1), std::int64_t{1});
        QVERIFY((*reader)->event(1));
    }

    void a_full_device_refuses_new_runs_and_still_completes_those_that_run()
    {
        QTemporaryDir folder;
        const test::SmallMount device(folder.path().toStdString(), 2048);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        const std::string path = databaseIn(folder);
        auto writer = AuditWriter::open(optionsFor(path));
        QVERIFY(writer);
        const auto first = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        const auto second = (*writer)->begin(test::allowedEvent(2, thisRunner()));
        QVERIFY(first && second);
        device.fill("ballast");
        std::uint64_t n = 10;
        WriteResult refused = (*writer)->begin(test::bigEvent(n, thisRunner()));
        while (refused && n < 200) // the log file may have had a little room left
            refused = (*writer)->begin(test::bigEvent(++n, thisRunner()));
        QVERIFY(!refused);
        QCOMPARE(refused.error().code, Code::Full);

        record::Ending ending;
        ending.exitCode = 0;
        ending.outputBytes = 100;
        QVERIFY((*writer)->finish(*first, ending, {std::string(4000, 'o'), {}, 0, 0}));
        // An output that does not fit even into the reserve is given up; the outcome is not.
        ending.outputBytes = 900'000;
        QVERIFY((*writer)->finish(*second, ending, {std::string(900'000, 'o'), {}, 0, 0}));
        // The room of the reserve is for outcomes: nothing new starts on it.
        QCOMPARE((*writer)->begin(test::bigEvent(900, thisRunner())).error().code, Code::Full);

        const auto reader = AuditReader::open(path);
        QVERIFY(reader);
        QCOMPARE((*reader)->event(*first)->outcome, Outcome::Exited);
        QCOMPARE((*reader)->event(*second)->outcome, Outcome::Exited);
        QCOMPARE((*reader)->event(*second)->droppedBytes, std::int64_t{900'000});

        QFile::remove(folder.filePath(QStringLiteral("ballast")));
        QVERIFY((*writer)->begin(test::allowedEvent(1000, thisRunner())));
    }
};

int main(int argc, char **argv)
{
    if (argc == 5 && std::string_view(argv[1]) == "--write") {
        const QCoreApplication application(argc, argv);
        return writeAsChild(argv[2], std::stoull(argv[3]), std::stoull(argv[4]));
    }
    if (argc == 4 && std::string_view(argv[1]) == "--hold") {
        const QCoreApplication application(argc, argv);
        return holdLockAsChild(argv[2], std::stoul(argv[3]));
    }
    const QCoreApplication application(argc, argv);
    TstAuditFaults test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_audit_faults.moc"
