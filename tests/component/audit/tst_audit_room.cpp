// SPDX-License-Identifier: Apache-2.0

// A device that somebody has filled: what its reserve is for, and when it is taken again.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"
#include "tests/support/must_work.h"
#include "tests/support/record_options.h"
#include "tests/support/small_mount.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

class TstAuditRoom : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// On a device that somebody has filled the room of the reserve stays for rows.
    void a_reserve_that_was_given_up_is_taken_again_when_there_is_room_for_it_and_the_floor()
    {
        QTemporaryDir folder;
        const test::SmallMount device(folder.path().toStdString(), 16 << 10);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        const WriterOptions options = test::recordIn(folder, 2 << 20);
        const QString reserve = QString::fromStdString(options.path) + QStringLiteral("-reserve");
        const QString ballast = folder.filePath(QStringLiteral("ballast"));
        QVERIFY(AuditWriter::open(options));
        QVERIFY(QFile::exists(reserve));
        device.fill("ballast");
        // Nothing is left even for the log of SQLite: opening gives the reserve up.
        for (std::uint64_t n = 1; n <= 10; ++n) {
            auto writer = AuditWriter::open(options);
            QVERIFY2(writer, nameOf(writer ? Code::Io : writer.error().code).data());
            const auto row = (*writer)->begin(test::allowedEvent(n, thisRunner()));
            QVERIFY(row);
            QVERIFY((*writer)->finish(*row, {}));
            QVERIFY(!QFile::exists(reserve));
        }
        // Room for the reserve, not for the floor as well (a sixteenth).
        QVERIFY(QFile::resize(ballast, QFileInfo(ballast).size() - (512 << 10)));
        QVERIFY(AuditWriter::open(options));
        QVERIFY(!QFile::exists(reserve));
        QVERIFY(QFile::resize(ballast, QFileInfo(ballast).size() - (4 << 20)));
        QVERIFY(AuditWriter::open(options));
        QVERIFY(QFile::exists(reserve));
    }

    void on_a_full_device_only_what_may_make_room_takes_that_of_the_reserve()
    {
        QTemporaryDir folder;
        const test::SmallMount device(folder.path().toStdString(), 8 << 10);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        const WriterOptions options = test::recordIn(folder);
        const QString reserve = QString::fromStdString(options.path) + QStringLiteral("-reserve");
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        QVERIFY((*writer)->append(test::deniedEvent(1)));
        device.fill("ballast");
        std::uint64_t n = 10;
        while ((*writer)->begin(test::bigEvent(n, thisRunner()))
               && n < 200) // the log file may have had a little room left
            ++n;
        QCOMPARE((*writer)->begin(test::bigEvent(300, thisRunner())).error().code, Code::Full);
        QVERIFY(QFile::exists(reserve));
        record::Event operators = test::bigEvent(301, thisRunner());
        operators.origin = Origin::Operator;
        const auto row = (*writer)->begin(operators);
        QVERIFY(row);
        QVERIFY((*writer)->finish(*row, {}));
        QVERIFY(!QFile::exists(reserve));
    }

    void pruning_works_without_a_free_byte_and_records_itself_data()
    {
        QTest::addColumn<bool>("opened"); // again, on the full device
        QTest::addColumn<bool>("byAge");
        QTest::newRow("by size") << false << false;
        QTest::newRow("by age") << false << true;
        QTest::newRow("by size, opened when nothing was free") << true << false;
        QTest::newRow("by age, opened when nothing was free") << true << true;
    }

    void pruning_works_without_a_free_byte_and_records_itself()
    {
        QFETCH(bool, opened);
        QFETCH(bool, byAge);
        QTemporaryDir folder;
        const test::SmallMount device(folder.path().toStdString(), 48 << 10);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        const WriterOptions options = test::recordIn(folder, 6 << 20);
        auto writer = AuditWriter::open(options);
        QVERIFY(writer);
        for (std::uint64_t n = 1; n <= 600; ++n) {
            record::Event event = test::bigEvent(n, {});
            event.outcome = Outcome::Exited;
            QVERIFY((*writer)->append(event, {std::string(10'000, 'o'), {}, 0, 0}));
        }
        if (opened)
            writer->reset();
        device.fill("ballast");
        if (opened) {
            writer = AuditWriter::open(options);
            QVERIFY(writer);
        }
        record::Event entry = test::allowedEvent(1000, thisRunner());
        entry.origin = Origin::Operator;
        const PruneOrder order = byAge ? PruneOrder{.beforeUs = test::deniedEvent(500).timeUs, .maxBytes = {}}
                                       : PruneOrder{.beforeUs = {}, .maxBytes = 2 << 20};
        const auto pruned = (*writer)->prune(order, entry);
        QVERIFY2(pruned, pruned ? "" : nameOf(pruned.error().code).data());
        QVERIFY2(byAge ? pruned->rows == 499 : pruned->rows > 400,
                 QByteArray::number(qint64(pruned->rows)).constData());
        QVERIFY(pruned->bytesAfter < pruned->bytesBefore / 2);
        const auto reader = AuditReader::open(options.path);
        QVERIFY(reader);
        const auto rows = (*reader)->page({}, 0, 1000);
        QVERIFY(rows);
        QCOMPARE(static_cast<std::int64_t>(rows->size()), 601 - pruned->rows);
        QVERIFY(rows->back().kind == record::Kind::Prune);
        QCOMPARE(rows->back().outcome, Outcome::Exited);
        // There is room again, also for the reserve.
        QVERIFY((*writer)->begin(test::bigEvent(1001, thisRunner())));
        QVERIFY(QFile::exists(QString::fromStdString(options.path) + QStringLiteral("-reserve")));
    }
};

QTEST_GUILESS_MAIN(TstAuditRoom)
#include "tst_audit_room.moc"
