// SPDX-License-Identifier: Apache-2.0

// Who else can change a record, and whether it is whole.

#include "runner/audit/audit_check.h"
#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/audit_events.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using namespace portcullis;
using namespace portcullis::audit;

namespace {

/// A record with some pages in a folder of its own.
class Place
{
public:
    Place()
    {
        const auto writer = AuditWriter::open({.path = path()});
        for (std::uint64_t n = 1; writer && n <= 200; ++n)
            m_good = (*writer)->begin(test::allowedEvent(n, thisRunner())).has_value();
    }
    [[nodiscard]] bool isGood() const { return m_good; }
    [[nodiscard]] std::string folder() const { return m_dir.path().toStdString(); }
    [[nodiscard]] std::string path() const { return folder() + "/audit.db"; }

private:
    QTemporaryDir m_dir;
    bool m_good = false;
};

std::string_view openingGives(const std::string &path)
{
    const auto writer = AuditWriter::open({.path = path});
    return writer ? "opened" : nameOf(writer.error().code);
}

} // namespace

class TstAuditTrust : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_record_that_others_can_change_is_not_written_data()
    {
        QTest::addColumn<uint>("fileMode");
        QTest::addColumn<uint>("folderMode");
        QTest::addColumn<QByteArray>("opening");
        QTest::newRow("ours alone") << 0600U << 0700U << QByteArray("opened");
        QTest::newRow("others may read it") << 0644U << 0755U << QByteArray("opened");
        QTest::newRow("others may make files in its folder, and remove only their own")
            << 0600U << 01777U << QByteArray("opened");
        QTest::newRow("its group may write it") << 0660U << 0700U << QByteArray("not_trusted");
        QTest::newRow("everybody may write it") << 0666U << 0700U << QByteArray("not_trusted");
        QTest::newRow("its group may replace it") << 0600U << 0770U << QByteArray("not_trusted");
        QTest::newRow("everybody may replace it") << 0600U << 0777U << QByteArray("not_trusted");
    }
    void a_record_that_others_can_change_is_not_written()
    {
        QFETCH(uint, fileMode);
        QFETCH(uint, folderMode);
        const Place place;
        QVERIFY(place.isGood());
        QCOMPARE(::chmod(place.path().c_str(), fileMode), 0);
        QCOMPARE(::chmod(place.folder().c_str(), folderMode), 0);
        QTEST(QByteArray(openingGives(place.path()).data()), "opening");
        QVERIFY2(AuditReader::open(place.path()), "it can still be read");
    }

    void a_record_of_another_user_is_not_written()
    {
        if (::geteuid() != 0)
            QSKIP("only root can give a file away");
        const Place place;
        QCOMPARE(::chown(place.path().c_str(), 43219, 43219), 0);
        QCOMPARE(openingGives(place.path()), "not_trusted");
    }

    void a_whole_record_is_sound()
    {
        const Place place;
        const auto health = checkRecord(place.path());
        QVERIFY(health && *health == RecordHealth::Sound);
        const auto unchecked = checkRecord(place.path(), 1000);
        QVERIFY(unchecked && *unchecked == RecordHealth::NotChecked);
        QVERIFY(!checkRecord(place.path() + "-none"));
    }

    void damage_in_any_page_is_found()
    {
        const Place place;
        QFile file(QString::fromStdString(place.path()));
        QVERIFY(file.open(QIODevice::ReadWrite));
        QVERIFY(file.size() > 65'536);
        for (qint64 at = 32'768; at + 4096 < file.size(); at += 4096) { // the first pages are read when it is opened
            QVERIFY(file.seek(at));
            QCOMPARE(file.write(QByteArray(4096, '\x5a')), 4096);
        }
        file.close();
        const auto health = checkRecord(place.path());
        QVERIFY(health && *health == RecordHealth::Damaged);
    }
};

QTEST_GUILESS_MAIN(TstAuditTrust)
#include "tst_audit_trust.moc"
