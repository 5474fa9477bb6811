// SPDX-License-Identifier: Apache-2.0

// What agents work with all day, through the built runner, with both walls and where no namespace can be made.

#include "tests/support/gateway.h"
#include "tests/support/must_work.h"
#include "tests/support/tools.h"

#include <QTest>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis::test;

namespace {

/// Files for a command, as text of a shell that writes them.
QString fileOf(const QString &name, const QString &content)
{
    return u"cat > %1 <<'END'\n%2\nEND\n"_s.arg(name, content);
}

} // namespace

class TstTools : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tools_work_data()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("command");
        QTest::addColumn<QByteArray>("prints");
        const auto addBoth = [](const char *name, const char *program, const QString &command, const QByteArray &out) {
            QTest::addRow("both walls: %s", name) << true << QString::fromLatin1(program) << command << out;
            QTest::addRow("Landlock alone: %s", name) << false << QString::fromLatin1(program) << command << out;
        };
        const auto addView = [](const char *name, const char *program, const QString &command, const QByteArray &out) {
            QTest::addRow("both walls: %s", name) << true << QString::fromLatin1(program) << command << out;
        };
        addBoth("git keeps a history", "git",
                u"git init -q r && cd r && echo a > a && git add a && git -c user.name=a -c user.email=a@b.example "
                "commit -qm one && git checkout -qb b && git clone -q . ../c && git -C ../c log --format=%s"_s,
                "one\n");
        addBoth("a virtual environment has its own pip", "pip3",
                wheel(u"3"_s)
                    + u"python3 -m venv v && v/bin/pip install -q --no-index ./tiny-3-py3-none-any.whl && "
                      "v/bin/python -c 'import tiny; print(tiny.version)'"_s,
                "3\n");
        addBoth("node runs scripts", "node", u"node -e 'setTimeout(() => console.log([1,2].map(x => x*2)), 1)'"_s,
                "[ 2, 4 ]\n");
        addBoth("npm installs for the tenant", "npm",
                module(u"1"_s)
                    + u"npm install -g --offline --silent ./tiny >/dev/null && npm ls -g tiny | grep -o tiny@1"_s,
                "tiny@1\n");
        addBoth("make and gcc build a program", "gcc",
                fileOf(u"a.c"_s, u"#include <stdio.h>\nint main(void) { puts(\"built\"); }"_s)
                    + u"printf 'a: a.c\\n\\tgcc -O2 -o a a.c\\n' > Makefile && make -s && ./a"_s,
                "built\n");
        addBoth(
            "AddressSanitizer finds a mistake", "gcc",
            fileOf(u"a.c"_s,
                   u"#include <stdlib.h>\nint main(int c, char **v) { char *p = malloc(4); free(p); return p[c]; }"_s)
                + u"gcc -fsanitize=address -g -o a a.c && ./a 2>&1 | grep -o -m1 heap-use-after-free"_s,
            "heap-use-after-free\n");
        addBoth("strace follows children", "strace",
                u"strace -f -o trace sh -c 'true; cat /dev/null' && grep -c -m1 execve trace"_s, "1\n");
        addBoth(
            "gdb stops at a breakpoint", "gdb",
            fileOf(u"a.c"_s, u"int answer(void) { return 42; } int main(void) { return answer() - 42; }"_s)
                + u"gcc -g -o a a.c && gdb -q -batch -ex 'break answer' -ex run -ex finish ./a 2>&1 | grep -o '= 42'"_s,
            "= 42\n");
        addView("tmux has a server", "tmux",
                u"tmux -f /dev/null new-session -d -s w 'echo in > seen; sleep 9' && tmux list-sessions -F '#S' && "
                "until test -s seen; do sleep 0.1; done; cat seen; tmux kill-server"_s,
                "w\nin\n");
        const QString pool = u"import multiprocessing as m\ndef f(x): return x + 1\nif __name__ == '__main__':\n"
                             "  with m.get_context('%1').Pool(2) as p: print(p.map(f, [1, 2]))"_s;
        for (const char *method : {"fork", "spawn", "forkserver"})
            addView((QByteArray("multiprocessing with ") + method).constData(), "python3",
                    fileOf(u"p.py"_s, pool.arg(QString::fromLatin1(method))) + u"python3 p.py"_s, "[2, 3]\n");
        addBoth("sqlite keeps a database with a log", "python3",
                u"python3 -c \"import sqlite3; d = sqlite3.connect('a.db'); d.execute('pragma journal_mode=wal'); "
                "d.execute('create table t(x)'); d.execute('insert into t values (7)'); d.commit(); "
                "print(d.execute('select x from t').fetchone()[0])\""_s,
                "7\n");
        addBoth("sqlite3 reads it", "sqlite3",
                u"sqlite3 a.db 'create table t(x); insert into t values (7); select x from t'"_s, "7\n");
        addBoth("temporary files have a place", "",
                u"f=$(mktemp) && echo kept > $f && cat $f && cd $(mktemp -d) && echo x | sort -T . "_s, "kept\nx\n");
    }
    void tools_work()
    {
        QFETCH(bool, namespaces);
        QFETCH(QString, program);
        QFETCH(QString, command);
        QFETCH(QByteArray, prints);
        PORTCULLIS_REQUIRE(isInstalled(program), "a program is not installed");
        Gateway gateway;
        allowPackages(gateway, namespaces);
        const Done done = gateway.exec(command, {u"--timeout"_s, u"120"_s});
        QVERIFY2(done.exitCode == 0 && done.out == prints, (done.out + done.err).constData());
        QCOMPARE(done.result.value(u"level"_s).toString(), namespaces ? u"full"_s : u"landlock"_s);
    }

    void what_needs_a_view_fails_with_a_plain_error_without_one_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("command");
        QTest::newRow("tmux") << u"tmux"_s << u"tmux -f /dev/null new-session -d true"_s;
        QTest::newRow("a unix socket") << u"python3"_s
                                       << fileOf(u"s.py"_s, u"import socket as s; s.socket(s.AF_UNIX)"_s)
                + u"python3 s.py"_s;
    }
    void what_needs_a_view_fails_with_a_plain_error_without_one()
    {
        QFETCH(QString, program);
        QFETCH(QString, command);
        PORTCULLIS_REQUIRE(isInstalled(program), "a program is not installed");
        Gateway gateway;
        allowPackages(gateway, false);
        const Done done = gateway.exec(command);
        QCOMPARE(done.exitCode, 1);
        QCOMPARE(done.result.value(u"outcome"_s).toString(), u"exited"_s);
    }
};

QTEST_GUILESS_MAIN(TstTools)
#include "tst_tools.moc"
