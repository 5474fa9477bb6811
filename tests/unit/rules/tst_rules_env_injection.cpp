// SPDX-License-Identifier: Apache-2.0
#include "tests/support/shipped_rules.h"

#include <QTest>

using namespace portcullis;

namespace {

constexpr const char *refused[] = {
    "LD_PRELOAD=./x.so ls",
    "LD_PRELOAD=/tmp/x.so; export LD_PRELOAD; ls",
    "export LD_PRELOAD=/tmp/x.so",
    "env LD_PRELOAD=x ls",
    "env -u A LD_PRELOAD=x ls",
    "declare -x LD_PRELOAD=x",
    "typeset -x LD_LIBRARY_PATH=.",
    "readonly LD_AUDIT=x",
    "LD_LIBRARY_PATH=. ./app",
    "L''D_PRELOAD=x ls; env 'LD_PRELOAD=x' ls",
    "sh -c 'LD_PRELOAD=x ls'",
    "export \"LD_PRELOAD=x\"",
    "V=LD_PRELOAD; export $V=./x",
    "BASH_ENV=x bash -c :",
    "export BASH_ENV=./x",
    "env BASH_ENV=./x sh script",
    "ENV=/tmp/x sh",
    "export ENV=./x",
    "PROMPT_COMMAND=id bash -i",
    "PYTHONSTARTUP=x python3",
    "PYTHONHOME=x python3",
    "NODE_OPTIONS=\"-r ./x\" node y.js",
    "export NODE_OPTIONS=--require=./x.js",
    "PERL5OPT=-d perl x.pl",
    "RUBYOPT='-r./x' ruby y.rb",
    "JAVA_TOOL_OPTIONS=-javaagent:x.jar java y",
    "GIT_SSH=./x git fetch",
    "GIT_SSH_COMMAND=./x git pull",
    "GIT_EXTERNAL_DIFF='sh -c id' git diff",
    "GIT_PAGER='sh -c id' git log",
    "GIT_EDITOR='sh -c id' git commit",
    "GIT_PROXY_COMMAND=./x git fetch",
    "GIT_EXEC_PATH=. git x",
    "PAGER=./x man ls",
    "MANPAGER='sh -c id' man ls",
    "EDITOR=./x git commit",
    "LESSOPEN='|id' less x",
    "PATH=. ls",
    "PATH=./bin:$PATH make",
    "export PATH=/tmp:$PATH",
    "export PATH=\"$HOME/bin:$PATH\"",
    "env PATH=/tmp ls",
    "PATH=$PWD:$PATH cat x",
    "/lib/ld-linux.so.2 --preload x ls",
    "/lib64/ld-linux-x86-64.so.2 ./x",
    "env 'BASH_FUNC_ls%%=() { id; }' bash -c ls",
    "PS4='$(id)' sh -x x.sh",
    "SHELLOPTS=xtrace sh x",
    "GLIBC_TUNABLES=x ls",
    "echo x > /etc/ld.so.preload",
};

constexpr const char *allowed[] = {
    "FOO=1 make",
    "CC=clang make",
    "CFLAGS=-O2 ./configure",
    "DEBUG=1 npm test",
    "NODE_ENV=production node x.js",
    "PYTHONPATH=. python3 x.py",
    "PYTHONUNBUFFERED=1 python3 x.py",
    "PYTHONDONTWRITEBYTECODE=1 pytest",
    "LANG=C sort x",
    "LC_ALL=C sort x",
    "TZ=UTC date",
    "export EDITOR=vim",
    "export PAGER=cat",
    "PAGER= git log",
    "GIT_PAGER=cat git log",
    "GIT_COMMITTER_DATE=x git commit",
    "ENV=prod make deploy",
    "ENVIRONMENT=x ./run",
    "export PATH=$PATH:$HOME/bin",
    "PATH=\"$PATH:/x\" y",
    "echo $PATH",
    "echo LD_PRELOAD=x",
    "grep BASH_ENV x",
    "unset LD_PRELOAD",
    "NODE_OPTIONS=--max_old_space_size=4096 node x.js",
    "JAVA_OPTS=-Xmx512m java -jar x.jar",
    "GOFLAGS=-mod=mod go build",
    "LDFLAGS=-L. make",
    "RUST_LOG=debug cargo test",
};

} // namespace

class TstRulesEnvInjection : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void refuses_however_it_is_written_data() { test::addCommandRows(refused); }
    void refuses_however_it_is_written()
    {
        QFETCH(QByteArray, command);
        const QStringList groups = test::refusingGroups(command);
        QVERIFY2(groups.contains(QStringLiteral("env_injection")), qPrintable(groups.join(u' ')));
    }

    void no_rule_refuses_the_harmless_neighbour_data() { test::addCommandRows(allowed); }
    void no_rule_refuses_the_harmless_neighbour()
    {
        QFETCH(QByteArray, command);
        QCOMPARE(test::refusingRules(command), QStringList());
    }
};

QTEST_GUILESS_MAIN(TstRulesEnvInjection)
#include "tst_rules_env_injection.moc"
