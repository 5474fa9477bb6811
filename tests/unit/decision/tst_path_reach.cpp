// SPDX-License-Identifier: Apache-2.0

// Protected paths that are reached on a way round: from above by a program that walks, through a link of the same
// command, by code that puts a name together, by a glob that finds `..`. And the same ways to places that are harmless.

#include "runner/decision/path_code.h"
#include "runner/decision/path_links.h"
#include "runner/decision/path_spelling.h"
#include "tests/support/decision_setup.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;
using namespace portcullis::test;

class TstPathReach : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_way_round_is_seen_data();
    void a_way_round_is_seen();
    void the_same_way_to_a_harmless_place_passes_data();
    void the_same_way_to_a_harmless_place_passes();
    void a_glob_finds_the_parent_only_where_the_shell_lets_it();
    void the_master_may_walk_the_workspace();
    void links_of_a_command_are_followed_data();
    void links_of_a_command_are_followed();
    void circular_links_of_a_command_end();
    void parents_by_globs_are_spelled_out();
    void code_that_enters_a_directory_is_cut_there();
};

namespace {

/// What the path guard alone says, for an agent in its workspace /srv/gateway/workspace/tenants/acme.
QByteArray guardSays(const QByteArray &command, ShellChoice shell = ShellChoice::Bash)
{
    static const std::shared_ptr<const policy::Configuration> configuration = DecisionSetup().configuration();
    DecisionSetup setup;
    setup.request.command = command.toStdString();
    setup.request.shell = shell;
    QByteArrayList zones;
    for (const Blocker &blocker : decide(setup.request, *configuration, setup.facts).blockers) {
        if (blocker.check == Check::PathGuard)
            zones.append(QByteArray::fromStdString(blocker.rule));
    }
    return zones.join(',');
}

void addCommands(std::initializer_list<const char *> commands)
{
    QTest::addColumn<QByteArray>("command");
    for (const char *command : commands)
        QTest::newRow(command) << QByteArray(command);
}

} // namespace

void TstPathReach::a_way_round_is_seen_data()
{
    addCommands({
        R"~(docker run -v /srv/gateway:/x alpine cat /x/data/config.json)~",
        R"~(podman run --volume=/srv:/x alpine ls)~",
        R"~(docker run --mount type=bind,src=/srv/gateway,dst=/x alpine ls)~",
        R"~(docker build /srv/gateway)~",
        R"~(docker compose run -v /srv/gateway:/x app)~",
        R"~(git add /srv/gateway)~",
        R"~(git grep --no-index x -- /srv/gateway)~",
        R"~(borg create repo::a /srv/gateway)~",
        R"~(mksquashfs /srv/gateway x.sqfs)~",
        R"~(zstd -r /srv/gateway)~",
        R"~(cat $(dirname $PWD)/globex/x)~",
        R"~(cat "$(dirname "$PWD")"/globex/x)~",
        R"~(cat $(dirname $(pwd))/globex/x)~",
        R"~(cd $(dirname $PWD); cat globex/x)~",
        R"~(cat $PWD/../globex/x)~",
        R"~(cat ${PWD%/*}/globex/x)~",
        R"~(cat $(pwd)/../globex/x)~",
        R"~(cat $(realpath ..)/globex/x)~",
        R"~(cat $(readlink -f ..)/globex/x)~",
        R"~(d=$(dirname $PWD); cat $d/globex/x)~",
        R"~(cat `dirname $PWD`/globex/x)~",
        R"~([[ -f ../globex/x ]])~",
        R"~([ -f ../globex/x ])~",
        R"~(test -f ../globex/x)~",
        R"~([[ ../globex/x -nt x ]])~",
        R"~([[ -f x || -e ../globex/x ]])~",
        R"~(sed 'R../globex/x' f)~",
        R"~(sed 'R ../globex/x' f)~",
        R"~(sed 'r../globex/x' f)~",
        R"~(sed -n 'w../globex/x' f)~",
        R"~(sed 's/a/b/w../globex/x' f)~",
        R"~(sed '1r../globex/x' f)~",
        R"~(sed '$r../globex/x' f)~",
        R"~(sed '/re/R../globex/x' f)~",
        R"~(sed -e 1R../globex/x f)~",
        R"~(rg tok ../../..)~",
        R"~(rg tok ..)~",
        R"~(grep -r tok ..)~",
        R"~(grep -r tok /srv/gateway)~",
        R"~(grep -r tok /srv)~",
        R"~(grep -rn tok /)~",
        R"~(find .. -name x)~",
        R"~(find ../../.. -type f)~",
        R"~(ls -R ../..)~",
        R"~(ls ..)~",
        R"~(tar cf x.tar /srv)~",
        R"~(cp -r /srv .)~",
        R"~(du -a /srv)~",
        R"~(tree /srv)~",
        R"~(cat ../*)~",
        R"~(rsync -a /srv/ out/)~",
        R"~(ln -s ../../.. l; cat l/data/x)~",
        R"~(ln -s .. l; cat l/globex/x)~",
        R"~(ln -s / r; cat r/srv/gateway/data/x)~",
        R"~(ln -sf ../globex l && cat l/x)~",
        R"~(ln -s ../globex && cat globex/x)~",
        R"~(ln -s -T .. l; cat l/globex/x)~",
        R"~(ln -st . ../globex; cat globex/x)~",
        R"~(python3 -c "import os;os.chdir('..');print(open('globex/x').read())")~",
        R"~(python3 -c "import os;os.chdir('../..');os.chdir('tenants');print(open('globex/x').read())")~",
        R"~(python3 -c "from pathlib import Path;print((Path.cwd().parent/'globex').read_text())")~",
        R"~(python3 -c "from pathlib import Path;print((Path('..')/'globex'/'x').read_text())")~",
        R"~(python3 -c "import os;print(open(os.path.join('..','globex','x')).read())")~",
        R"~(python3 -c "import os;print(os.listdir('..'))")~",
        R"~(python3 -c "import os;print(os.listdir(os.pardir))")~",
        R"~(python3 -c "import os;os.listdir(os.path.dirname(os.getcwd()))")~",
        R"~(node -e "require('fs').readdirSync('..')")~",
        R"~(node -e "process.chdir('..');console.log(require('fs').readFileSync('globex/x'))")~",
        R"~(node -e "const p=require('path');require('fs').readFileSync(p.join('..','globex','x'))")~",
        R"~(node -e "require('fs').readFileSync(require('path').resolve('..','globex','x'))")~",
        R"~(perl -e 'chdir "..";open F,"globex/x";print <F>')~",
        R"~(perl -e 'opendir D,"..";print readdir D')~",
        R"~(perl -e 'chdir("..");print <*>')~",
        R"~(ruby -e 'Dir.chdir("..");puts File.read("globex/x")')~",
        R"~(ruby -e 'puts Dir.entries("..")')~",
        R"~(ruby -e 'puts File.read(File.join("..","globex","x"))')~",
    });
}

void TstPathReach::a_way_round_is_seen()
{
    QFETCH(const QByteArray, command);
    QVERIFY(!guardSays(command).isEmpty());
}

void TstPathReach::the_same_way_to_a_harmless_place_passes_data()
{
    addCommands({
        R"~(docker run --rm -v "$PWD":/app -w /app node:20 npm test)~",
        R"~(docker build -t app .)~",
        R"~(docker run --mount type=bind,src=$PWD/data,dst=/data alpine ls)~",
        R"~(git add . && git add -A src)~",
        R"~(git diff --no-index a b)~",
        R"~(gzip -r logs)~",
        R"~(ls -d .*)~",
        R"~(cat $(dirname src/main.c)/x)~",
        R"~(cd $(dirname src/a/b); cat x)~",
        R"~(cat src/../x)~",
        R"~(cat $PWD/x)~",
        R"~(cat $(pwd)/x)~",
        R"~(cat ${PWD}/src/../x)~",
        R"~(cd src && cat ../x)~",
        R"~(cd src && ls ..)~",
        R"~(cd src && ls ../)~",
        R"~(cd src && grep -r tok ..)~",
        R"~(cd src && find .. -name x)~",
        R"~(cd a/b/c; rg tok ../..)~",
        R"~(pushd src; ls ..; popd)~",
        R"~([[ -f x ]])~",
        R"~([[ -f src/../x ]])~",
        R"~([ -d .git ])~",
        R"~(test -e /usr/bin/git)~",
        R"~([[ "a..b" == a* ]])~",
        R"~([[ $x =~ ^/srv/ ]])~",
        R"~([[ $x == /srv/* ]])~",
        R"~([ "$x" = ".." ])~",
        R"~([[ $a = .. ]])~",
        R"~(git log a..b)~",
        R"~(git diff main...feature)~",
        R"~(git log HEAD~3..HEAD)~",
        R"~(git diff origin/main..HEAD -- src)~",
        R"~(curl https://example.com/a/../b)~",
        R"~(curl -s https://example.com/..)~",
        R"~(sed 's/..//' f)~",
        R"~(sed 's/../x/g' f)~",
        R"~(sed -e 's,/srv/,/opt/,' f)~",
        R"~(sed 's/foo/bar/w out.txt' f)~",
        R"~(sed 'r header.txt' f)~",
        R"~(sed -n '/start/,/end/p' f)~",
        R"~(sed 's/for/bar/' f)~",
        R"~(sed '/word/d' f)~",
        R"~(sed 's#..#x#' f)~",
        R"~(grep -r '\.\.' .)~",
        R"~(grep -rn tok .)~",
        R"~(grep '..' f)~",
        R"~(grep -E '^../' f)~",
        R"~(find . -name '*.c')~",
        R"~(find . -path ./node_modules -prune -o -print)~",
        R"~(find /usr/include -name stdio.h)~",
        R"~(rg tok)~",
        R"~(rg tok src)~",
        R"~(rg '\.\./' src)~",
        R"~(ls -R .)~",
        R"~(du -sh .)~",
        R"~(tar cf x.tar src)~",
        R"~(tar xf x.tar -C src)~",
        R"~(cp -r src out)~",
        R"~(ln -s src/main l; cat l/x)~",
        R"~(ln -s ../lib/a src/a; cat src/a)~",
        R"~(cd src; ln -s ../lib l; cat l/x)~",
        R"~(ln -s . self; cat self/x)~",
        R"~(ln -s /usr/bin/python3 python)~",
        R"~(python3 -c "import os;os.chdir('src');print(open('../x').read())")~",
        R"~(python3 -c "print('..'.join(['a','b']))")~",
        R"~(python3 -c "print('a..b'.split('..'))")~",
        R"~(python3 -c "import os;print(os.path.join('src','x'))")~",
        R"~(python3 -c "from pathlib import Path;print(list(Path('.').glob('*')))")~",
        R"~(python3 -c "import sys;sys.path.insert(0,'.');import x")~",
        R"~(python3 -c "print('/'.join(['a','b']))")~",
        R"~(python3 -c "print(1/2)")~",
        R"~(node -e "console.log([...Array(3)])")~",
        R"~(node -e "const {a,...b}={a:1,c:2};console.log('..')")~",
        R"~(node -e "console.log(require('./package.json').version)")~",
        R"~(node -e "const x='a/b'.split('/')")~",
        R"~(node -e "require('path').join(__dirname,'src')")~",
        R"~(perl -ne 'print if 1..3' f)~",
        R"~(perl -pe 's/../x/' f)~",
        R"~(ruby -e '(1..3).each{|x| puts x}')~",
        R"~(ruby -e 'puts "a".."c"')~",
        R"~(awk '{print $1/$2}' f)~",
        R"~(for i in {1..10}; do echo $i; done)~",
        R"~(echo ..)~",
        R"~(echo "see ../README")~",
        R"~(git commit -m "use .. and /srv")~",
        R"~(ls /usr)~",
        R"~(ls /etc)~",
        R"~(df -h /)~",
        R"~(stat /)~",
        R"~(du -sh /usr)~",
        R"~(ls /)~",
        R"~(ls /srv)~",
        R"~(ls -la / )~",
        R"~(npm run build -- --out ..x)~",
        R"~(cd src/a && make -C ../b)~",
        R"~(cmake -S . -B build)~",
        R"~(find / -name no-such-file)~",
        R"~(find /srv -maxdepth 1)~",
        R"~(ls ../../../)~",
    });
}

void TstPathReach::the_same_way_to_a_harmless_place_passes()
{
    QFETCH(const QByteArray, command);
    QCOMPARE(guardSays(command), QByteArray());
}

void TstPathReach::a_glob_finds_the_parent_only_where_the_shell_lets_it()
{
    for (const char *command : {"cat .*/globex/x", "cat .?/globex/x", "cat .[.]/globex/x", "cat src/../.*/globex/x"}) {
        QVERIFY2(!guardSays(command, ShellChoice::Sh).isEmpty(), command);
        QVERIFY2(guardSays(command, ShellChoice::Bash).isEmpty(), command); // globskipdots, bash manual 4.3.2
    }
    for (const char *command : {"ls .*", "ls -d .*", "cat .[a-z]*", "cat .git*/config", "rm .??*x", "cat */x"})
        QVERIFY2(guardSays(command, ShellChoice::Sh).isEmpty(), command);
}

void TstPathReach::the_master_may_walk_the_workspace()
{
    DecisionSetup setup;
    setup.request.tenant = std::string(policy::masterTenant);
    for (const char *command : {"grep -rn x .", "find . -name x", "ls -R"})
        QVERIFY2(!blockedBy(setup.decide(command), Check::PathGuard), command);
    QVERIFY(blockedBy(setup.decide("grep -rn x ../.."), Check::PathGuard));
}

void TstPathReach::links_of_a_command_are_followed_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::addColumn<QByteArray>("leads");
    QTest::newRow("a link") << QByteArray("/w/l/x") << QByteArray("/t/x");
    QTest::newRow("dots behind it go up from where it leads") << QByteArray("/w/l/../x") << QByteArray("/x");
    QTest::newRow("one link to another") << QByteArray("/w/m/x") << QByteArray("/t/x");
    QTest::newRow("only whole names") << QByteArray("/w/ll/x") << QByteArray("/w/ll/x");
    QTest::newRow("no link") << QByteArray("/w/x") << QByteArray("/w/x");
}

void TstPathReach::links_of_a_command_are_followed()
{
    QFETCH(const QByteArray, path);
    QFETCH(const QByteArray, leads);
    const std::vector<MadeLink> links{{"/w/l", "/t", "/w", {}}, {"/w/m", "/w/l", "/w", {}}};
    QCOMPARE(QByteArray::fromStdString(throughMadeLinks({path.toStdString(), {}, {}}, links).text), leads);
}

void TstPathReach::circular_links_of_a_command_end()
{
    const std::vector<MadeLink> links{{"/w/a", "/w/b", "/w", {}}, {"/w/b", "/w/a", "/w", {}}};
    QVERIFY(!throughMadeLinks({"/w/a/x", {}, {}}, links).text.empty());
}

void TstPathReach::parents_by_globs_are_spelled_out()
{
    const std::vector<Spelling> found = withParents({".*/a/.?/b*", {}, {1, 6, 9}});
    QCOMPARE(found.size(), std::size_t{2});
    QCOMPARE(found[0].text, "../a/.?/b*");
    QCOMPARE(found[0].globs, (std::vector<std::uint32_t>{6, 9}));
    QCOMPARE(found[1].text, "../a/../b*");
    QCOMPARE(found[1].globs, (std::vector<std::uint32_t>{9}));
}

void TstPathReach::code_that_enters_a_directory_is_cut_there()
{
    const std::vector<CodeStretch> cut =
        stretchesOf({"import os;os.chdir('a');x('b')\nif y: os.chdir('c')\nz()", {}, {}}, "/w");
    QCOMPARE(cut.size(), std::size_t{3});
    QCOMPARE(cut[1].directories, (std::vector<std::optional<std::string>>{"/w/a"}));
    QCOMPARE(cut[2].directories, (std::vector<std::optional<std::string>>{"/w/a", "/w/a/c"}));
    QVERIFY(cut[2].text.text.contains("z()"));
}

QTEST_APPLESS_MAIN(TstPathReach)
#include "tst_path_reach.moc"
