// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "chmod =4755 x",
    "chmod +4000 x",
    "chmod +02000,u+x x",
    "mkdir -m =2755 x",
    "install -m 004755 x y",
    "perl -e 'chmod 04755,\"x\"'",
    "node -e \"require('fs').chmodSync('x',0o4755)\"",
    "chmod =777 /data/x",
    "chmod +111 /tmp/x",
    "chmod 777 /etc",
    "chmod -R 777 /",
    "chmod -R 777 /var",
    "chmod a=rwx /usr/bin/python3",
    "chmod o+w /etc/passwd",
    "chmod 666 /etc/shadow",
    "chmod --recursive 755 /opt/x",
    "chmod 0777 /srv/x",
    "chmod ugo+rwx /srv/x",
    "chmod u+s x",
    "chmod +s x",
    "chmod 4755 x",
    "chmod 06755 x",
    "chmod u=rwxs,g=rx x",
    "chmod g+s /usr/bin/x",
    "cd /etc && chmod 777 passwd",
    "find /etc -exec chmod 777 {} \\;",
    "chown root x /etc",
    "chown -R agent /usr",
    "chown -R agent:agent /data",
    "chgrp -R agent /var/log",
    "chattr +i /etc/hosts",
    "setfacl -m u:x:rwx /etc/shadow",
    "chmod +x /tmp/x",
    "chmod 755 /tmp/a && /tmp/a",
    "chmod a+rx /var/tmp/a",
    "chmod 0700 /dev/shm/a",
    "chmod +x \"$TMPDIR/x\"",
    "cd /tmp; chmod +x x; ./x",
    "install -m 0755 x /tmp/x",
    "chmod 777 ~/.",
    "chmod -R o+w \"$HOME\"",
    "echo x > /etc/motd",
    "cp x /usr/bin/ls",
    "tee /etc/hosts < x",
    "ln -s /x /usr/local/bin/y",
    "mv x /etc/",
    "sed -i s/a/b/ /etc/hosts",
    "rm /etc/hosts",
    "sh -c 'chmod 777 /etc'",
};

constexpr const char *allowed[] = {
    "chmod =755 x",
    "chmod +111 x",
    "chmod -4000 x",
    "python3 -c \"import os;os.chmod('x',0o644)\"",
    "chmod +x script.sh",
    "chmod 755 bin/tool",
    "chmod -R u+rwX build",
    "chmod 644 *.md",
    "chmod 600 ~/.ssh/id_ed25519",
    "chmod 644 /home/agent/project/x",
    "chmod 600 /tmp/x",
    "chown agent x",
    "touch /tmp/x && rm /tmp/x",
    "mkdir -p /tmp/build",
    "cp /etc/hosts hosts.txt",
    "cat /etc/passwd",
    "ls -la /usr/bin",
    "grep -r x /usr/include",
    "stat /etc/passwd",
    "echo \"chmod 777 /etc\"",
    "git update-index --chmod=+x x.sh",
    "diff /etc/hosts hosts.txt",
    "tar czf /tmp/a.tgz src",
    "python3 /usr/lib/python3/x.py",
    "echo x > /tmp/x",
    "find /usr -name '*.h'",
    "gcc -I/usr/include x.c",
    "install -m 644 x y",
};

} // namespace

class TstRulesDangerousPaths : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("dangerous_paths")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesDangerousPaths)
#include "tst_rules_dangerous_paths.moc"
