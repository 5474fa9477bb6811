// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "LD_LIBRARY_PATH=build sudo ls",
    "systemd-nspawn -D /",
    "bwrap --bind / / sh",
    "nsenter -t 1 -m sh",
    "mount --bind / x",
    "sudo id",
    "sudo -u root -- id",
    "sudo -i",
    "su - root",
    "su -c id",
    "doas id",
    "pkexec id",
    "runuser -u root id",
    "/usr/bin/sudo id",
    "\\sudo id",
    "\"su\"do id",
    "s${x}udo id",
    "sudo",
    "command sudo id",
    "exec sudo id",
    "nice sudo id",
    "env A=1 sudo id",
    "FOO=bar sudo id",
    "echo x | sudo tee /etc/x",
    "(sudo id)",
    "! sudo id",
    "time sudo id",
    "while sudo id; do :; done",
    "case x in x) sudo id;; esac",
    "f() { sudo id; }; f",
    "echo $(sudo id)",
    "ls `sudo id`",
    "cat <(sudo id)",
    "sh -c 'sudo id'",
    "bash -c \"su'd'o id\"",
    "eval 'sudo id'",
    "echo 'sudo id' | sh",
    "xargs sudo < x",
    "echo id | xargs sudo",
    "find . -exec sudo ls {} \\;",
    "parallel sudo ::: id",
    "watch -n1 sudo id",
    "ssh-agent sudo id",
    "python3 -c 'import os; os.system(\"sudo id\")'",
    "python3 -c 'import subprocess; subprocess.run([\"sudo\",\"id\"])'",
    "perl -e 'system(\"sudo id\")'",
    "ruby -e '`sudo id`'",
    "node -e 'require(\"child_process\").execSync(\"sudo id\")'",
    "vim -c '!sudo id'",
    "unshare -r sh",
    "nsenter --target 1 --mount",
    "chroot / sh",
    "mount -t tmpfs x /mnt",
    "umount /mnt",
    "setcap cap_setuid+ep x",
    "capsh --",
    "systemd-run --scope id",
    "modprobe x",
    "useradd x",
    "passwd root",
    "echo x >> /etc/passwd",
    "mywrap sudo id",
    "flock x sudo id",
    "gosu root id",
    "sudoedit /etc/hosts",
};

constexpr const char *allowed[] = {
    "grep sudo /etc/group",
    "echo \"use sudo\"",
    "man sudo",
    "which sudo",
    "type su",
    "cat sudo.txt",
    "ls su",
    "git commit -m \"drop sudo\"",
    "git log --author=su",
    "mount",
    "mount | grep /tmp",
    "findmnt /",
    "python3 -c \"print('sudo')\"",
    "echo 'sudo id' > s.sh",
    "cat <<E > s.sh\nsudo id\nE",
    "sed 's/sudo //' s.sh",
    "grep -q mount x",
    "rg 'unshare|nsenter' src",
    "docker run --user 1000 alpine",
    "capsh.txt 2>/dev/null || true",
    "ls -l /usr/bin/sudo",
    "test -x /usr/bin/sudo",
    "command -v sudo",
    "apt list sudo",
    "pip show sudo",
    "npm run su",
    "kubectl get pods -n sudo",
};

} // namespace

class TstRulesPrivilegeEscalation : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("privilege_escalation")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesPrivilegeEscalation)
#include "tst_rules_privilege_escalation.moc"
