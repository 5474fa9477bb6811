// SPDX-License-Identifier: Apache-2.0
#include "runner/plan/cgroups.h"

#include <QTest>

#include <algorithm>

using namespace portcullis::plan;
using namespace Qt::Literals::StringLiterals;

namespace {

/// `hierarchy folder` of each group, in order.
QByteArray placesOf(const std::vector<Cgroup> &groups)
{
    QByteArray out;
    for (const Cgroup &group : groups)
        out += QByteArray::fromStdString(group.hierarchy) + ' ' + QByteArray::fromStdString(group.folder) + '\n';
    return out;
}

bool hasLimit(const Cgroup &group, std::string_view name)
{
    return std::ranges::contains(group.limits, name);
}

} // namespace

/// Which control groups a process is in, from what the kernel says of it.
class TstCgroups : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void finds_the_own_folder_of_each_hierarchy_data()
    {
        QTest::addColumn<QByteArray>("groups");
        QTest::addColumn<QByteArray>("mounts");
        QTest::addColumn<QByteArray>("places");

        const QByteArray unified = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
        const QByteArray memory = "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n";
        QTest::newRow("version 2, a service") << "0::/system.slice/gw.service\n"_ba << unified
                                              << "/sys/fs/cgroup /sys/fs/cgroup/system.slice/gw.service\n"_ba;
        QTest::newRow("version 2, a namespace of its own")
            << "0::/\n"_ba << unified << "/sys/fs/cgroup /sys/fs/cgroup\n"_ba;
        QTest::newRow("version 1") << "4:memory:/a/b\n3:cpu,cpuacct:/c\n2:devices:/d\n"_ba
                                   << memory
                + "36 31 0:33 / /sys/fs/cgroup/cpu,cpuacct rw shared:9 master:2 - cgroup cgroup rw,cpu,cpuacct\n"
                  "37 31 0:34 / /sys/fs/cgroup/devices rw - cgroup cgroup rw,devices\n"
                                   << "/sys/fs/cgroup/memory /sys/fs/cgroup/memory/a/b\n"
                                      "/sys/fs/cgroup/cpu,cpuacct /sys/fs/cgroup/cpu,cpuacct/c\n"_ba;
        QTest::newRow("version 1, the own folder is what is mounted, as in a container")
            << "4:memory:/docker/ab12\n"_ba
            << "35 31 0:32 /docker/ab12 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"_ba
            << "/sys/fs/cgroup/memory /sys/fs/cgroup/memory\n"_ba;
        QTest::newRow("version 1, a group below what is mounted")
            << "4:memory:/docker/ab12/inner\n"_ba
            << "35 31 0:32 /docker/ab12 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n"_ba
            << "/sys/fs/cgroup/memory /sys/fs/cgroup/memory/inner\n"_ba;
        QTest::newRow("both versions beside each other") << "9:name=systemd:/s\n4:memory:/m\n0::/u\n"_ba
                                                         << memory
                + "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
                  "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"
                                                         << "/sys/fs/cgroup/memory /sys/fs/cgroup/memory/m\n"
                                                            "/sys/fs/cgroup/unified /sys/fs/cgroup/unified/u\n"_ba;
        QTest::newRow("a colon and a space in the name")
            << "0::/a b:c\n"_ba << unified << "/sys/fs/cgroup /sys/fs/cgroup/a b:c\n"_ba;
        QTest::newRow("a space where it is mounted, as the kernel writes it")
            << "0::/a b/c\n"_ba << "30 23 0:26 /a\\040b /sys/fs/cgroup/d\\040e rw - cgroup2 cgroup2 rw\n"_ba
            << "/sys/fs/cgroup/d e /sys/fs/cgroup/d e/c\n"_ba;
        QTest::newRow("the same place twice")
            << "0::/x\n"_ba << unified + unified << "/sys/fs/cgroup /sys/fs/cgroup/x\n"_ba;

        const QByteArray none;
        QTest::newRow("outside of what is mounted")
            << "0::/other\n"_ba << "30 23 0:26 /mine /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"_ba << none;
        QTest::newRow("a name that begins like what is mounted")
            << "0::/mine2\n"_ba << "30 23 0:26 /mine /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"_ba << none;
        QTest::newRow("moved out of its namespace") << "0::/../other\n"_ba << unified << none;
        QTest::newRow("what is mounted lies outside of its namespace")
            << "0::/\n"_ba << "30 23 0:26 /../.. /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"_ba << none;
        QTest::newRow("mounted somewhere else")
            << "0::/x\n"_ba << "30 23 0:26 / /srv/cgroup rw - cgroup2 cgroup2 rw\n"_ba << none;
        QTest::newRow("a file system of another kind with such a name")
            << "0::/x\n"_ba << "30 23 0:26 / /sys/fs/cgroup rw - tmpfs cgroup2 rw\n"_ba << none;
        QTest::newRow("in no group of that hierarchy") << "3:cpu:/x\n"_ba << memory << none;
        QTest::newRow("nothing is mounted") << "0::/x\n"_ba << "23 1 8:1 / / rw - ext4 /dev/vda rw\n"_ba << none;
        QTest::newRow("cut short") << "0::/x\n4:mem"_ba
                                   << "30 23 0:26 / /sys/fs/cgroup - cgroup2\n30 23 - cgroup2 cgroup2 rw"_ba << none;
        QTest::newRow("empty") << none << none << none;
    }
    void finds_the_own_folder_of_each_hierarchy()
    {
        QFETCH(QByteArray, groups);
        QFETCH(QByteArray, mounts);
        QFETCH(QByteArray, places);
        QCOMPARE(placesOf(cgroupsOf(groups.toStdString(), mounts.toStdString())), places);
    }

    void names_the_limits_of_its_version_and_nothing_else()
    {
        const auto groups = cgroupsOf("4:memory:/m\n3:cpu,cpuacct:/c\n2:cpuset:/\n0::/u\n",
                                      "35 31 0:32 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
                                      "36 31 0:33 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n"
                                      "37 31 0:34 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                                      "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n");
        QCOMPARE(groups.size(), 4U);
        QVERIFY(hasLimit(groups[0], "memory.limit_in_bytes") && !hasLimit(groups[0], "cpu.cfs_quota_us"));
        QVERIFY(hasLimit(groups[1], "cpu.cfs_quota_us") && hasLimit(groups[1], "cpu.cfs_period_us"));
        QVERIFY(hasLimit(groups[2], "cpuset.cpus"));
        for (const char *name : {"memory.max", "memory.high", "cpu.max", "pids.max"})
            QVERIFY(hasLimit(groups[3], name));
        for (const Cgroup &group : groups) {
            QCOMPARE(group.second, group.hierarchy == "/sys/fs/cgroup/unified");
            QVERIFY(!hasLimit(group, "cgroup.procs") && !hasLimit(group, "tasks"));
        }
    }
};

QTEST_GUILESS_MAIN(TstCgroups)
#include "tst_cgroups.moc"
