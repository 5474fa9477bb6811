// SPDX-License-Identifier: Apache-2.0

// Lines, functions, loops and shells that are left in the middle, and what holds afterwards.

#include "tests/support/describe_evaluation.h"

#include <QTest>

#include <string>

using namespace portcullis;
using namespace portcullis::shell;

class TstEvaluateLeaving : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_value_of_a_way_that_was_left_is_possible_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("a division by zero", "x=sudo; echo $((1/y)); x=ls\n$x id");
        row("… before the assignment beside it", "x=sudo\ny=$((1/y)) x=ls\n$x id");
        row("… in the word of a command", "x=sudo\nx=ls true $((1/0)); x=ls\n$x id");
        row("… in a condition", "x=sudo\nif ((1)); then : $((1/0)); fi; x=ls\n$x id");
        row("… in one branch of two", "if [ $1 ]; then x=sudo; : $((1/0)); x=ls; else x=id; fi; x=ls\n$x id");
        row("… in a function", "f() { x=sudo; : $((1/0)); x=ls; }\nf; x=ls\n$x id");
        row("… of a function that has a variable of its own",
            "x=sudo\nf() { local x=ls; : $((1/0)); }\nf; x=ls\n$x id");
        row("… below a variable for one command", "x=sudo\nf() { : $((1/0)); }\nx=ls f; x=ls\n$x id");
        row("… in eval, which goes on with its next line", "x=sudo; eval ': $((1/0)); x=ls\ny=1'; $x id");
        row("… in a subshell that prints", "x=$(echo sudo; : $((1/0)); echo ls); $x id");
        row("a number that is not known", "x=sudo; n=$(wc -l f); : $((n + 1)); x=ls\n$x id");
        row("an element before the first", "x=sudo; a[-1]=1; x=ls\n$x id");
        row("… which keeps its old value", "a=(sudo); a[-2]=ls; $a id");
        row("an element of which the place is not known", "x=sudo; a[$(wc -l f)]=1; x=ls\n$x id");
        row("a readonly variable", "readonly y; x=sudo; y=1; x=ls\n$x id");
        row("a readonly variable in arithmetic", "readonly y; x=sudo; : $((y=1)); x=ls\n$x id");
        row("a name that is none", "x=sudo; : ${!y}; x=ls\n$x id");
        row("a part of negative length", "x=sudo; : ${x:0:-9}; x=ls\n$x id");
        row("an operator that is none", "x=sudo; : ${x@Z}; x=ls\n$x id");
        row("a reference to no name", "x=sudo; declare -n z; z=1x; x=ls\n$x id");
        row("parameters", "set -- sudo; : $((1/0)); set -- ls\n$1 id");
        row("parameters around a function", "set -- sudo; f() { : $((1/0)); }\nf ls; set -- ls\n$1 id");
        row("a function that stays", "f() { sudo id; }\n: $((1/0)); f() { ls; }\nf");
        row("exit behind an error", ": $((1/0)); exit\nsudo id");
        row("a pattern that finds nothing", "shopt -s failglob; x=sudo; : /nope*; x=ls\n$x id");
        row("return in a branch", "f() { if [ $1 ]; then x=sudo; return; fi; x=ls; }; f; $x id");
        row("return in a loop", "x=sudo; f() { while :; do return; done; x=ls; }; f; $x id");
        row("return that may not run", "x=sudo; f() { [ $1 ] && return; x=ls; }; f; $x id");
        row("return in eval", "x=sudo; f() { eval return; x=ls; }; f; $x id");
        row("return in a file", "printf 'x=sudo\\nreturn\\nx=ls\\n' > s; . ./s; $x id");
        row("break", "for i in 1 2; do x=sudo; break; x=ls; done; $x id");
        row("break in a branch", "for i in 1 2; do if [ $1 ]; then x=sudo; break; fi; x=ls; done; $x id");
        row("break of two loops", "x=sudo; for i in 1; do for j in 1; do break 2; done; x=ls; done; $x id");
        row("continue before the next round", "for i in 1 2; do $x id; x=sudo; continue; x=ls; done");
        row("continue in a while loop", "while read l; do x=sudo; continue; x=ls; done <<< a; $x id");
        row("an exit before the trap", "trap '$x id' EXIT; x=sudo; [ $1 ] && exit; x=ls");
        row("an exit in a branch before the trap", "trap '$x id' EXIT; if [ $1 ]; then x=sudo; exit; fi; x=ls");
        row("set -e in a subshell that prints", "x=$(set -e; echo sudo; false; echo ls); $x id");
        row("set -u in a subshell that prints", "x=$(set -u; echo sudo; : $q; echo ls); $x id");
        row("an end of one part", "x=$(printf su; [ $1 ] && exit; printf X); ${x}do id");
        row("a folder that is not there", "x=sudo; cd /nope && x=ls; $x id");
        row("a file that is written in a branch", "echo sudo id > s; [ $1 ] && echo ls > s; . ./s");
        row("a file that is written behind an error", "echo sudo id > s; : $((1/0)); echo ls > s\n. ./s");
        row("a file that is added to in a branch", "echo sudo id > s; [ $1 ] && echo ls >> s; sh s");
        row("a file that may not be overwritten", "set -C; echo sudo id > s; echo ls > s; . ./s");
        row("a file that a function writes", "f() { echo sudo id; }; f > s; . ./s");
        row("a function that may be gone", "x=sudo; f() { x=ls; }; unset -f f; f; $x id");
        row("one function or another", "f() { x=sudo; }; [ $1 ] && f() { x=ls; }; f; $x id");
        row("the last argument of a function", "f() { : ls; }; f sudo; $_ id");
        row("a list of which nothing is there", "x=sudo; for x in \"$@\"; do :; done; $x id");
        row("… before other words", "set -- \"$@\" sudo; $1 id");
        row("… of an array", "a=(\"${a[@]}\" sudo); $a id");
        row("a readonly variable before readonly", "x=sudo readonly x; $x id");
        row("an exported variable", "set -a; x=sudo; sh -c '$x id'");
        row("a reference that gets its name", "declare -n z; z=x; z=sudo; $x id");
        row("quotes inside of a default in quotes", "x=\"${x:-$'su'}do\"; $x id");
        row("a value that a trap sets", "trap 'x=sudo' DEBUG; x=ls; $x id");
        row("parameters in a trap", "set -T; trap '$1 id' DEBUG; f() { ls; }; f sudo");
        row("a local variable that has the value outside",
            "shopt -s localvar_inherit; x=sudo; f() { local x; $x id; }; f");
        row("an alias that is one word", "shopt -s expand_aliases\nx=' sudo'; alias g=$x\ng id");
        row("an operator of a variable that is not set", ": ${x!}; x=ls\n${x:=sudo} id");
        row("a reference to a variable of its own name", "f() { local -n z=$1; z=sudo; }; f z; $z id");
        row("a default that is assigned where there is a value", "x=sudo; [ $1 ] && x=; : ${x:=ls}; $x id");
        row("a function that starts itself with other parameters", "f() { $1 id; [ $2 ] || f sudo a; }; f ls");
        row("a loop over parameters of which there may be none",
            "x=sudo; [ $1 ] && set -- ls; for x; do :; done; $x id");
        row("the argument of an option", "getopts a: o -a sudo; $OPTARG id");
        row("… in one word", "getopts a: o -asudo; $OPTARG id");
        row("echo that takes escapes", "shopt -s xpg_echo; x=$(echo 's\\x75do'); $x id");
    }
    void a_value_of_a_way_that_was_left_is_possible()
    {
        QFETCH(QByteArray, text);
        const Evaluation evaluation = test::evaluated(text.toStdString(), Dialect::Bash);
        const QString reasons = test::reasons(evaluation);
        QVERIFY2(test::starts(evaluation, "sudo") || reasons.contains(QStringLiteral("program"))
                     || reasons.contains(QStringLiteral("script")) || !evaluation.constructs.empty(),
                 text.constData());
    }

    void an_alias_holds_for_what_is_read_after_it_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("starts");
        const auto row = [](const char *name, const char *text, bool starts) {
            QTest::newRow(name) << QByteArray(text) << starts;
        };
        row("from the next line on", "alias ls='sudo id'\nls", true);
        row("not for its own line", "alias sudo=echo; sudo id", true);
        row("the one before for its own line", "alias g=sudo\nalias g=ls; g id", true);
        row("when a function was read", "alias g=sudo\nf() { g id; }\nunalias g\nf", true);
        row("not for a function before it", "f() { sudo id; }\nalias sudo=echo\nf", true);
        row("not when it may not be there", "[ $1 ] && alias sudo=echo\nsudo id", true);
        row("not outside of a subshell", "(alias sudo=echo)\nsudo id", true);
        row("for a text of its own", "alias sudo=echo; eval 'sudo id'", false);
        row("for all that follows", "alias sudo=echo\nsudo id", false);
        row("until it is taken back", "alias sudo=echo\nunalias sudo\nsudo id", true);
    }
    void an_alias_holds_for_what_is_read_after_it()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, starts);
        QVERIFY2(test::starts(test::evaluated(text.toStdString(), Dialect::Sh), "sudo") == starts, text.constData());
    }

    void what_cannot_be_left_stays_certain_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("arithmetic of known numbers", "i=1; x=sudo; i=$((i + 1)); x=ls\n$x id");
        row("a number on a line of its own", "x=sudo\nx=ls\n: $((y + z))\n$x id");
        row("a number behind both", "x=sudo; x=ls; n=$((n + 1))\n$x id");
        row("what follows in the line", "x=sudo; : $((1/0)); x=ls; $x id");
        row("an element that is there", "a=(sudo id); a[-1]=x; a[0]=ls; x=ls\n${a[0]} id");
        row("a readonly variable that is only read", "readonly y=ls; x=sudo; x=$y\n$x id");
        row("break at the end of a round", "for x in ls; do $x; break; done");
        row("return at the end", "f() { x=ls; return 0; }; x=sudo; f; $x id");
        row("a sure function", "f() { x=ls; }; x=sudo; f; $x id");
        row("a trap at the end", "trap 'x=sudo' EXIT; x=ls; $x id");
        row("a trap of a signal", "trap 'stop=1' INT TERM; x=ls; $x id");
        row("a trap that sets nothing", "trap 'echo a' ERR; x=ls; $x id");
        row("a default that is assigned", ": ${x:=ls}; $x id");
        row("a default that is assigned for an empty value", "x=; : ${x:=ls}; $x id");
        row("what follows false", "x=ls; false && sudo id; $x");
        row("what stands beside true", "x=ls; true || sudo id; $x");
        row("assignments joined by &&", "x=sudo; y=1 && x=ls; $x id");
        row("a file that is written again", "echo sudo id > s; echo ls > s; . ./s");
        row("parameters that are there", "set -- ls; for x in \"$@\"; do $x; done");
    }
    void what_cannot_be_left_stays_certain()
    {
        QFETCH(QByteArray, text);
        const Evaluation evaluation = test::evaluated(text.toStdString());
        const QString programs = test::programs(evaluation);
        QVERIFY2(!test::starts(evaluation, "sudo") && test::starts(evaluation, "ls"), qPrintable(programs));
        QVERIFY2(!test::reasons(evaluation).contains(QStringLiteral("program")), qPrintable(programs));
    }
};

QTEST_GUILESS_MAIN(TstEvaluateLeaving)
#include "tst_evaluate_leaving.moc"
