// SPDX-License-Identifier: Apache-2.0
#include "tests/support/describe_evaluation.h"

#include <QTest>

#include <string>

using namespace portcullis;
using namespace portcullis::shell;

namespace {

bool saw(std::string_view text, Dialect dialect = Dialect::Bash)
{
    const Evaluation evaluation = test::evaluated(text, dialect);
    return test::starts(evaluation, "sudo") || test::reasons(evaluation).contains(QStringLiteral("program"))
        || test::reasons(evaluation).contains(QStringLiteral("script"));
}

/// As the shells have it: a value of which every part is known is believed.
bool certain(std::string_view text)
{
    const Evaluation evaluation = test::evaluated(text);
    return !test::starts(evaluation, "sudo") && test::reasons(evaluation).isEmpty();
}

std::size_t bytesOf(const Evaluation &evaluation)
{
    std::size_t bytes = 0;
    for (const Invocation &invocation : evaluation.invocations) {
        bytes += sizeof(Invocation) + (invocation.input ? invocation.input->text.size() : 0);
        for (const Value &value : invocation.args)
            bytes += sizeof(Value) + value.text.size();
    }
    for (const Assignment &assignment : evaluation.assignments)
        bytes += sizeof(Assignment) + assignment.value.text.size();
    return bytes;
}

std::string repeated(std::string_view part, std::size_t count)
{
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += part;
    return text;
}

} // namespace

class TstEvaluateDoubt : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_value_that_may_be_another_is_not_believed_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("unset whose redirection fails", "x=sudo; unset x >/nope/x; $x id");
        row("export whose redirection fails", "x=sudo; export x=ls >/nope/x; $x id");
        row("printf -v whose redirection fails", "x=sudo; printf -v x ls >/nope/x; $x id");
        row("eval whose redirection fails", "x=sudo; eval 'x=ls' >/nope/x; $x id");
        row("a group whose redirection fails", "x=sudo; { x=ls; } >/nope/x; $x id");
        row("set whose redirection fails", "set -- sudo; set -- ls >/nope/x; $1 id");
        row("a loop whose redirection fails", "x=sudo; for x in ls; do :; done >/nope/x; $x id");
        row("exit in a group whose redirection fails", "{ exit; } >/nope/x; sudo id");
        row("exit in a function whose redirection fails", "f() { exit; }; f >/nope/x; sudo id");
        row("unset of a readonly variable", "readonly x=sudo; unset x; $x id");
        row("read into a readonly variable", "readonly x=sudo; read x <<< ls; $x id");
        row("declare -r is readonly too", "declare -r x=sudo; export x=ls; $x id");
        row("an option that unset does not have", "x=sudo; unset -z x; $x id");
        row("an option that declare does not have", "x=sudo; declare -Z x=ls; $x id");
        row("an option that read does not have", "x=sudo; read -z x <<< ls; $x id");
        row("unset -f leaves variables", "x=sudo; unset -f x; $x id");
        row("unset -n leaves the variable", "x=sudo; unset -n x; $x id");
        row("declare -p shows", "x=sudo; declare -p x=ls; $x id");
        row("local outside a function", "x=sudo; local x=ls; $x id");
        row("set - leaves the parameters", "set -- sudo; set -; $1 id");
        row("a builtin that is switched off", "enable -n exit; exit; sudo id");
        row("shift in a while loop", "set -- ls sudo; while [ $# -gt 0 ]; do $1 id; shift; done");
        row("shift in an until loop", "set -- ls ls sudo; until [ $# = 0 ]; do $1 id; shift; done");
        row("shift in a function", "f() { while [ $# -gt 0 ]; do $1 id; shift; done; }; f ls sudo");
        row("the twelfth round", "set -- a b c d e f g h i j k sudo; while [ $1 ]; do $1 id; shift; done");
        row("read up to NUL", "printf 'sudo\\0' | while IFS= read -r -d '' c; do $c id; done");
        row("read up to a character", "read -d x c <<< sudox; $c id");
        row("read of some characters", "read -n4 c <<< sudox; $c id");
        row("read of just so many characters", "read -N4 c <<< sudox; $c id");
        row("read into an array", "read -a w <<< 'ls sudo'; ${w[1]} id");
        row("read takes a backslash away", "read c <<< 's\\udo'; $c id");
        row("read into an element", "read 'a[1]' <<< sudo; ${a[1]} id");
        row("mapfile up to NUL", "mapfile -d '' a < <(printf 'sudo\\0id\\0'); \"${a[@]}\"");
        row("mapfile from the second line on", "mapfile -t -s1 a <<< $'ls\\nsudo'; $a id");
        row("mapfile from an index on", "mapfile -t -O 5 a <<< sudo; ${a[5]} id");
        row("what a test matched", "[[ sudo =~ (.*) ]]; ${BASH_REMATCH[1]} id");
        row("the text of the shell itself", "bash -c '${BASH_EXECUTION_STRING##*#} id #sudo'");
        row("declare -l", "declare -l x=SUDO; $x id");
        row("declare -l before the value", "typeset -l x; x=SUDO; $x id");
        row("a case that is turned", "c=SUDO; ${c~~} id");
        row("what was found, in a replacement", "c=sdo; ${c/s/&u} id");
        row("an extended pattern", "shopt -s extglob; c=xxsudo; ${c##+(x)} id");
        row("pairs of an associative array", "declare -A a=(k sudo); ${a[k]} id");
        row("keys of an associative array", "declare -A a; a[x]=sudo; a[y]=ls; ${a[x]} id");
        row("a list in a quoted value", "declare -a a='(sudo id)'; \"${a[@]}\"");
        row("printf -v of an element", "printf -v 'a[1]' sudo; ${a[1]} id");
        row("a default for an element", ": ${a[1]:=sudo}; ${a[1]} id");
        row("an option cluster with o", "bash -oc errexit 'sudo id'");
        row("an option cluster with O", "bash -Oc extglob 'sudo id'");
        row("a longer option cluster", "bash -euoc pipefail 'sudo id'");
        row("sh has the same", "sh -oc errexit 'sudo id'");
        row("env -S expands", "env -S '${X}sudo id'");
        row("env -S expands what it was given", "X=su env -S '${X}do id'");
        row("hash names a file elsewhere", "hash -p /opt/x/sudo foo; foo id");
        row("hash gives a known name to a script", "hash -p ./x git; git");
        row("aliases of the posix mode", "set -o posix\nalias s=sudo\ns id");
        row("aliases by an option", "bash -O expand_aliases -c 'alias s=sudo\ns id'");
        row("a here-string on another descriptor", "bash /dev/fd/3 3<<< 'sudo id'");
        row("source of another descriptor", "exec 3<<< 'sudo id'; source /proc/self/fd/3");
        row("a script that sed changed", "printf 'xudo id' > s6; sed -i s/x/s/ s6; bash s6");
    }
    void a_value_that_may_be_another_is_not_believed()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(saw(text.toStdString()), text.constData());
    }

    void a_value_that_is_certain_stays_so_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("unset", "x=sudo; unset x 2>/dev/null; x=ls; $x id");
        row("export to nowhere", "x=sudo; export x=ls >/dev/null 2>&1; $x");
        row("exit", "exit; sudo id");
        row("readonly", "readonly x=ls; $x");
        row("read", "x=sudo; read -r x <<< ls; $x");
        row("read of an array", "read -r -a w <<< 'sudo ls'; ${w[1]}");
        row("a separator stays in the last field", "IFS= read -r c <<< 'ls'; $c");
        row("declare", "x=sudo; declare -i n=1; declare x=ls; $x");
        row("parameters in turn", "set -- ls pwd; shift; $1");
        row("declare -u", "declare -u x=a; echo $x; y=ls; $y");
        row("keys", "declare -A a=([x]=ls [y]=sudo); ${a[x]}");
        row("a replacement", "c=lx; ${c/x/s}");
        row("options of a shell", "bash -euo pipefail -c 'ls'");
        row("hash of a program of the system", "hash -r; ls");
    }
    void a_value_that_is_certain_stays_so()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(certain(text.toStdString()), text.constData());
    }

    void a_short_text_makes_no_large_value_data()
    {
        QTest::addColumn<QByteArray>("text");
        const std::string replacing = "x=" + repeated("a", 40'000) + "; echo ${x//a/" + repeated("b", 40'000) + "}";
        QTest::newRow("a replacement") << QByteArray::fromStdString(replacing);
        QTest::newRow("xargs -I") << QByteArray::fromStdString("echo " + repeated("a ", 20'000) + "| xargs -I{} sh -c '"
                                                               + repeated("{} ", 20'000) + "'");
        QTest::newRow("splitting") << QByteArray::fromStdString("x='" + repeated("a ", 30'000) + "'; ls"
                                                                + repeated(" $x", 15'000));
    }
    void a_short_text_makes_no_large_value()
    {
        QFETCH(QByteArray, text);
        const Evaluation evaluation = test::evaluated(text.toStdString());
        QVERIFY(bytesOf(evaluation) < 64U * 1024 * 1024);
        QVERIFY2(test::reasons(evaluation).contains(QStringLiteral("budget")), "what was left out is told");
    }

    void a_replacement_of_usual_length_is_made()
    {
        const Evaluation evaluation = test::evaluated("x=a.b.c; echo ${x//./--} | xargs -I{} touch {}.txt");
        QCOMPARE(test::programs(evaluation),
                 QStringLiteral("echo a--b--c; xargs -I{} touch {}.txt; touch a--b--c.txt"));
    }
};

QTEST_GUILESS_MAIN(TstEvaluateDoubt)
#include "tst_evaluate_doubt.moc"
