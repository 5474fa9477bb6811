// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "git -c core.pager=./x log",
    "sed e x",
    "sed '1e date' x",
    "sed 's/a/date/e' x",
    "sed 's/a/date/ge' x",
    "sed 's#a#date#e' x",
    "sed -n -e '/x/e id' f",
    "echo | sed 's/^/id/e'",
    "sort --compress-program=./x a",
    "sort --compress-program ./x a",
    "git -c alias.x='!id' x",
    "git -c core.pager='sh -c id' log",
    "git -c core.fsmonitor=./x status",
    "git -c diff.external=./x diff",
    "git -c CORE.SSHCOMMAND=./x fetch",
    "git -c credential.helper='!id' fetch",
    "git --config-env=core.sshCommand=X fetch",
    "git clone --upload-pack=./x a b",
    "git fetch --upload-pack ./x",
    "git push --receive-pack=./x",
    "git archive --remote=x --exec=./y",
    "git clone ext::'sh -c id' x",
    "git grep --open-files-in-pager=./x a",
    "git grep -Oid a",
    "git filter-branch --tree-filter id",
    "rg --pre sh x",
    "man -P id ls",
    "man --pager=id ls",
    "tar cf x.tar --checkpoint=1 --checkpoint-action=exec=id x",
    "tar xf x --to-command=id",
    "tar -xf x -I id",
    "tar --use-compress-program=./x -xf y",
    "tar xf x --to-c id",
    "zip x y -T --unzip-command=\"sh -c id\"",
    "zip -TT id -T x y",
    "rsync -e 'sh -c id' a b:c",
    "vim -c '!id' x",
    "vim -c ':r !id' x",
    "vi '+!id' x",
    "ex -sc '!id' x",
    "ssh -o ProxyCommand=id x",
    "ssh -oProxyCommand=id x",
    "ssh -o 'proxycommand id' x",
    "gdb -ex '!id' -batch",
    "gdb -batch -ex 'shell id'",
    "make --eval 'x:;id'",
    "make SHELL=/tmp/x",
    "psql -c '\\! id'",
    "sqlite3 x '.shell id'",
    "split --filter=id x",
    "fc -s",
    "history -c",
    "less +'!id' x",
    "openssl req -engine ./x.so",
    "strace -o '|id' ls",
};

constexpr const char *allowed[] = {
    "sed 's/a/b/' x",
    "sed -e 's/e/x/g' -e 's/x/e/' f",
    "sed -n 's/.*e//p' x",
    "sed '/e/d' x",
    "sed 's/one/two/;s/three/e/' x",
    "sed -i 's/e$//' x",
    "sort -k2 x",
    "sort --parallel=2 x",
    "git -c user.name=a commit -m b",
    "git -c core.quotepath=off log",
    "git -c core.pager= log",
    "git log -p",
    "git config alias.co checkout",
    "git fetch --all",
    "git rebase main",
    "git grep -n 'exec'",
    "git clone https://x.example/a.git",
    "git bisect good",
    "git submodule update --init",
    "git diff --ext-diff=x 2>/dev/null",
    "rg -n pre src",
    "man ls",
    "tar czf a.tgz src",
    "tar xzf a.tgz -C out",
    "tar --exclude=x -cf a.tar b",
    "zip -r a.zip b",
    "unzip a.zip",
    "rsync -a a b",
    "vim x",
    "less x",
    "gdb -batch -ex bt x core",
    "make test",
    "make -j2 V=1",
    "psql -c 'select 1'",
    "sqlite3 x 'select 1'",
    "split -l 10 x",
    "history",
    "openssl version",
    "strace ls",
    "awk -f x.awk y",
    "find . -fprint out.txt",
};

} // namespace

class TstRulesFilterBypass : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("filter_bypass")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesFilterBypass)
#include "tst_rules_filter_bypass.moc"
