// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "kill -09 42",
    "kill -s 09 42",
    "kill 42 --signal 9",
    "kill -TERM -01",
    "kill -9 1234",
    "kill -KILL 1234",
    "kill -SIGKILL 1234",
    "kill -s KILL 1234",
    "kill -s SIGKILL 1234",
    "kill -s 9 1234",
    "kill -n 9 1234",
    "kill -sKILL 1234",
    "/bin/kill -9 1234",
    "command kill -9 1",
    "kill -9 -1",
    "kill -- -1",
    "kill -TERM -1",
    "kill -s TERM -1",
    "kill -15 -1",
    "kill 1",
    "kill -9 $(pgrep x)",
    "kill $(pidof x)",
    "pgrep x | xargs kill",
    "pgrep x | xargs kill -9",
    "ps aux | grep x | awk '{print $2}' | xargs kill",
    "pkill x",
    "pkill -9 -f x",
    "killall x",
    "killall -9 x",
    "/usr/bin/pkill x",
    "pk''ill x",
    "sh -c 'pkill x'",
    "find . -exec pkill x \\;",
    "fuser -k 80/tcp",
    "fuser --kill x",
    "kill -\"9\" 1",
    "K=-9; kill $K 1234",
    "python3 -c 'import os,signal; os.kill(1,signal.SIGKILL)'",
    "python3 -c 'import subprocess; subprocess.run([\"pkill\",\"x\"])'",
    "gdb -p 1",
    "strace -p 1",
};

constexpr const char *allowed[] = {
    "kill -15 42",
    "kill -015 42",
    "kill 1234",
    "kill -0 1234",
    "kill -TERM 1234",
    "kill -15 1234",
    "kill -INT $!",
    "kill %1",
    "kill -l",
    "kill -HUP 1234",
    "kill -1 1234",
    "kill -s USR1 1234",
    "kill $!",
    "sleep 10 & kill $!",
    "pgrep x",
    "pidof x",
    "ps aux",
    "top -b -n1",
    "echo kill -9 1",
    "grep killall x",
    "git commit -m 'pkill'",
    "man kill",
    "timeout -s KILL 5 make",
    "timeout -k 5 10 make",
    "jobs",
    "wait",
    "trap 'echo x' TERM",
    "docker kill web",
    "nice -n 5 make",
    "strace ls",
};

} // namespace

class TstRulesProcessControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("process_control")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesProcessControl)
#include "tst_rules_process_control.moc"
