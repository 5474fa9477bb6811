// SPDX-License-Identifier: Apache-2.0

// A record that cannot be used, through the built runner: nothing runs unrecorded, and what is said leads somewhere.

#include "tests/support/gateway.h"
#include "tests/support/must_work.h"
#include "tests/support/small_mount.h"

#include <QFileInfo>
#include <QJsonDocument>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTest>

#include <functional>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace portcullis::test;

namespace {

constexpr int page = 4096;

void overwrite(const QString &path, qint64 from, qint64 to, const QByteArray &with)
{
    QFile file(path);
    QVERIFY(file.open(QIODevice::ReadWrite));
    file.seek(from);
    file.write(with.repeated((to - from) / with.size() + 1).left(to - from));
}

/// Another program does something with the record.
class OtherProgram
{
public:
    OtherProgram(const QString &path, const QStringList &statements)
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"other"_s);
        database.setDatabaseName(path);
        m_done = database.open();
        for (const QString &sql : statements)
            m_done = m_done && QSqlQuery(database).exec(sql);
    }
    ~OtherProgram() { QSqlDatabase::removeDatabase(u"other"_s); }
    OtherProgram(const OtherProgram &) = delete;
    OtherProgram &operator=(const OtherProgram &) = delete;
    [[nodiscard]] bool done() const { return m_done; }

private:
    bool m_done = false;
};

} // namespace

class TstRecordFaults : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;

    [[nodiscard]] bool ran(const char *file) const
    {
        return QFile::exists(m_gateway->tenantWorkspace(u"acme"_s) + u'/' + QLatin1String(file));
    }

    /// Rows that can be read; −1 when the record cannot.
    [[nodiscard]] int rows() const
    {
        const Done log = m_gateway->runner({u"log"_s, u"--json"_s});
        return log.exitCode == 0 ? static_cast<int>(log.out.count('\n')) : -1;
    }

    /// Every command that must write is refused in the same way.
    void refuses(const QByteArray &says, bool readable)
    {
        const Done exec = m_gateway->exec(u"touch ran"_s);
        QVERIFY2(exec.exitCode == 74, (QByteArray::number(exec.exitCode) + ' ' + exec.err).constData());
        QVERIFY2(exec.err.contains(says) && exec.err.contains(m_gateway->auditDb().toUtf8()), exec.err.constData());
        QVERIFY2(!exec.err.contains("denied: "), exec.err.constData()); // policy had nothing against it
        QVERIFY(!ran("ran"));
        const Done prune = m_gateway->runner({u"log"_s, u"prune"_s, u"--older-than"_s, u"400d"_s});
        QVERIFY2(prune.exitCode == 74 && prune.err.contains(says), prune.err.constData());
        const Done log = m_gateway->runner({u"log"_s});
        QCOMPARE(log.exitCode, readable ? 0 : 74);
        if (!readable)
            QVERIFY2(log.err.contains(says), log.err.constData());
    }

private Q_SLOTS:
    void init()
    {
        m_gateway = std::make_unique<Gateway>();
        QCOMPARE(m_gateway->exec(u"head -c 300000 /dev/zero"_s).exitCode, 0); // some pages
        QCOMPARE(m_gateway->exec(u"echo two"_s).exitCode, 0);
        QCOMPARE(rows(), 2);
    }

    void a_damaged_record_is_told_data()
    {
        QTest::addColumn<qint64>("from");
        QTest::addColumn<qint64>("to");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("the name of the format") << qint64{0} << qint64{16} << "is no record of this program"_ba;
        QTest::newRow("the header") << qint64{16} << qint64{100} << "is no record of this program"_ba;
        QTest::newRow("the first page but its header") << qint64{100} << qint64{page} << "is damaged"_ba;
        QTest::newRow("everything after the header page") << qint64{page} << qint64{-1} << "is damaged"_ba;
    }
    void a_damaged_record_is_told()
    {
        QFETCH(qint64, from);
        QFETCH(qint64, to);
        QFETCH(QByteArray, says);
        const QString path = m_gateway->auditDb();
        overwrite(path, from, to < 0 ? QFileInfo(path).size() : to, "\xee"_ba);
        refuses(says, false);
    }

    /// Whichever page is hit: the command is refused, or it runs and its row can be read.
    void damage_in_any_page_lets_nothing_run_unrecorded()
    {
        const QString path = m_gateway->auditDb();
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray sound = file.readAll();
        file.close();
        const qsizetype pages = sound.size() / page;
        QVERIFY(pages > 10);
        int refused = 0;
        for (qsizetype each = 1; each < pages; each += std::max<qsizetype>(1, pages / 24)) {
            QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
            file.write(sound);
            file.close();
            overwrite(path, each * page, (each + 1) * page, "\xee"_ba);
            const QByteArray name = "ran" + QByteArray::number(each);
            const Done done = m_gateway->exec(u"touch "_s + QString::fromLatin1(name));
            if (!ran(name.constData())) {
                QVERIFY2(done.exitCode == 74 && done.err.contains("is damaged"), done.err.constData());
                ++refused;
                continue;
            }
            const Done row =
                m_gateway->runner({u"log"_s, u"show"_s, u"--json"_s, done.result.value("id"_L1).toString()});
            QVERIFY2(row.out.contains("touch " + name), (row.err + done.err).constData());
        }
        QVERIFY(refused > 0);
    }

    void a_record_that_was_cut_is_told()
    {
        QVERIFY(QFile::resize(m_gateway->auditDb(), QFileInfo(m_gateway->auditDb()).size() / 2));
        refuses("is damaged", false);
    }

    /// There is nothing in it that could be kept; that a new one begins is said.
    void an_empty_file_becomes_a_new_record_and_that_is_said()
    {
        QVERIFY(QFile::resize(m_gateway->auditDb(), 0));
        const Done done = m_gateway->exec(u"touch ran"_s);
        QCOMPARE(done.exitCode, 0);
        QVERIFY2(done.err.contains("a new record was made at "), done.err.constData());
        QCOMPARE(rows(), 1);
    }

    /// What a damaged log had is gone with it (its frames carry checksums); the rest is sound and goes on.
    void a_damaged_log_costs_no_row_of_the_file()
    {
        const QString path = m_gateway->auditDb();
        const QString log = path + u"-wal"_s;
        {
            // As after a crash: rows in the log that are not in the file yet.
            const OtherProgram other(path, {u"PRAGMA wal_autocheckpoint = 0"_s, u"BEGIN"_s, u"SELECT * FROM events"_s});
            QVERIFY(other.done());
            QCOMPARE(m_gateway->exec(u"echo three"_s).exitCode, 0);
            QVERIFY(QFile::copy(path, path + u"-copy"_s));
            QVERIFY(QFile::copy(log, log + u"-copy"_s));
        }
        for (const QString &each : {path, log}) {
            QFile::remove(each);
            QVERIFY(QFile::rename(each + u"-copy"_s, each));
        }
        QVERIFY(QFileInfo(log).size() > 2 * page);
        overwrite(log, 100, 2 * page, "\xee"_ba);
        const Done done = m_gateway->exec(u"touch ran"_s);
        QVERIFY2(done.exitCode == 0, done.err.constData());
        QCOMPARE(rows(), 3);
        QVERIFY(ran("ran"));
    }

    void a_record_of_a_newer_version_is_left_alone()
    {
        const QString path = m_gateway->auditDb();
        QVERIFY(OtherProgram(path, {u"PRAGMA user_version = 99"_s}).done());
        refuses("was written by a newer version", false);
        QVERIFY(OtherProgram(path, {u"PRAGMA user_version = 1"_s}).done());
        QCOMPARE(rows(), 2); // nothing was changed in it
    }

    void a_record_that_another_program_holds_is_told()
    {
        const OtherProgram other(m_gateway->auditDb(), {u"BEGIN IMMEDIATE"_s});
        QVERIFY(other.done());
        refuses("is locked by another program", true);
    }

    void a_full_device_is_told()
    {
        const QString folder = m_gateway->root() + u"/small"_s;
        QVERIFY(QDir().mkpath(folder));
        const SmallMount device(folder.toStdString(), 16 << 10);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        m_gateway->setAuditDb(folder + u"/audit.db"_s);
        QCOMPARE(m_gateway->exec(u"touch first"_s).exitCode, 0);
        QFile::remove(m_gateway->auditDb() + u"-reserve"_s);
        device.fill("ballast");
        const Done done = m_gateway->exec(u"touch ran"_s);
        QVERIFY2(done.exitCode == 74 && done.err.contains("there is no room for the record"), done.err.constData());
        QVERIFY(ran("first") && !ran("ran"));
        const Done log = m_gateway->runner({u"log"_s, u"--json"_s});
        QVERIFY2(log.exitCode == 0 && log.out.count('\n') == 1, log.err.constData());
        QVERIFY(QFile::remove(folder + u"/ballast"_s));
        QCOMPARE(m_gateway->exec(u"touch ran"_s).exitCode, 0);
        QCOMPARE(rows(), 2);
    }

    void a_read_only_device_is_told_and_can_be_read()
    {
        const QString folder = m_gateway->root() + u"/small"_s;
        QVERIFY(QDir().mkpath(folder));
        const SmallMount device(folder.toStdString(), 32 << 10);
        PORTCULLIS_REQUIRE(device.works(), "cannot mount a tmpfs here");
        m_gateway->setAuditDb(folder + u"/audit.db"_s);
        QCOMPARE(m_gateway->exec(u"true"_s).exitCode, 0);
        QVERIFY(device.makeReadOnly());
        refuses("cannot be written", true);
        QCOMPARE(rows(), 1);
    }

    void an_archive_of_somebody_else_is_read_where_it_may_be_and_its_owner_is_named_where_not()
    {
        PORTCULLIS_REQUIRE(::geteuid() == 0, "needs root, to be somebody else");
        const QString folder = m_gateway->root() + u"/archive"_s;
        QVERIFY(QDir().mkpath(folder));
        const QByteArray archive = QFile::encodeName(folder + u"/audit.db"_s);
        QVERIFY(QFile::copy(m_gateway->auditDb(), QFile::decodeName(archive)));
        ::chmod(QFile::encodeName(folder).constData(), 0755);
        ::chmod(archive.constData(), 0644);
        const auto asOther = [&](const QStringList &words) {
            QProcess process;
            process.setChildProcessModifier([] {
                if (::setgid(Gateway::owner()) != 0 || ::setuid(Gateway::owner()) != 0)
                    ::_exit(99);
            });
            process.start(u"" TEST_BIN_DIR "/portcullis-runner"_s,
                          words + QStringList{u"--audit-db"_s, QFile::decodeName(archive)});
            process.waitForFinished(60'000);
            return Done{process.exitCode(), false, process.readAllStandardOutput(), process.readAllStandardError(), {}};
        };
        const Done log = asOther({u"log"_s, u"--json"_s});
        QVERIFY2(log.exitCode == 0 && log.out.count('\n') == 2, (log.out + log.err).constData());
        const Done prune = asOther({u"log"_s, u"prune"_s, u"--older-than"_s, u"1d"_s});
        QVERIFY2(prune.exitCode == 74 && prune.err.contains("cannot be written"), prune.err.constData());
        QCOMPARE(QDir(folder).entryList(QDir::Files), QStringList{u"audit.db"_s}); // nothing was made beside it
        ::chmod(archive.constData(), 0600);
        const Done closed = asOther({u"log"_s});
        QVERIFY2(closed.exitCode == 74 && closed.err.contains("it belongs to root"), closed.err.constData());
    }
};

QTEST_GUILESS_MAIN(TstRecordFaults)
#include "tst_record_faults.moc"
