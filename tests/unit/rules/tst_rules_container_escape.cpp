// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "ls /var/run/docker.sock",
    "curl --unix-socket /var/run/docker.sock http://localhost/version",
    "curl --unix-socket=/run/docker.sock http://d/",
    "curl --unix-socket /var/run/doc*.sock http://d/",
    "curl --unix-socket /var/run/d*.sock http://d/",
    "curl --unix-socket /run/*.sock http://d/",
    "ls /run/podman/*",
    "cd /var/run && curl --unix-socket *.sock http://d/",
    "curl --unix-socket /run/../run/docker.sock http://d/",
    "S=/var/run/docker.sock; curl --unix-socket $S http://d/",
    "python3 x.py --sock unix:///var/run/docker.sock",
    "docker -H unix:///var/run/docker.sock ps",
    "docker --host=tcp://x:2375 ps",
    "DOCKER_HOST=tcp://x:2375 docker ps",
    "export DOCKER_HOST=unix:///x",
    "podman --remote ps",
    "docker run --privileged x",
    "docker run -it --pid=host x",
    "docker run --net host x",
    "docker run -v /:/h x",
    "docker run -v /etc:/e:ro x",
    "docker run --volume=/root:/r x",
    "docker run --security-opt seccomp=unconfined x",
    "docker run --cap-add=ALL x",
    "docker run --device /dev/sda x",
    "echo x > /proc/sys/kernel/core_pattern",
    "echo 1 >/proc/sys/vm/drop_caches",
    "echo x | tee /proc/sys/kernel/modprobe",
    "cd /proc/sys/kernel && echo x > core_pattern",
    "sysctl -w vm.x=1",
    "sysctl kernel.core_pattern=x",
    "echo 1 > /sys/kernel/x",
    "echo x > /sys/fs/cgroup/x/release_agent",
    "echo $$ > /sys/fs/cgroup/x/cgroup.procs",
    "cat /proc/1/root/etc/passwd",
    "ls /proc/1/cwd",
    "cat /proc/self/root/etc/passwd",
    "ls -l /proc/1234/fd/",
    "cat /proc/1/mem",
    "dd if=/proc/kcore of=x",
    "cp x /proc/sys/fs/binfmt_misc/register",
    "debugfs /dev/sda1",
    "ctr -n k8s.io containers ls",
    "runc exec x sh",
    "dd if=/dev/sda of=x",
};

constexpr const char *allowed[] = {
    "docker ps",
    "ls *",
    "ls ./*",
    "ls -d */",
    "cat */*",
    "git add *",
    "cp * out/",
    "chmod 644 *",
    "ls -la *.sock",
    "ls run/*.sock",
    "ls *agent c* d*",
    "tar czf x.tgz *",
    "sha256sum ./*",
    "docker images",
    "docker build -t x .",
    "docker run --rm alpine ls",
    "docker run -v \"$PWD\":/w alpine ls",
    "docker compose up -d",
    "docker logs web",
    "podman ps",
    "cat /proc/cpuinfo",
    "cat /proc/meminfo",
    "cat /proc/self/status",
    "cat /proc/loadavg",
    "ls /sys/class/net",
    "cat /sys/class/thermal/thermal_zone0/temp",
    "sysctl -a",
    "sysctl kernel.ostype",
    "cat /proc/sys/kernel/hostname",
    "echo /var/run/docker.sock",
    "grep docker.sock compose.yml",
    "sed -n '/docker.sock/p' x",
    "ls /dev",
    "lsblk",
    "df -h",
    "stat /proc/self",
    "head -c 10 /dev/urandom",
};

} // namespace

class TstRulesContainerEscape : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("container_escape")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesContainerEscape)
#include "tst_rules_container_escape.moc"
