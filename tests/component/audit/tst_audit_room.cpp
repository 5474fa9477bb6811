// SPDX-License-Identifier: Apache-2.0

// A device that somebody has filled: what its reserve is for, and when it is taken again.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"
#include "tests/support/must_work.h"
#include "tests/support/small_mount.h"

#include <QFile>
#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

namespace {

/// With all rows of dead runners closed; they have left nothing.
WriterOptions optionsFor(const QTemporaryDir &folder)
{
    return {.path = folder.filePath(QStringLiteral("audit.db")).toStdString(),
            .busyMilliseconds = 300,
            .reserveBytes = 256 * 1024,
            .endRun = [](const std::string &) { return 0; }};
}

} // namespace

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
        WriterOptions options = optionsFor(folder);
        options.reserveBytes = 2 << 20;
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
        const WriterOptions options = optionsFor(folder);
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
};

QTEST_GUILESS_MAIN(TstAuditRoom)
#include "tst_audit_room.moc"
