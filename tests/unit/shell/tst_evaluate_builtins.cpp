// SPDX-License-Identifier: Apache-2.0
#include "tests/support/describe_evaluation.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::shell;

class TstEvaluateBuiltins : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runs_builtins_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("expected");
        QTest::addColumn<bool>("sh");
        QTest::newRow("eval joins its words and reads them")
            << QByteArray("eval 'su''do' id") << QStringLiteral("eval sudo id; sudo id; id") << false;
        QTest::newRow("eval twice") << QByteArray("eval eval sudo id")
                                    << QStringLiteral("eval eval sudo id; eval sudo id; sudo id; id") << false;
        QTest::newRow("eval of a variable")
            << QByteArray("x='sudo id'; eval \"$x\"") << QStringLiteral("eval 'sudo id'; sudo id; id") << false;
        QTest::newRow("eval sees a temporary variable")
            << QByteArray("x=sudo eval '$x id'") << QStringLiteral("eval '$x id'; sudo id; id") << false;
        QTest::newRow("source of a process substitution")
            << QByteArray("source <(echo sudo id)") << QStringLiteral("echo sudo id; source /dev/fd/63; sudo id; id")
            << false;
        QTest::newRow("source of standard input")
            << QByteArray(". /dev/stdin <<< 'sudo id'") << QStringLiteral(". /dev/stdin; sudo id; id") << false;
        QTest::newRow("trap") << QByteArray("trap 'sudo id' EXIT") << QStringLiteral("trap 'sudo id' EXIT; sudo id; id")
                              << false;
        QTest::newRow("trap sees later variables")
            << QByteArray("trap '$x id' EXIT; x=sudo") << QStringLiteral("trap '$x id' EXIT; id; sudo id") << false;
        QTest::newRow("trap that is reset") << QByteArray("trap - EXIT") << QStringLiteral("trap - EXIT") << false;
        QTest::newRow("exec") << QByteArray("exec -a x sudo id") << QStringLiteral("exec -a x sudo id; sudo id; id")
                              << false;
        QTest::newRow("command -v only asks")
            << QByteArray("command -v sudo") << QStringLiteral("command -v sudo") << false;
        QTest::newRow("builtin command") << QByteArray("builtin command sudo id")
                                         << QStringLiteral("builtin command sudo id; command sudo id; sudo id; id")
                                         << false;
        QTest::newRow("let evaluates") << QByteArray("let 'a[$(sudo id)]'")
                                       << QStringLiteral("let 'a[$(sudo id)]'; sudo id; id") << false;
        QTest::newRow("test -v evaluates")
            << QByteArray("test -v 'a[$(sudo id)]'") << QStringLiteral("test -v 'a[$(sudo id)]'; sudo id; id") << false;
        QTest::newRow("declare evaluates a subscript")
            << QByteArray("declare 'a[$(sudo id)]=1'") << QStringLiteral("declare 'a[$(sudo id)]=1'; sudo id; id")
            << false;
        QTest::newRow("unset evaluates a subscript")
            << QByteArray("unset 'a[$(sudo id)]'") << QStringLiteral("unset 'a[$(sudo id)]'; sudo id; id") << false;
        QTest::newRow("printf -v evaluates a subscript")
            << QByteArray("printf -v 'a[$(sudo id)]' x") << QStringLiteral("printf -v 'a[$(sudo id)]' x; sudo id; id")
            << false;
        QTest::newRow("printf -v sets a variable") << QByteArray("printf -v x 'su%s' do; $x id")
                                                   << QStringLiteral("printf -v x su%s do; sudo id; id") << false;
        QTest::newRow("read evaluates a subscript")
            << QByteArray("read 'a[$(sudo id)]' <<< x") << QStringLiteral("read 'a[$(sudo id)]'; sudo id; id") << false;
        QTest::newRow("read of a known line")
            << QByteArray("read x y <<< 'sudo id'; $x $y") << QStringLiteral("read x y; sudo id; id") << false;
        QTest::newRow("read of each known line")
            << QByteArray("printf 'sudo id\\nls x\\n' | while read -r a b; do $a $b; done")
            << QStringLiteral("printf 'sudo id\\nls x\\n'; read -r a b; sudo id; id; ls id; sudo x; x; ls x") << false;
        QTest::newRow("mapfile of a known text") << QByteArray("mapfile -t a <<< $'sudo\\nid'; \"${a[@]}\"")
                                                 << QStringLiteral("mapfile -t a; sudo id; id") << false;
        QTest::newRow("a prompt with code")
            << QByteArray("PS4='$(sudo id)'; set -x; true") << QStringLiteral("sudo id; id; set -x; true") << false;
        QTest::newRow("the prompt command")
            << QByteArray("PROMPT_COMMAND='sudo id'") << QStringLiteral("sudo id; id") << false;
        QTest::newRow("declare -i evaluates")
            << QByteArray("declare -i x; x='a[$(sudo id)]'") << QStringLiteral("declare -i x; sudo id; id") << false;
        QTest::newRow("a reference follows its name")
            << QByteArray("declare -n r=x; r=sudo; $x id") << QStringLiteral("declare -n r=x; sudo id; id") << false;
        QTest::newRow("export -f reaches a child shell")
            << QByteArray("f() { sudo id; }; export -f f; bash -c f")
            << QStringLiteral("export -f f; bash -c f; sudo id; id") << false;
        QTest::newRow("a function that is not exported does not")
            << QByteArray("f() { sudo id; }; bash -c f") << QStringLiteral("bash -c f; f") << false;
        QTest::newRow("set -- with a command")
            << QByteArray("set -- sudo id; \"$@\"") << QStringLiteral("set -- sudo id; sudo id; id") << false;
        QTest::newRow("command_not_found_handle") << QByteArray("command_not_found_handle() { sudo id; }; nosuch")
                                                  << QStringLiteral("sudo id; id; nosuch") << false;
    }
    void runs_builtins()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, expected);
        QFETCH(bool, sh);
        QCOMPARE(test::programs(test::evaluated(text.toStdString(), sh ? Dialect::Sh : Dialect::Bash)), expected);
    }

    void eval_of_what_nobody_knows_is_a_finding()
    {
        for (const char *text : {"eval \"$PAYLOAD\"", "eval \"$(cat x)\"", "source <(base64 -d x)", ". <(base64 -d x)",
                                 "trap \"$(cat x)\" EXIT"})
            QVERIFY2(test::has(test::evaluated(text), Construct::EvalUnknown), text);
        for (const char *text : {"eval ls", "x='ls -l'; eval \"$x\"", "eval \"echo $(date)\"", "source ./env.sh"})
            QVERIFY2(!test::has(test::evaluated(text), Construct::EvalUnknown), text);
    }

    void variables_that_are_set_are_told()
    {
        const auto last = [](const char *text) { return test::evaluated(text).assignments.back(); };
        QCOMPARE(last("x=1").name, std::string("x"));
        QVERIFY(!last("x=1").exported);
        QVERIFY(last("export x=1").exported);
        QVERIFY(last("printf -v LD_PRELOAD %s ./x.so; typeset -x LD_PRELOAD").exported);
        QCOMPARE(last("PATH=/x:$PATH").value.text, std::string("/x:/usr/bin:/bin"));
        QVERIFY2(last("PATH=/x").exported, "it came with the environment");
    }

    void an_assignment_before_a_program_belongs_to_it()
    {
        const auto evaluation = test::evaluated("LD_PRELOAD=./x.so A=$(date) ls");
        QVERIFY(evaluation.assignments.empty());
        const auto &assigns = evaluation.invocations.back().assigns;
        QCOMPARE(assigns.size(), 2U);
        QCOMPARE(assigns[0].name, std::string("LD_PRELOAD"));
        QCOMPARE(assigns[0].value.text, std::string("./x.so"));
        QCOMPARE(assigns[1].name, std::string("A"));
    }

    void redirections_belong_to_their_program_or_to_none()
    {
        const auto evaluation = test::evaluated("a > f 2>> g; { b; } > h; > i");
        QCOMPARE(evaluation.invocations[0].redirects.size(), 2U);
        QCOMPARE(evaluation.invocations[0].redirects[1].fd, std::string("2"));
        QCOMPARE(evaluation.invocations[0].redirects[1].target.text, std::string("g"));
        QCOMPARE(evaluation.redirections.size(), 2U);
        QCOMPARE(evaluation.redirections[0].target.text, std::string("h"));
        QCOMPARE(evaluation.redirections[1].target.text, std::string("i"));
    }
};

QTEST_GUILESS_MAIN(TstEvaluateBuiltins)
#include "tst_evaluate_builtins.moc"
