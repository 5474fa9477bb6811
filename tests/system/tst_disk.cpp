// SPDX-License-Identifier: Apache-2.0

// A tenant that fills the disk: it is stopped and told why, others go on, and all of it is recorded.

#include "tests/support/look.h"
#include "tests/support/must_work.h"
#include "tests/support/small_mount.h"

#include <QFileInfo>
#include <QTest>

#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace portcullis::test;

namespace {

QByteArray policy(const QByteArray &tenant, const QByteArray &freeBytes)
{
    return "{ version: 1, tenant: '" + tenant + "', limits: { free_bytes: " + freeBytes
        + " }, deny_groups: { destructive_ops: false } }";
}

/// Rows of the record, newest first, as text.
QByteArray recorded(const Gateway &gateway)
{
    return gateway.runner({u"log"_s, u"--json"_s}).out;
}

/// Takes all room of a file system by fallocate(2), for the tenant.
void allocateAll(const QString &path)
{
    QFile file(path);
    if (!file.open(QIODevice::WriteOnly))
        return;
    for (off_t step = 64 << 20, at = 0; step >= 4096; step /= 2) {
        while (::posix_fallocate(file.handle(), at, step) == 0)
            at += step;
    }
    (void)!::fchown(file.handle(), Gateway::owner(), Gateway::owner());
}

constexpr QStringView fill = u"while :; do head -c 500000 /dev/zero >> big; sleep 0.02; done";

/// The path of a folder whose owner's commands may pass through it.
QString passable(const QTemporaryDir &folder)
{
    ::chmod(QFile::encodeName(folder.path()).constData(), 0711);
    return folder.path();
}

/// A gateway with data dir, workspaces and record on one small file system.
struct CommonDisk {
    QTemporaryDir folder;
    SmallMount small{passable(folder).toStdString(), 96 << 10};
    Gateway gateway{passable(folder)}; // again: the root of the new file system has a mode of its own
};

} // namespace

class TstDisk : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { PORTCULLIS_REQUIRE(::geteuid() == 0, "only root can mount a small file system"); }

    void a_tenant_that_fills_its_own_file_system_stops_nobody_else_data() { addWallRows(); }
    void a_tenant_that_fills_its_own_file_system_stops_nobody_else()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const QString workspace = gateway.tenantWorkspace(u"acme"_s);
        const SmallMount small(workspace.toStdString(), 32 << 10);
        PORTCULLIS_REQUIRE(small.works(), "no small file system can be mounted");
        QVERIFY(::chown(QFile::encodeName(workspace).constData(), Gateway::owner(), Gateway::owner()) == 0);
        gateway.setPolicy(u"acme"_s, policy("acme", "16777216"));

        const Done filling = gateway.exec(fill.toString());
        QCOMPARE(filling.exitCode, 128 + SIGKILL);
        QVERIFY2(filling.err.contains("limits.free_bytes"), filling.err.constData());
        const Done again = gateway.exec(u"echo ran"_s);
        QVERIFY2(again.exitCode == 71 && again.out.isEmpty(), (again.out + again.err).constData());
        QVERIFY2(again.err.contains("limits.free_bytes") && again.err.contains(QFile::encodeName(workspace)),
                 again.err.constData());
        const Done other = gateway.exec(u"echo ran"_s, {}, u"globex"_s);
        QVERIFY2(other.exitCode == 0 && other.out == "ran\n", (other.out + other.err).constData());

        const Done operators = gateway.exec(u"rm big"_s, {u"--origin"_s, u"operator"_s});
        QVERIFY2(operators.exitCode == 0, (operators.out + operators.err).constData());
        QCOMPARE(gateway.exec(u"echo ran"_s).out, QByteArray("ran\n"));

        const QByteArray rows = recorded(gateway);
        QCOMPARE(rows.count('\n'), 5);
        QVERIFY2(rows.contains("room_exceeded") && rows.contains("free_space"), rows.constData());
    }

    void a_tenant_that_makes_files_without_end_stops_nobody_else_data() { addWallRows(); }
    void a_tenant_that_makes_files_without_end_stops_nobody_else()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const QString workspace = gateway.tenantWorkspace(u"acme"_s);
        const SmallMount small(workspace.toStdString(), 32 << 10, 2000);
        PORTCULLIS_REQUIRE(small.works(), "no small file system can be mounted");
        QVERIFY(::chown(QFile::encodeName(workspace).constData(), Gateway::owner(), Gateway::owner()) == 0);
        gateway.setPolicy(u"acme"_s, policy("acme", "1048576"));

        const Done filling = gateway.exec(u"i=0; while :; do : > file$((i += 1)); sleep 0.002; done"_s);
        QCOMPARE(filling.exitCode, 128 + SIGKILL);
        QVERIFY2(filling.err.contains("fewer files"), filling.err.constData());
        const Done again = gateway.exec(u"echo ran"_s);
        QVERIFY2(again.exitCode == 71 && again.out.isEmpty(), (again.out + again.err).constData());
        QVERIFY2(again.err.contains("new files") && again.err.contains(QFile::encodeName(workspace)),
                 again.err.constData());
        const Done other = gateway.exec(u"echo ran > file; cat file"_s, {}, u"globex"_s);
        QVERIFY2(other.exitCode == 0 && other.out == "ran\n", (other.out + other.err).constData());
        QCOMPARE(gateway.exec(u"rm file*"_s, {u"--origin"_s, u"operator"_s}).exitCode, 0);
        QCOMPARE(gateway.exec(u"echo ran"_s).out, QByteArray("ran\n"));
        const QByteArray rows = recorded(gateway);
        QVERIFY2(rows.contains("files_exceeded") && rows.contains("free_files"), rows.constData());
    }

    /// Data dir, workspaces and record on one file system: the filler is stopped while there is room for the rest.
    void a_tenant_that_fills_the_common_file_system_leaves_room_for_others_and_the_record()
    {
        const CommonDisk disk;
        PORTCULLIS_REQUIRE(disk.small.works(), "no small file system can be mounted");
        const Gateway &gateway = disk.gateway;
        gateway.setPolicy(u"acme"_s, policy("acme", "33554432"));
        gateway.setPolicy(u"globex"_s, policy("globex", "1048576"));
        QCOMPARE(gateway.exec(fill.toString()).exitCode, 128 + SIGKILL);
        QCOMPARE(gateway.exec(u"echo ran"_s).exitCode, 71);
        const Done other = gateway.exec(u"echo ran; echo kept > file; cat file"_s, {}, u"globex"_s);
        QVERIFY2(other.exitCode == 0 && other.out == "ran\nkept\n", (other.out + other.err).constData());
        const QByteArray rows = recorded(gateway);
        QCOMPARE(rows.count('\n'), 3);
        QVERIFY2(rows.contains("\"exited\""), rows.constData());
    }

    /// Allocated at once, so that no look comes in time: the record goes on, and an operator makes room.
    void an_operator_makes_room_on_a_disk_that_a_tenant_has_filled_to_the_last_byte()
    {
        const CommonDisk disk;
        PORTCULLIS_REQUIRE(disk.small.works(), "no small file system can be mounted");
        const Gateway &gateway = disk.gateway;
        gateway.setPolicy(u"acme"_s, policy("acme", "33554432"));
        gateway.setPolicy(u"globex"_s, policy("globex", "0"));
        QCOMPARE(gateway.exec(u"echo ran"_s).out, QByteArray("ran\n")); // its folders and the record are there
        const QString big = gateway.tenantWorkspace(u"acme"_s) + u"/big"_s;
        allocateAll(big);
        QCOMPARE(gateway.exec(u"echo ran"_s).exitCode, 71);
        for (int i = 0; i < 5; ++i) {
            const Done other = gateway.exec(u"true"_s, {}, u"globex"_s);
            QVERIFY2(other.exitCode == 0, other.err.constData());
        }
        const Done operators = gateway.exec(u"rm big"_s, {u"--origin"_s, u"operator"_s});
        QVERIFY2(operators.exitCode == 0, (operators.out + operators.err).constData());
        QVERIFY(!QFile::exists(big));
        QCOMPARE(gateway.exec(u"echo ran"_s).out, QByteArray("ran\n"));
        QCOMPARE(recorded(gateway).count('\n'), 9);
        QVERIFY(QFile::exists(gateway.auditDb() + u"-reserve"_s)); // taken again
    }

    /// Nothing runs unrecorded, and what runs already is recorded to its end.
    void a_disk_that_is_full_to_the_last_byte_still_takes_the_end_of_a_run()
    {
        const CommonDisk disk;
        PORTCULLIS_REQUIRE(disk.small.works(), "no small file system can be mounted");
        const Gateway &gateway = disk.gateway;
        gateway.setPolicy(u"acme"_s, policy("acme", "0"));
        const Done filling = gateway.exec(u"cat /dev/zero > big; echo full"_s);
        QVERIFY2(filling.exitCode == 0 && filling.out == "full\n", (filling.out + filling.err).constData());
        const QByteArray rows = recorded(gateway);
        QVERIFY2(rows.contains("\"exited\""), rows.constData());
        QVERIFY(QFile::remove(gateway.tenantWorkspace(u"acme"_s) + u"/big"_s));
        QCOMPARE(gateway.exec(u"echo ran"_s, {}, u"globex"_s).exitCode, 71); // 128 MiB are more than it has at all
        gateway.setPolicy(u"globex"_s, policy("globex", "0"));
        QCOMPARE(gateway.exec(u"echo ran"_s, {}, u"globex"_s).out, QByteArray("ran\n"));
    }
};

QTEST_GUILESS_MAIN(TstDisk)
#include "tst_disk.moc"
