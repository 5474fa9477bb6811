// SPDX-License-Identifier: Apache-2.0

// Shell tools, compilers, debuggers and programs with a server of their own, in every state of the walls.

#include "tests/support/tool_matrix.h"

using namespace Qt::Literals::StringLiterals;
using namespace portcullis::test;

class TstTools : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void tools_work_data() { addToolRows(shellRows() + packageRows() + compilerRows() + serverRows()); }
    void tools_work() { verifyTool(); }

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

private:
    static QList<ToolRow> shellRows()
    {
        const QString commit = u"git -c user.name=a -c user.email=a@b.example commit -q"_s;
        return {
            {"git keeps a history", "git",
             u"git init -q r && cd r && echo a > a && git add a && %1 -m one && git checkout -qb b && "
             "git clone -q . ../c && git -C ../c log --format=%s"_s.replace(u"%1"_s, commit),
             "one\n"},
            {"git has worktrees and cleans up", "git",
             u"git init -q r && cd r && %1 --allow-empty -m one && git worktree add -q ../other -b other && "
             "cd ../other && echo x > x && git add x && %1 -m two && git gc -q && git fsck 2>/dev/null && "
             "git worktree list | wc -l && git log --format=%s"_s.replace(u"%1"_s, commit),
             "2\ntwo\none\n"},
            {"temporary files have a place", "",
             u"f=$(mktemp) && echo kept > $f && cat $f && cd $(mktemp -d) && echo x | sort -T . "_s, "kept\nx\n"},
            {"sed and awk edit text", "",
             u"printf 'a 1\\nb 2\\n' > t && sed -i s/a/c/ t && awk '{ s += $2 } END { print s }' t && head -n1 t"_s,
             "3\nc 1\n"},
            {"tar packs and unpacks, foreign owners too", "",
             u"mkdir d && echo x > d/x && tar -czf d.tgz --owner=0 --group=0 d && mv d old && tar -xzf d.tgz && cat d/x"_s,
             "x\n"},
            {"perl runs scripts", "perl", u"printf 'a\\nb\\n' | perl -ne 'print uc if /b/'"_s, "B\n"},
            {"ssh-keygen makes a key", "ssh-keygen",
             u"ssh-keygen -q -t ed25519 -N '' -f key && ssh-keygen -lf key.pub | grep -c ED25519"_s, "1\n"},
            {"ps shows the command itself", "ps", u"ps -o pid= -p $$ | wc -l"_s, "1\n"},
            {"sqlite3 keeps a database with a log", "sqlite3",
             u"sqlite3 a.db 'pragma journal_mode=wal; create table t(x); insert into t values (7); select x from t'"_s,
             "wal\n7\n"},
        };
    }

    /// On systems that are made of such packages.
    static QList<ToolRow> packageRows()
    {
        if (!QFile::exists(u"/var/lib/dpkg/status"_s))
            return {};
        return {{"dpkg lists packages", "dpkg", u"dpkg -l dpkg | grep -c '^ii  dpkg '"_s, "1\n"}};
    }

    static QList<ToolRow> compilerRows()
    {
        const QString program = fileOf(u"a.c"_s, u"#include <stdio.h>\nint main(void) { puts(\"built\"); }"_s);
        const QString answer =
            fileOf(u"a.c"_s, u"int answer(void) { return 42; } int main(void) { return answer() - 42; }"_s);
        // Without Landlock nothing may be traced, which LeakSanitizer needs at the end of a program too.
        return {
            {"make and gcc build a program in parallel", "gcc",
             program
                 + u"printf 'all: a b\\na: a.c\\n\\tgcc -O2 -o a a.c\\nb: a.c\\n\\tgcc -o b a.c\\n' > Makefile && "
                   "make -s -j2 && ./a && ./b"_s,
             "built\nbuilt\n"},
            {"AddressSanitizer finds a mistake", "gcc",
             fileOf(u"a.c"_s,
                    u"#include <stdlib.h>\nint main(int c, char **v) { char *p = malloc(4); free(p); return p[c]; }"_s)
                 + u"gcc -fsanitize=address -g -o a a.c && ./a 2>&1 | grep -o -m1 heap-use-after-free"_s,
             "heap-use-after-free\n"},
            {"a program with AddressSanitizer ends well", "gcc", program + u"gcc -fsanitize=address -o a a.c && ./a"_s,
             "built\n", Expect::Works, Expect::Fails},
            {"strace follows children", "strace",
             u"strace -f -o trace sh -c 'true; cat /dev/null' && grep -c -m1 execve trace"_s, "1\n", Expect::Works,
             Expect::Fails},
            {"gdb stops at a breakpoint", "gdb",
             answer
                 + u"gcc -g -o a a.c && gdb -q -batch -ex 'break answer' -ex run -ex finish ./a 2>&1 | grep -o '= 42'"_s,
             "= 42\n", Expect::Works, Expect::Fails},
        };
    }

    /// They talk to a server of their own over a unix socket, of which there are none with Landlock alone.
    static QList<ToolRow> serverRows()
    {
        return {
            {"tmux has a server", "tmux",
             u"tmux -f /dev/null -S own new-session -d -s w 'echo in > seen; sleep 9' && "
             "tmux -S own list-sessions -F '#S' && until test -s seen; do sleep 0.1; done; cat seen; "
             "tmux -S own kill-server"_s,
             "w\nin\n", Expect::Fails},
            {"gpg makes a key", "gpg",
             u"mkdir -m 700 g && gpg -q --homedir g --batch --passphrase '' --quick-gen-key a@b.example default "
             u"default "
             "never 2>/dev/null && gpg --homedir g -k --with-colons | grep -c ^pub"_s,
             "1\n", Expect::Fails},
        };
    }
};

QTEST_GUILESS_MAIN(TstTools)
#include "tst_tools.moc"
