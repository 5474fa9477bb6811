// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "7z x a.7z -o/etc",
    "cpio -idm -D /etc < a.cpio",
    "unsquashfs -d /etc/x a.sqfs",
    "dpkg-deb -x a.deb /",
    "aria2c -d /etc https://e.example/a",
    "csplit -f /etc/x f 1",
    "tar xf a.tar -C /",
    "tar -xzf a.tgz --directory=/usr/local",
    "tar -C /etc -xf a.tar",
    "bsdtar xf a.tar -C /",
    "unzip a.zip -d /etc",
    "unrar x a.rar /etc/",
    "ar x --output=/etc a.a",
    "wget -P /etc https://e.example/a",
    "wget -O /etc/x https://e.example/a",
    "curl -o /etc/x https://e.example/a",
    "curl --output-dir /etc -O https://e.example/a",
    "git clone https://e.example/a /etc/x",
    "git worktree add /etc/x",
    "git init /etc/x",
    "python3 -c \"open('/etc/hosts','w')\"",
    "python3 -c \"from pathlib import Path;Path('/etc/hosts').write_text('x')\"",
    "python3 -c \"import shutil;shutil.copy('x','/etc/hosts')\"",
    "node -e \"fs.writeFileSync('/etc/hosts','x')\"",
    "perl -e 'open(F,\">/etc/hosts\")'",
    "ruby -e 'File.write(\"/etc/hosts\",\"x\")'",
    "awk '{print > \"/etc/x\"}' f",
    "awk 'BEGIN{printf \"x\" >> \"/etc/x\"}'",
    "gawk -i inplace '{print}' /etc/x",
    "sed 'w /etc/x' f",
    "sed -n 's/a/b/w /etc/x' f",
    "sed -i s/a/b/ /etc/x",
    "split f /etc/x",
    "sort -o /etc/x f",
    "tee /etc/x < f",
    "dd of=/etc/x if=f",
    "xxd -r f /etc/x",
    "openssl enc -in f -out /etc/x",
    "rsync -a x/ /etc/",
    "scp host:x /etc/x",
    "install x /usr/bin/x",
    "ln -sf x /usr/bin/x",
    "mkdir /etc/x",
    "touch /etc/x",
    "truncate -s0 /etc/x",
    "patch /etc/x p",
    "patch -d /etc p",
    "find . -fprint /etc/x",
    "find . -fls /etc/x",
    "gcc -o /usr/bin/x a.c",
    "zip /etc/x.zip a",
    "tar cf /etc/x.tar a",
    "jq . f > /etc/x",
    "uniq f /etc/x",
    "script -c id /etc/x",
    "strace -o /etc/x ls",
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
    "tar xf a.tar",
    "tar czf out.tgz -C /usr/share doc",
    "tar tf a.tar -C /",
    "unzip -l a.zip",
    "unzip a.zip",
    "split -b 1M f part-",
    "sed -n 's/a/b/w out' f",
    "awk '{print > $1\".txt\"}' f",
    "awk '$1 > 5' /etc/passwd",
    "python3 -c \"print(open('/etc/hosts').read())\"",
    "node -e \"fs.readFileSync('/etc/hosts')\"",
    "grep x /etc/hosts | sort -o out",
    "dpkg-deb -x a.deb out",
    "git clone https://e.example/a out",
    "uniq /etc/x",
    "uniq /etc/x out",
    "find /etc -name x",
    "gcc -o x a.c",
    "sed -n p /etc/hosts",
    "strace -o out ls",
    "zip out.zip /usr/share/doc/x",
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
