// SPDX-License-Identifier: Apache-2.0

// The record is moved, removed or replaced while somebody has it open.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/audit/audit_writer_thread.h"
#include "tests/support/audit_events.h"

#include <QDir>
#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

namespace {

enum class Fate { Removed, Moved, Replaced, LogRemoved };

std::string databaseIn(const QTemporaryDir &folder)
{
    return folder.filePath(QStringLiteral("audit.db")).toStdString();
}

WriterOptions optionsFor(const QTemporaryDir &folder)
{
    return {.path = databaseIn(folder), .reserveBytes = 0};
}

/// Moves the record with everything that belongs to it.
void move(const QTemporaryDir &folder, const QString &from, const QString &to)
{
    for (const char *end : {"", "-wal", "-shm"})
        QFile::rename(folder.filePath(from + QLatin1String(end)), folder.filePath(to + QLatin1String(end)));
}

void meet(const QTemporaryDir &folder, Fate fate)
{
    const QString record = QStringLiteral("audit.db");
    const QString other = QStringLiteral("other.db");
    switch (fate) {
    case Fate::Removed:
        for (const char *end : {"", "-wal", "-shm"})
            QFile::remove(folder.filePath(record + QLatin1String(end)));
        return;
    case Fate::Moved:
        move(folder, record, other);
        return;
    case Fate::Replaced:
        move(folder, record, other);
        QVERIFY(AuditWriter::open(optionsFor(folder)));
        return;
    case Fate::LogRemoved:
        QVERIFY(QFile::remove(folder.filePath(record + QStringLiteral("-wal"))));
        return;
    }
}

void addFates(bool logToo)
{
    QTest::addColumn<Fate>("fate");
    QTest::newRow("removed") << Fate::Removed;
    QTest::newRow("moved away") << Fate::Moved;
    QTest::newRow("replaced by another") << Fate::Replaced;
    if (logToo)
        QTest::newRow("its log removed") << Fate::LogRemoved;
}

} // namespace

class TstAuditReplaced : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nothing_new_is_begun_in_a_record_that_nobody_can_see_data() { addFates(true); }

    void nothing_new_is_begun_in_a_record_that_nobody_can_see()
    {
        QFETCH(Fate, fate);
        const QTemporaryDir folder;
        const auto writer = AuditWriter::open(optionsFor(folder));
        QVERIFY(writer);
        QVERIFY((*writer)->begin(test::allowedEvent(1, thisRunner())));
        QVERIFY((*writer)->inPlace());
        meet(folder, fate);
        const auto begun = (*writer)->begin(test::allowedEvent(2, thisRunner()));
        QVERIFY(!begun);
        QCOMPARE(begun.error().code, Code::Replaced);
        QCOMPARE((*writer)->append(test::deniedEvent(3)).error().code, Code::Replaced);
        QCOMPARE((*writer)->heartbeat({"1:2:3", "sha256:aa", "0.1.0", "console", 1}).error().code, Code::Replaced);
        QVERIFY(!(*writer)->inPlace());
    }

    void an_outcome_stays_with_its_row_and_the_caller_is_told()
    {
        const QTemporaryDir folder;
        const auto writer = AuditWriter::open(optionsFor(folder));
        QVERIFY(writer);
        const auto row = (*writer)->begin(test::allowedEvent(1, thisRunner()));
        QVERIFY(row);
        meet(folder, Fate::Moved);
        record::Ending ending;
        ending.exitCode = 0;
        QCOMPARE((*writer)->finish(*row, ending).error().code, Code::Replaced);
        const auto reader = AuditReader::open(folder.filePath(QStringLiteral("other.db")).toStdString());
        QVERIFY(reader);
        QCOMPARE((*reader)->event(*row)->outcome, Outcome::Exited);
    }

    void writing_checkpoints_and_pruning_are_no_replacement()
    {
        const QTemporaryDir folder;
        const auto writer = AuditWriter::open(optionsFor(folder));
        QVERIFY(writer);
        const auto reader = AuditReader::open(databaseIn(folder));
        QVERIFY(reader);
        record::Event big = test::deniedEvent(1);
        for (std::uint64_t n = 1; n < 400; ++n) {
            big = test::deniedEvent(n);
            big.command = std::string(20'000, 'x');
            QVERIFY((*writer)->append(big));
        }
        QVERIFY((*writer)->prune({.beforeUs = {}, .maxBytes = 1'000'000}, test::deniedEvent(1000)));
        QVERIFY((*writer)->append(test::deniedEvent(1001)));
        QVERIFY((*reader)->changes());
    }

    void a_reader_says_that_the_record_went_data() { addFates(false); }

    void a_reader_says_that_the_record_went()
    {
        QFETCH(Fate, fate);
        const QTemporaryDir folder;
        QVERIFY(AuditWriter::open(optionsFor(folder)));
        const auto reader = AuditReader::open(databaseIn(folder));
        QVERIFY(reader);
        QVERIFY((*reader)->changed());
        meet(folder, fate);
        QCOMPARE((*reader)->changed().error().code, Code::Replaced);
        QCOMPARE((*reader)->changes().error().code, Code::Replaced);
    }

    void the_thread_says_so_without_being_asked_and_takes_the_next_record_data() { addFates(false); }

    void the_thread_says_so_without_being_asked_and_takes_the_next_record()
    {
        QFETCH(Fate, fate);
        const QTemporaryDir folder;
        AuditWriterThread thread(optionsFor(folder));
        const QSignalSpy opened(&thread, &AuditWriterThread::opened);
        const QSignalSpy lost(&thread, &AuditWriterThread::openFailed);
        const QSignalSpy begun(&thread, &AuditWriterThread::begun);
        thread.start();
        QTRY_COMPARE(opened.size(), 1);
        meet(folder, fate);
        QTRY_COMPARE(lost.size(), 1);
        QCOMPARE(lost.first().first().value<AuditError>().code, Code::Replaced);
        QTRY_COMPARE(opened.size(), 2);
        thread.begin(test::allowedEvent(1, thisRunner()));
        QTRY_COMPARE(begun.size(), 1);
        const auto reader = AuditReader::open(databaseIn(folder));
        QVERIFY(reader);
        QCOMPARE((*reader)->totals()->rows, std::int64_t{1});
    }

    void a_record_that_is_found_damaged_is_said_to_be_until_another_stands_there()
    {
        const QTemporaryDir folder;
        {
            const auto writer = AuditWriter::open(optionsFor(folder));
            QVERIFY(writer);
            for (std::uint64_t i = 1; i <= 200; ++i)
                QVERIFY((*writer)->append(test::deniedEvent(i)));
        }
        AuditWriterThread thread(optionsFor(folder));
        const QSignalSpy opened(&thread, &AuditWriterThread::opened);
        const QSignalSpy lost(&thread, &AuditWriterThread::openFailed);
        const QSignalSpy failed(&thread, &AuditWriterThread::failed);
        thread.start();
        QTRY_COMPARE(opened.size(), 1);
        QFile file(QString::fromStdString(databaseIn(folder)));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.seek(4096));
        file.write(QByteArray(file.size() - 4096, '\xee'));
        file.close();
        thread.begin(test::allowedEvent(301, thisRunner()));
        QTRY_COMPARE(lost.size(), 1);
        QCOMPARE(lost.first().first().value<AuditError>().code, Code::Corrupt);
        thread.begin(test::allowedEvent(302, thisRunner()));
        QTRY_COMPARE(failed.size(), 2);
        QCOMPARE(opened.size(), 1);
        meet(folder, Fate::Removed);
        QTRY_COMPARE(opened.size(), 2);
        const QSignalSpy begun(&thread, &AuditWriterThread::begun);
        thread.begin(test::allowedEvent(303, thisRunner()));
        QTRY_COMPARE(begun.size(), 1);
    }

    void the_next_record_has_the_configuration_in_force_and_the_engine_too()
    {
        const QTemporaryDir folder;
        AuditWriterThread thread(optionsFor(folder));
        const QSignalSpy opened(&thread, &AuditWriterThread::opened);
        const QSignalSpy written(&thread, &AuditWriterThread::written);
        thread.start();
        thread.storeConfiguration("sha256:old", "text of before", 1);
        thread.storeConfiguration("sha256:aa", "text in force", 2);
        thread.heartbeat({"1:2:3", "sha256:aa", "0.1.0", "console", 2});
        QTRY_COMPARE(written.size(), 3);
        meet(folder, Fate::Removed);
        QTRY_COMPARE(opened.size(), 2);
        const auto reader = AuditReader::open(databaseIn(folder));
        QVERIFY(reader);
        QCOMPARE((*reader)->configuration("sha256:aa"), std::string("text in force"));
        QVERIFY(!(*reader)->configuration("sha256:old"));
        QCOMPARE((*reader)->heartbeats()->size(), std::size_t{1});
        QCOMPARE((*reader)->heartbeats()->front().configDigest, std::string("sha256:aa"));
    }

    void the_thread_waits_for_what_runs_before_it_takes_another_record()
    {
        const QTemporaryDir folder;
        AuditWriterThread thread(optionsFor(folder));
        const QSignalSpy opened(&thread, &AuditWriterThread::opened);
        const QSignalSpy lost(&thread, &AuditWriterThread::openFailed);
        const QSignalSpy begun(&thread, &AuditWriterThread::begun);
        const QSignalSpy failed(&thread, &AuditWriterThread::failed);
        thread.start();
        thread.begin(test::allowedEvent(1, thisRunner()));
        QTRY_COMPARE(begun.size(), 1);
        meet(folder, Fate::Replaced);
        QTRY_COMPARE(lost.size(), 1);
        thread.begin(test::allowedEvent(2, thisRunner()));
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(opened.size(), 1);
        record::Ending ending;
        ending.exitCode = 0;
        thread.finish(begun.first().at(1).toLongLong(), ending, {});
        QTRY_COMPARE(failed.size(), 2); // written where the row is, and said
        QTRY_COMPARE(opened.size(), 2);
        const auto moved = AuditReader::open(folder.filePath(QStringLiteral("other.db")).toStdString());
        QVERIFY(moved);
        QCOMPARE((*moved)->event(1)->outcome, Outcome::Exited);
    }
};

QTEST_GUILESS_MAIN(TstAuditReplaced)
#include "tst_audit_replaced.moc"
