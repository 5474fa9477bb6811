// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "ls | xargs rm",
    "find . -print0 | xargs -0 rm",
    "git ls-files -o | xargs -n1 rm --",
    "ls | parallel rm",
    "git clean -fdx",
    "git clean -d -f",
    "git -c clean.requireForce=false clean -x",
    "rsync -a --delete empty/ ./",
    "rsync -r --del a/ b/",
    "tar --remove-files -cf /dev/null build",
    "zip -rm x.zip build",
    "7z a -sdel x.7z build",
    "npx rimraf build",
    "rimraf build",
    "cmake -E rm -rf build",
    "redis-cli -n 2 FLUSHALL",
    "terraform destroy -auto-approve",
    "dropdb app",
    "perl -e 'fork while fork'",
    "dcfldd if=x of=/dev/sda",
    "rm -r dir",
    "rm -fr /",
    "rm --recursive dir",
    "rm -v -rf x",
    "rm --force a",
    "rm -- a; rm -R b",
    "/bin/rm -rf x",
    "\\rm -rf x",
    "command rm -rf x",
    "env -i rm -rf x",
    "timeout 5 rm -rf x",
    "nohup rm -rf x &",
    "ls | xargs rm -rf",
    "printf '%s\\0' a b | xargs -0 rm -f",
    "bash -c \"rm -rf build\"",
    "eval \"rm -rf build\"",
    "X='rm -rf'; $X build",
    "{ rm -rf a; }",
    "(cd /tmp && rm -rf *)",
    "if true; then rm -rf x; fi",
    "for d in a b; do rm -rf \"$d\"; done",
    "f() { rm -rf \"$1\"; }; f x",
    "echo $(rm -rf x)",
    "echo \"`rm -rf x`\"",
    "true && rm -rf x || true",
    "busybox rm -rf x",
    "r\\nm x; rm -rf y",
    "find . -type f -delete",
    "find . -name x -exec rm -rf {} \\;",
    "find . -exec rm {} \\;",
    "dd if=/dev/zero of=/dev/sdb",
    "dd if=x of=\"/dev/nvme0n1p2\" bs=1M",
    "cat x > /dev/sda1",
    "echo x | tee /dev/vdb",
    "cp x.img /dev/mmcblk0",
    "mkfs -t ext4 /dev/sdc",
    "/sbin/mkfs.xfs -f /dev/sdc1",
    "mkswap /dev/sdc2",
    "wipefs --all /dev/sda",
    "shred -n 3 secrets.txt",
    "fdisk /dev/sda",
    "parted /dev/sda mklabel gpt",
    "shutdown now",
    "reboot",
    "halt -p",
    "poweroff -f",
    "init 6",
    "telinit 0",
    "systemctl reboot",
    "systemctl -f poweroff",
    "echo c > /proc/sysrq-trigger",
    "printf b >/proc/sysrq-trigger",
    "boom() { boom | boom & }; boom",
    "f(){ f|f& }; f",
    "del /f /q x",
    "format D:",
    "truncate -s 0 /dev/sda",
    "node -e \"require('fs').rmSync('/',{recursive:true,force:true})\"",
    "perl -e 'use File::Path; remove_tree(\"x\")'",
    "python3 - <<'E'\nimport shutil\nshutil.rmtree(\"x\")\nE",
    "mywrap rm -rf x",
};

constexpr const char *allowed[] = {
    "git clean -n",
    "rsync -an --delete a/ b/",
    "rsync -a a/ b/",
    "zip -r x.zip a",
    "ls | xargs wc -l",
    "terraform plan -destroy",
    "perl -e 'my $p = fork; exit'",
    "cmake -E copy a b",
    "rm a.txt b.txt",
    "rm -i -v a",
    "rm ./-rf",
    "rmdir empty",
    "git rm -rf --cached x",
    "docker rm -f web",
    "npm run clean",
    "echo rm -rf /",
    "echo 'mkfs.ext4 /dev/sda'",
    "grep -r 'rm -rf' .",
    "git commit -m \"remove shutdown and reboot\"",
    "cat <<'E' > clean.sh\nrm -rf build\nE",
    "find . -name '*.o' -print",
    "find . -type d -empty",
    "dd if=/dev/urandom of=random.bin bs=1k count=4",
    "dd if=in.bin of=out.bin",
    "ls /dev/sda",
    "systemctl status",
    "ls -rf",
    "cp -rf a b",
    "mv -f a b",
    "ln -sf a b",
    "tar -rf a.tar b",
    "# rm -rf /",
    "echo \"a # b\"; ls -R",
    "man mkfs",
    "which shutdown",
    "rg \"reboot\" src",
    "sed -n '/shutdown/p' log",
    "jq '.halt' x.json",
    "python3 -c \"print('rm -rf')\"",
    "printf '%s\\n' 'rm -rf x'",
    "format=csv; echo $format",
    "date > /dev/null 2>&1",
    "sleep 1 & wait",
    "f() { echo hi; }; f | f",
};

} // namespace

class TstRulesDestructiveOps : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("destructive_ops")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesDestructiveOps)
#include "tst_rules_destructive_ops.moc"
