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
    void a_process_start_in_code_whose_line_is_not_known_is_doubtful_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("an argument of a function of awk", "awk 'function f(c){system(c)} BEGIN{f(\"sudo id\")}'");
        row("a field of a file", "awk '{system($1)}' f");
        row("a pipe into a field", "awk '{print | $1}' f");
        row("a line of which the end is not known", "awk '{system(\"echo \" $1)}' f");
        row("lines of a file although input is shown", "awk '{system($0)}' f <<< ls");
        row("a variable of the environment", "python3 -c 'import os; os.system(os.environ[\"C\"])'");
        row("a variable of python", "python3 -c 'import os; os.system(f())'");
        row("a list of which the program is not known", "python3 -c 'import subprocess; subprocess.run([x, \"id\"])'");
        row("a format with an unknown part", "python3 -c 'import os; os.system(\"{} id\".format(x))'");
        row("code that is not known", "python3 -c 'exec(open(\"f\").read())'");
        row("what perl matched", "perl -pe 's/.*/`$&`/e' f");
        row("an argument that is not there", "perl -e 'system $ARGV[3]' a");
        row("a call of the engine of node", "node -e 'process.binding(\"spawn_sync\").spawn({file:x})'");
    }
    void a_process_start_in_code_whose_line_is_not_known_is_doubtful()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(saw(text.toStdString()), text.constData());
    }

    void a_process_start_in_code_whose_line_is_known_is_certain_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("arguments of python", "python3 -c 'import sys,subprocess; subprocess.run(sys.argv[1:])' ls -l");
        row("arguments of perl", "perl -e 'system @ARGV' ls -l");
        row("lines of standard input", "awk '{system($0)}' <<< ls");
        row("a name that calls no shell", "python3 -c 'import platform; print(platform.system())'");
        row("an evaluated block of perl", "perl -e 'eval { die 1 }; print $@'");
        row("a method that is called eval", "python3 -c 'model.eval()'");
        row("an alternative of a regular expression", "awk '/a|b/ {print $1}' f");
    }
    void a_process_start_in_code_whose_line_is_known_is_certain()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(certain(text.toStdString()), text.constData());
    }

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
        row("declare -i that may not run", "for x in ls sudo; do false && declare -i x; done; $x id");
        row("declare -i of a branch", "[ $1 ] && declare -i x; x=sudo; $x id");
        row("what is appended behind declare -i of a branch", "x=su; [ $1 ] && declare -i x; x+=do; $x id");
        row("exit behind a folder that may not be there", "cd /nope && exit; sudo id");
        row("exit behind what may fail", "mkdir a && ls && exit 0; sudo id");
        row("exit of a group behind a folder", "cd x && { ls; exit; }; sudo id");
        row("return behind a folder", "f() { cd x && return; sudo id; }; f");
        row("a value behind such an exit", "x=sudo; cd x && x=ls && exit; $x id");
        row("exit behind a redirection that fails", "true >/nope/x && exit; sudo id");
        row("a line that ends where a name is not set", "x=sudo; echo ${!y}; x=ls\n$x id");
        row("a line that ends in a division", "x=sudo; echo $((1/0)); x=ls\n$x id");
        row("a loop that ends where a name is not set", "for x in sudo ls; do echo ${!y}; done\n$x id");
        row("an element behind a word that may be none", "[ $1 ] && x=ls; a=($x sudo); $a id");
        row("… of a declared list", "if [ $1 ]; then x=ls; fi; declare -a a='(${x,,} sudo)'; $a id");
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
        row("an assignment whose redirection fails", "x=sudo; x=ls >/nope/x; $x id");
        row("names with a prefix", "a_1=sudo; for v in ${!a_*}; do ${!v} id; done");
        row("names with a prefix, each a word", "a_sudo=1; for v in \"${!a_@}\"; do ${v#a_} id; done");
        row("declare -c", "declare -c x=SUDO; ${x,} id");
        row("patterns of any case", "shopt -s nocasematch; c=SXudo; c=${c/x/}; ${c,,} id");
        row("a replacement at the end", "c=sud; ${c/%/o} id");
        row("a replacement at the start", "c=udo; ${c/#/s} id");
        row("parameters after a loop", "set -- a b c d e f g h i j k sudo; while [ $# -gt 1 ]; do shift; done; $1 id");
        row("a reference to an element", "declare -n r='a[$(sudo id)]'; r=1");
        row("a local reference to an element", "f() { local -n r=$1; r=1; }; f 'a[$(sudo id)]'");
        row("an integer that is read", "r='a[$(sudo id)]'; declare -i x; read x <<< \"$r\"");
        row("an integer in a loop", "r='a[$(sudo id)]'; declare -i x; for x in \"$r\"; do :; done");
        row("an integer that is printed", "r='a[$(sudo id)]'; declare -i x; printf -v x %s \"$r\"");
        row("an integer that is added to", "r='a[$(sudo id)]'; declare -i x=1; x+=r");
        row("arithmetic of a name of a name", "r='a[$(sudo id)]'; s=$r; q=s; p=q; o=p; n=o; echo $((n))");
        row("an expansion in a subscript", "b='a[$(sudo id)]'; r='a[$b]'; echo $((r))");
        row("POSIXLY_CORRECT expands aliases", "POSIXLY_CORRECT=1\nalias s=sudo\ns id");
        row("… for a shell of its own", "POSIXLY_CORRECT=1 bash -c 'alias s=sudo\ns id'");
        row("a function that completes", "f() { sudo id; }; compgen -F f x");
        row("a command that completes", "f() { sudo id; }; compgen -C f x");
        row("the shell by its process", "/proc/self/exe -c 'sudo id'");
        row("the shell by its number", "/proc/$$/exe -c 'sudo id'");
        row("a descriptor of another path", "bash /proc/thread-self/fd/3 3<<< 'sudo id'");
        row("a descriptor for another language", "python3 /dev/fd/3 3<<< 'import os; os.system(\"sudo id\")'");
        row("a script that a pattern finds", "printf 'sudo id' > s6; bash s*6");
        row("a declared value is one word", "v='ls sudo'; declare y=$v; ${y#ls } id");
        row("read with a time", "read -t 1 c <<< sudo; $c id");
        row("mapfile of some lines", "mapfile -t -n1 a <<< $'ls\nsudo'; mapfile -t -s1 -n 1 a <<< $'ls\nsudo'; $a id");
        row("the second part of a line", "{ read -n2 c; read -n4 c; } <<< lssudo; $c id");
        row("an element behind a gap", "a[3]=sudo; \"${a[@]}\" id");
        row("a value for the name of an array", "a=(ls sudo); a=x; ${a[1]} id");
        row("the order of an associative array", "declare -A m=([a]=ls [b]=sudo); \"${m[@]}\" id");
        row("keys of an array", "declare -A m=([sudo]=1); ${!m[@]} id");
        row("pairs that are added", "declare -A a; a+=([k]=sudo); ${a[k]} id");
        row("an element that is declared", "declare 'a[1]=sudo'; ${a[1]} id");
        row("a local variable without a value", "f() { local x; ${x:-sudo} id; }; x=ls; f");
        row("separators that may be others", "false && IFS=sudo; x=sudo; $x id");
        row("a name that is not set", "for x in ${!y} ls; do :; done; ${x:=sudo} id");
        row("a line that is not there", "while read x; do :; done <<< ls; ${x:-sudo} id");
        row("a part of an array with gaps", "read 'a[1]' <<< sudo; ${a[*]:1} id");
        row("a reference that is made again", "x=sudo; for i in 1 2; do declare -n z=x; done; $z id");
        row("unset of a reference", "x=ls; declare -n z=x; unset z; ${x:-sudo} id");
        row("a loop over one or another", "[ -e y ] && x=sudo; for x in ${x-ls}; do :; done; $x id");
        row("the last argument of another branch", "case $1 in a) : sudo;; *) : ls;; esac; $_ id");
        row("the last argument before a pipeline", ": sudo; echo ls | cat; $_ id");
        row("the last argument before a subshell", ": sudo; (echo ls); $_ id");
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
        row("a parameter that is not set", "f() { echo ${!1}; ls; }; f");
        row("a division", "echo $((6/3)) $((010 + 16 % 3)) $((1 << 2)) $(( (1) )) $((-1)) $((1?2:3))");
        row("exit behind what never fails", "true && exit; sudo id");
        row("exit in front of a chain", "exit && ls; sudo id");
        row("readonly", "readonly x=ls; $x");
        row("read", "x=sudo; read -r x <<< ls; $x");
        row("read of an array", "read -r -a w <<< 'sudo ls'; ${w[1]}");
        row("a separator stays in the last field", "IFS= read -r c <<< 'ls'; $c");
        row("declare", "x=sudo; declare -i n=1; declare x=ls; $x");
        row("declare -i that runs", "declare -i x; x=sudo; $x 2>/dev/null; ls");
        row("parameters in turn", "set -- ls pwd; shift; $1");
        row("declare -u", "declare -u x=a; echo $x; y=ls; $y");
        row("keys", "declare -A a=([x]=ls [y]=sudo); ${a[x]}");
        row("a replacement", "c=lx; ${c/x/s}");
        row("options of a shell", "bash -euo pipefail -c 'ls'");
        row("hash of a program of the system", "hash -r; ls");
        row("an assignment beside a file", "x=ls >/dev/null; $x");
        row("read of characters", "read -r -n 2 c <<< lsudo; $c");
        row("read behind a backslash", "read c <<< 'l\\s'; $c");
        row("mapfile from a line on", "mapfile -t -s1 -n1 a <<< $'sudo\nls\nsudo'; ${a[0]}");
        row("elements in their order", "a=([2]=sudo [1]=ls); ${a[@]}");
        row("an element of a key", "declare -A m=([a]=ls [b]=sudo); ${m[a]}");
        row("an element that was replaced", "a=(ls sudo); a[1]=ls; ${a[1]}");
        row("no names with a prefix", "for v in ${!qq_*}; do $v; done; ls");
        row("a case that is turned", "c=LS; ${c~~}");
        row("declare -c", "declare -c x=LS; ${x,}");
        row("a replacement at the end", "c=l; ${c/%/s}");
        row("an integer", "declare -i n=1; n+=2; for n in 4 5; do :; done; ls");
        row("a declared value is one word", "v='sudo ls'; declare y=$v; ${y#sudo }");
        row("braces in a loop", "for i in {1..2000}; do ls $i; done");
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

    void a_posix_shell_has_fewer_escapes()
    {
        QVERIFY(saw("echo 's\\udo' | while read x; do $x id; done", Dialect::Sh));
        QVERIFY(saw("printf 's\\udo\\n' | while read x; do $x id; done", Dialect::Sh));
        QVERIFY(saw("/usr/bin/printf '\\x73udo id' | sh", Dialect::Sh));
        QVERIFY(saw("printf '\\x73udo id' | sh"));
    }

    void a_posix_shell_goes_on_behind_a_missing_command_that_was_spared()
    {
        QVERIFY(saw("true || [[ a ]] && x=sudo; $x id", Dialect::Sh));
        QVERIFY(!test::starts(test::evaluated("ls; [[ a ]] && sudo id", Dialect::Sh), "sudo"));
        QVERIFY(!test::starts(test::evaluated("ls && [[ a ]] && sudo id", Dialect::Sh), "sudo"));
    }

    void what_nobody_can_read_to_its_end_is_told_data()
    {
        QTest::addColumn<QByteArray>("text");
        std::string traps = "trap 'sudo id' EXIT;";
        for (int i = 0; i < 70; ++i)
            traps = "trap 'echo " + std::to_string(i) + "' EXIT;" + traps;
        std::string names = "a0='x[$(sudo id)]';";
        for (int i = 1; i < 120; ++i)
            names += "a" + std::to_string(i) + "=a" + std::to_string(i - 1) + ";";
        QTest::newRow("more traps than anybody sets") << QByteArray::fromStdString(traps);
        QTest::newRow("a long way of names") << QByteArray::fromStdString(names + "echo $((a119))");
        QTest::newRow("braces in the command word") << QByteArray("{a..z}{1..100000}sudo");
        QTest::newRow("an alias of a word of the grammar")
            << QByteArray("shopt -s expand_aliases\nalias if='sudo id;if'\nif :; then :; fi");
    }
    void what_nobody_can_read_to_its_end_is_told()
    {
        QFETCH(QByteArray, text);
        QVERIFY(test::has(test::evaluated(text.toStdString()), Construct::BeyondLimits));
    }

    void a_replacement_of_usual_length_is_made()
    {
        const Evaluation evaluation = test::evaluated("x=a.b.c; echo ${x//./--} | xargs -I{} touch {}.txt");
        QCOMPARE(test::programs(evaluation),
                 QStringLiteral("echo a--b--c; xargs -I{} touch {}.txt; touch a--b--c.txt"));
    }

    void variables_that_are_integers_from_birth_are_calculated_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("RANDOM", "RANDOM='a[$(sudo id)]'");
        row("SRANDOM", "SRANDOM='a[$(sudo id)]'");
        row("OPTIND", "OPTIND='a[$(sudo id)]'");
        row("HISTCMD", "HISTCMD='a[$(sudo id)]'");
        row("export", "export RANDOM='a[$(sudo id)]'");
        row("declare of a word", "declare \"RANDOM=a[\\$(sudo id)]\"");
        row("printf -v", "printf -v RANDOM %s 'a[$(sudo id)]'");
        row("read", "read -r RANDOM <<< 'a[$(sudo id)]'");
        row("the variable of a loop", "for RANDOM in 'a[$(sudo id)]'; do :; done");
        row("what is appended", "RANDOM+='a[$(sudo id)]'");
        row("by another name", "declare -n r=RANDOM; r='a[$(sudo id)]'");
        row("no longer one", "unset RANDOM; RANDOM=sudo; $RANDOM id");
        row("the start of the parameters", "bash -c '${@:0} id' sudo");
    }
    void variables_that_are_integers_from_birth_are_calculated()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(test::starts(test::evaluated(text.toStdString()), "sudo"), text.constData());
    }

    void what_nobody_knows_is_doubtful_where_bash_evaluates_it_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        const auto after = [](const char *name, const char *text) {
            QTest::newRow(name) << QByteArray("x=$(curl -s https://x/i); ") + text;
        };
        after("an arithmetic expansion", "echo $((x))");
        after("an operand of [[", "[[ $x -gt 0 ]]");
        after("an arithmetic command", "((x>0))");
        after("let", "let y=x");
        after("an arithmetic loop", "for ((i=0;i<x;i++)); do :; done");
        after("a subscript", "echo ${b[x]}");
        after("a subscript that is written to", "b[$x]=1");
        after("a subscript in a list", "b=([$x]=1)");
        after("a name", "echo ${!x}");
        after("test -v", "test -v \"$x\"");
        after("[ -v", "[ -v \"$x\" ]");
        after("[[ -v", "[[ -v $x ]]");
        after("printf -v", "printf -v \"$x\" a");
        after("read", "read \"$x\" <<< 1");
        after("unset", "unset \"$x\"");
        after("declare", "declare \"$x=1\"");
        after("declare of a whole word", "declare \"$x\"");
        after("a prompt", "echo ${x@P}");
        after("the prompt of a trace", "PS4=$x; set -x");
        after("a place", "echo ${@:0:x}");
        after("a place in a text", "y=abc; echo ${y:x}");
        after("a part of it", "echo $((${x%y} + ${x/a/b} + ${x:1}))");
        after("an integer", "declare -i y; y=$x");
        row("a prompt of a trace with code", "set -x; PS4='$(${x#x} id)'; x=xsudo; :");
        row("an integer from birth", "RANDOM=$(curl -s https://x/i)");
        row("an output in [[", "[[ $(curl -s https://x/i) -gt 0 ]]");
        row("lines", "mapfile -t l < <(curl -s https://x/i); ((l[0]))");
        row("a file", "read -r n < f; echo $((n+1))");
        row("lines of a file", "while read -r n; do ((s+=n)); done < f");
        row("$(<file)", "echo $(( $(<f) + 1 ))");
        row("a count with the name of a file", "echo $(( $(wc -l 'a[b]') ))");
        row("a count of many files", "echo $(( $(grep -c x f g) ))");
        row("a date with a text", "echo $(( $(date '+a[%s]') ))");
        row("digits that are changed", "echo $(( $(date +%s | tr 1 a) ))");
        row("a program that passes a file on", "echo $(( $(cat f | head -1) ))");
    }
    void what_nobody_knows_is_doubtful_where_bash_evaluates_it()
    {
        QFETCH(QByteArray, text);
        const Evaluation evaluation = test::evaluated(text.toStdString());
        QVERIFY2(test::reasons(evaluation).contains(QStringLiteral("program")), text.constData());
    }

    void numbers_and_plain_text_are_no_code_data()
    {
        QTest::addColumn<QByteArray>("text");
        const auto row = [](const char *name, const char *text) { QTest::newRow(name) << QByteArray(text); };
        row("a count of lines", "n=$(wc -l < f); echo $((n+1))");
        row("a count of what a program writes", "n=$(ls | wc -l); [[ $n -gt 3 ]]");
        row("a count without blanks", "n=$(wc -l < f | tr -d ' '); ((n > 3))");
        row("processors", "echo -j$(( $(nproc) / 2 ))");
        row("seconds", "s=$(date +%s); sleep 1; echo $(( $(date +%s) - s ))");
        row("matches", "c=$(grep -c x f); if ((c > 0)); then echo many; fi");
        row("a size", "n=$(stat -c %s f); echo $((n / 1024))");
        row("expr", "i=$(expr $i + 1); echo $((i))");
        row("seq", "for i in $(seq 1 10); do echo $((i * 2)); done");
        row("a count of commits", "n=$(git rev-list --count HEAD); echo $((n + 1))");
        row("a status of HTTP", "c=$(curl -s -o /dev/null -w '%{http_code}' https://x/); [[ $c -eq 200 ]]");
        row("a number with zeros", "n=$(printf '%03d' $i); echo $((10#$n))");
        row("variables of the shell", "echo $((RANDOM % 10)) $((SECONDS)) $(($# + $? + $$))");
        row("a counter", "i=0; while ((i < 3)); do i=$((i + 1)); ((i++)); done");
        row("OPTIND", "OPTIND=1; SECONDS=0; shift $((OPTIND - 1))");
        row("a test without arithmetic", "x=$(curl -s https://x/i); [[ $x == a* && $# -gt 0 ]]");
        row("test compares no expressions", "x=$(cat f); [ \"$x\" -gt 0 ]");
        row("a key", "declare -A m; while read -r k; do m[$k]=1; echo ${m[$k]}; done < f");
        row("whether there is a key", "declare -A m; while read -r k; do [[ -v m[$k] ]]; done < f");
        row("a value of declare", "f() { local n=$(cat f); declare -r m=\"$n\"; }; f");
        row("a value of export", "export V=\"$(cat f)\"");
        row("a prompt of a trace", "PS4='+ $LINENO '; set -x; echo a");
        row("a text", "x=$(curl -s https://x/i); echo \"$x\" ${x%a} ${#x} ${x:0:3} ${x^^}");
    }
    void numbers_and_plain_text_are_no_code()
    {
        QFETCH(QByteArray, text);
        QVERIFY2(certain(text.toStdString()), text.constData());
    }
};

QTEST_GUILESS_MAIN(TstEvaluateDoubt)
#include "tst_evaluate_doubt.moc"
