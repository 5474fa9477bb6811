// SPDX-License-Identifier: Apache-2.0
#include "tests/support/describe_evaluation.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::shell;

class TstEvaluateControl : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void follows_control_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<bool>("sh");
        QTest::newRow("both sides of && and ||")
            << QByteArray("true && a || b; c") << QStringLiteral("true; a; b; c") << false;
        QTest::newRow("what follows a failing alternative")
            << QByteArray("false || sudo id") << QStringLiteral("false; sudo id; id") << false;
        QTest::newRow("both branches of if")
            << QByteArray("if a; then b; elif c; then d; else e; fi") << QStringLiteral("a; c; b; d; e") << false;
        QTest::newRow("a variable after a branch has either value")
            << QByteArray("x=a; if t; then x=b; fi; $x 1") << QStringLiteral("t; b 1; a 1") << false;
        QTest::newRow("a variable of both branches has neither old value")
            << QByteArray("x=a; if t; then x=b; else x=c; fi; $x 1") << QStringLiteral("t; b 1; c 1") << false;
        QTest::newRow("a list that may be cut short")
            << QByteArray("x=a; t && x=b; $x 1") << QStringLiteral("t; b 1; a 1") << false;
        QTest::newRow("each word of a loop")
            << QByteArray("for i in a b; do $i 1; done") << QStringLiteral("a 1; b 1") << false;
        QTest::newRow("a loop that builds a word")
            << QByteArray("for i in su do; do x=$x$i; done; $x id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a loop over the positional parameters")
            << QByteArray("set -- a b; for i; do $i; done") << QStringLiteral("set -- a b; a; b") << false;
        QTest::newRow("a loop over nothing") << QByteArray("for i in; do sudo id; done") << QStringLiteral("") << false;
        QTest::newRow("condition and body of while")
            << QByteArray("while a; do b; done") << QStringLiteral("a; b") << false;
        QTest::newRow("a variable that a loop changes")
            << QByteArray("x=a; while t; do x=b; done; $x 1") << QStringLiteral("t; b 1; a 1; <?> 1") << false;
        QTest::newRow("every case") << QByteArray("case $1 in a) b;; *) c;; esac") << QStringLiteral("b; c") << false;
        QTest::newRow("a case that falls through")
            << QByteArray("case $1 in a) x=sudo;& b) $x id;; esac") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a subshell keeps its variables")
            << QByteArray("x=a; (x=b; $x 1); $x 2") << QStringLiteral("b 1; a 2") << false;
        QTest::newRow("a pipe keeps its variables")
            << QByteArray("x=a; t | x=b; $x 2") << QStringLiteral("t; a 2") << false;
        QTest::newRow("a group does not") << QByteArray("x=a; { x=b; }; $x 1") << QStringLiteral("b 1") << false;
        QTest::newRow("a function runs where it is called")
            << QByteArray("f() { sudo id; }; f") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a function that is never called does not run")
            << QByteArray("f() { sudo id; }; true") << QStringLiteral("true") << false;
        QTest::newRow("arguments of a function")
            << QByteArray("f() { \"$@\"; }; f sudo id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a function is shadowed by command")
            << QByteArray("id() { sudo x; }; command id") << QStringLiteral("command id; id") << false;
        QTest::newRow("a function that may not be defined leaves the program")
            << QByteArray("if t; then sudo() { :; }; fi; sudo id") << QStringLiteral("t; :; sudo id; id") << false;
        QTest::newRow("a function of a subshell leaves the program")
            << QByteArray("(sudo() { :; }); sudo id") << QStringLiteral(":; sudo id; id") << false;
        QTest::newRow("a local variable ends with its function")
            << QByteArray("x=a; f() { local x=b; $x 1; }; f; $x 2") << QStringLiteral("local x=b; b 1; a 2") << false;
        QTest::newRow("an unknown command may be any function")
            << QByteArray("f() { sudo id; }; $(date)") << QStringLiteral("date; <?>; sudo id; id") << false;
        QTest::newRow("exit ends the shell")
            << QByteArray("a; exit 1; sudo id") << QStringLiteral("a; exit 1") << false;
        QTest::newRow("exit of a subshell does not")
            << QByteArray("(exit 1); sudo id") << QStringLiteral("exit 1; sudo id; id") << false;
        QTest::newRow("exit that may not run does not")
            << QByteArray("t || exit 1; sudo id") << QStringLiteral("t; exit 1; sudo id; id") << false;
        QTest::newRow("exit that is a function does not")
            << QByteArray("exit() { :; }; exit; sudo id") << QStringLiteral(":; sudo id; id") << false;
        QTest::newRow("return ends the function")
            << QByteArray("f() { return; sudo id; }; f; a") << QStringLiteral("return; a") << false;
        QTest::newRow("[[ ]] runs its substitutions")
            << QByteArray("[[ -n $(sudo id) ]]") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("[[ -eq ]] evaluates its operands")
            << QByteArray("[[ 'a[$(sudo id)]' -eq 1 ]]") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("[[ == ]] does not") << QByteArray("[[ 'a[$(sudo id)]' == 1 ]]") << QStringLiteral("") << false;
        QTest::newRow("(( )) evaluates the values of names")
            << QByteArray("x='a[$(sudo id)]'; ((x))") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("a subscript is evaluated")
            << QByteArray("a[$(sudo id)]=1") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("dash runs the word after [[")
            << QByteArray("[[ x || reboot ]]") << QStringLiteral("[[ x; reboot ]]") << true;
        QTest::newRow("dash does not run what needs [[")
            << QByteArray("[[ a == a ]] && sudo id") << QStringLiteral("[[ a == a ]]") << true;
        QTest::newRow("a bad substitution ends dash")
            << QByteArray("echo ${!x}; sudo id") << QStringLiteral("") << true;
        QTest::newRow("a coprocess") << QByteArray("coproc sudo id") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("select") << QByteArray("select x in a; do $x 1; done") << QStringLiteral("a 1") << false;
        QTest::newRow("an arithmetic loop")
            << QByteArray("for ((i=0;i<1;i++)); do sudo id; done") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("alias of bash without the option")
            << QByteArray("alias x='sudo id'\nx") << QStringLiteral("alias 'x=sudo id'; x") << false;
        QTest::newRow("alias of bash with the option")
            << QByteArray("shopt -s expand_aliases\nalias x='sudo id'\nx 1")
            << QStringLiteral("shopt -s expand_aliases; alias 'x=sudo id'; sudo id 1; id 1") << false;
        QTest::newRow("alias of dash") << QByteArray("alias x='sudo id'; eval x")
                                       << QStringLiteral("alias 'x=sudo id'; eval x; sudo id; id") << true;
        QTest::newRow("an alias is not taken from a quoted word")
            << QByteArray("alias x='sudo id'\n\\x") << QStringLiteral("alias 'x=sudo id'; x") << true;
        QTest::newRow("an assignment before a special builtin stays in dash")
            << QByteArray("x=sudo :; $x id") << QStringLiteral(":; sudo id; id") << true;
        QTest::newRow("… and not in bash") << QByteArray("x=sudo :; $x id") << QStringLiteral(":; id") << false;
    }
    void follows_control()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        QFETCH(bool, sh);
        QCOMPARE(test::programs(test::evaluated(text.toStdString(), sh ? Dialect::Sh : Dialect::Bash)), expected);
    }

    void fork_bombs_are_found()
    {
        for (const char *text :
             {"b(){ b|b& };b", ":()\n{\n  :|:&\n}\n:", "f() { f & f; }; f", "bomb() { bomb | bomb; }; bomb"})
            QVERIFY2(test::has(test::evaluated(text), Construct::ForkBomb), text);
    }

    void recursion_is_no_fork_bomb()
    {
        for (const char *text : {"f() { sleep 1; f; }; f", "f() { a | b & }; f; f", "g() { a; }; f() { g | g; }; f"})
            QVERIFY2(!test::has(test::evaluated(text), Construct::ForkBomb), text);
        QCOMPARE(test::reasons(test::evaluated("f() { sleep 1; f; }; f")), QStringLiteral("loop"));
    }

    void endless_loops_are_noted()
    {
        QCOMPARE(test::reasons(test::evaluated("while :; do sleep 5 & done")), QStringLiteral("loop"));
        QCOMPARE(test::reasons(test::evaluated("while read l; do echo \"$l\"; done < f")), QString());
    }

    void background_is_told()
    {
        const auto evaluation = test::evaluated("a & b");
        QVERIFY(evaluation.invocations[0].background);
        QVERIFY(!evaluation.invocations[1].background);
    }

    void directories_are_logical()
    {
        const auto cwd = [](const char *text) {
            return QString::fromStdString(test::evaluated(text).invocations.back().cwd.value_or("?"));
        };
        QCOMPARE(cwd("cd a/b && ls"), QStringLiteral("/srv/w/a/b"));
        QCOMPARE(cwd("cd a; cd ..; ls"), QStringLiteral("/srv/w"));
        QCOMPARE(cwd("mkdir -p a/b/c && ln -s a/b/c s && cd s/../../.. && ls"), QStringLiteral("/"));
        QCOMPARE(cwd("cd /etc/../var//run/. && ls"), QStringLiteral("/var/run"));
        QCOMPARE(cwd("cd a; cd -; ls"), QStringLiteral("/srv/w"));
        QCOMPARE(cwd("cd; ls"), QStringLiteral("/srv/w"));
        QCOMPARE(cwd("cd \"$(date)\"; ls"), QStringLiteral("?"));
        QCOMPARE(cwd("(cd a); ls"), QStringLiteral("/srv/w"));
        QCOMPARE(cwd("cd a || ls"), QStringLiteral("/srv/w"));
        QCOMPARE(cwd("pushd a; popd; ls"), QStringLiteral("/srv/w"));
    }

    void each_directory_that_may_be_current_is_an_invocation()
    {
        std::vector<std::string> cwds;
        for (const auto &invocation : test::evaluated("[ -d a ] && cd a; cat x").invocations) {
            if (invocation.name == "cat")
                cwds.push_back(invocation.cwd.value_or("?"));
        }
        std::ranges::sort(cwds);
        QCOMPARE(cwds, (std::vector<std::string>{"/srv/w", "/srv/w/a"}));
    }
};

QTEST_GUILESS_MAIN(TstEvaluateControl)
#include "tst_evaluate_control.moc"
