// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/exemption.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;

namespace {

shell::Value value(const std::string &text, Span span = {})
{
    shell::Value out;
    out.text = text;
    out.span = span;
    return out;
}

/// `program args…` that stands at `start` of a command.
shell::Invocation invocation(const std::string &program, const std::vector<std::string> &args, Span span)
{
    shell::Invocation out;
    out.program = value(program);
    out.name = program;
    for (const std::string &arg : args)
        out.args.push_back(value(arg));
    out.span = span;
    out.cwd = "/w";
    return out;
}

Exemption byCommand(const std::string &command)
{
    Exemption out;
    out.rule = "r";
    out.command = command;
    return out;
}

Exemption byProgram(const std::string &program, const std::vector<std::string> &args)
{
    Exemption out;
    out.rule = "r";
    out.program = program;
    out.args = args;
    return out;
}

} // namespace

class TstExemption : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void answers_only_what_it_names_data()
    {
        QTest::addColumn<QByteArray>("what");
        QTest::addColumn<bool>("answered");
        QTest::newRow("all fits") << QByteArray() << true;
        QTest::newRow("another rule") << QByteArray("rule") << false;
        QTest::newRow("another check") << QByteArray("check") << false;
        QTest::newRow("another command") << QByteArray("command") << false;
        QTest::newRow("a space more") << QByteArray("space") << false;
        QTest::newRow("another agent") << QByteArray("agent") << false;
        QTest::newRow("another folder") << QByteArray("cwd") << false;
        QTest::newRow("at its end") << QByteArray("time") << false;
    }

    void answers_only_what_it_names()
    {
        QFETCH(QByteArray, what);
        Exemption exemption = byCommand("printenv HOME");
        exemption.agent = "build";
        exemption.cwd = "/w";
        exemption.expiresUs = 1000;
        Finding finding{.rule = "r", .command = "printenv HOME", .agent = "build", .cwd = "/w", .timeUs = 999};
        if (what == "rule")
            finding.rule = "r2";
        if (what == "check")
            finding.check = Check::Dynamic;
        if (what == "command")
            finding.command = "printenv PATH";
        if (what == "space")
            finding.command = "printenv HOME ";
        if (what == "agent")
            finding.agent = "main";
        if (what == "cwd")
            finding.cwd = "/w/sub";
        if (what == "time")
            finding.timeUs = 1000;
        QTEST(answers(exemption, finding), "answered");
    }

    void without_agent_folder_and_end_it_holds_everywhere()
    {
        const Finding finding{.rule = "r", .command = "x", .agent = "any", .cwd = "/any", .timeUs = INT64_MAX};
        QVERIFY(answers(byCommand("x"), finding));
    }

    void an_empty_exemption_answers_nothing() { QVERIFY(!answers(byCommand(""), Finding{.rule = "r", .command = ""})); }

    void checks_that_are_not_exemptable_are_not_answered_even_if_named()
    {
        for (const Check check :
             {Check::Input, Check::PathGuard, Check::HostPolicy, Check::Confinement, Check::Cwd, Check::Backend}) {
            Exemption exemption = byCommand("x");
            exemption.check = check;
            QVERIFY(!answers(exemption, Finding{.check = check, .rule = "r", .command = "x"}));
        }
    }

    void a_shape_answers_by_program_and_arguments_data()
    {
        QTest::addColumn<QByteArrayList>("pattern");
        QTest::addColumn<QByteArrayList>("args");
        QTest::addColumn<bool>("answered");
        using L = QByteArrayList;
        QTest::newRow("exact") << L{"-rf", "build"} << L{"-rf", "build"} << true;
        QTest::newRow("another argument") << L{"-rf", "build"} << L{"-rf", "/"} << false;
        QTest::newRow("one more argument") << L{"-rf", "build"} << L{"-rf", "build", "/"} << false;
        QTest::newRow("one fewer") << L{"-rf", "build"} << L{"-rf"} << false;
        QTest::newRow("another order") << L{"-rf", "build"} << L{"build", "-rf"} << false;
        QTest::newRow("glob") << L{"-rf", "build-*"} << L{"-rf", "build-12"} << true;
        QTest::newRow("glob is the whole argument") << L{"-rf", "build-?"} << L{"-rf", "build-12"} << false;
        QTest::newRow("a folder's files") << L{"-rf", "build/*"} << L{"-rf", "build/x"} << true;
        QTest::newRow("spelled otherwise") << L{"-rf", "build/*"} << L{"-rf", "./build//x/"} << true;
        QTest::newRow("spelled in full") << L{"-rf", "build/*"} << L{"-rf", "/w/build/x"} << true;
        QTest::newRow("a wild card ends at a slash") << L{"-rf", "build/*"} << L{"-rf", "build/x/y"} << false;
        QTest::newRow("two cross it") << L{"-rf", "build/**"} << L{"-rf", "build/x/y"} << true;
        QTest::newRow("two want something") << L{"-rf", "build/**"} << L{"-rf", "build"} << false;
        QTest::newRow("the folder itself") << L{"-rf", "build/*"} << L{"-rf", "build/"} << false;
        QTest::newRow("the folder itself by a dot") << L{"-rf", "build/*"} << L{"-rf", "build/."} << false;
        QTest::newRow("out of it") << L{"-rf", "build/*"} << L{"-rf", "build/../.."} << false;
        QTest::newRow("out of it and deep") << L{"-rf", "build/**"} << L{"-rf", "build/../../other"} << false;
        QTest::newRow("out and back") << L{"-rf", "build/**"} << L{"-rf", "build/../build/x"} << false;
        QTest::newRow("in the pattern itself") << L{"-rf", "../build/*"} << L{"-rf", "../build/x"} << false;
        QTest::newRow("exact and up") << L{"-rf", "../build"} << L{"-rf", "../build"} << true;
        QTest::newRow("a name alone") << L{"-rf", "*"} << L{"-rf", "."} << false;
        QTest::newRow("an address") << L{"https://x.example/**"} << L{"https://x.example/a/b"} << true;
        QTest::newRow("an address ends at a slash too")
            << L{"https://x.example/*"} << L{"https://x.example/a/b"} << false;
        QTest::newRow("an address that climbs")
            << L{"https://x.example/a/**"} << L{"https://x.example/a/../b"} << false;
        QTest::newRow("an option's value") << L{"--to=build/*"} << L{"--to=build/x"} << true;
        QTest::newRow("an option's value that climbs") << L{"--to=build/*"} << L{"--to=build/../x"} << false;
        QTest::newRow("any rest") << L{"install", "**"} << L{"install", "a", "b"} << true;
        QTest::newRow("any rest may be nothing") << L{"install", "**"} << L{"install"} << true;
        QTest::newRow("any rest after the fixed part") << L{"install", "**"} << L{"remove", "a"} << false;
        QTest::newRow("no arguments") << L{} << L{} << true;
        QTest::newRow("no arguments wanted") << L{} << L{"x"} << false;
    }

    void a_shape_answers_by_program_and_arguments()
    {
        QFETCH(QByteArrayList, pattern);
        QFETCH(QByteArrayList, args);
        std::vector<std::string> patterns;
        std::vector<std::string> words;
        for (const QByteArray &text : pattern)
            patterns.push_back(text.toStdString());
        for (const QByteArray &text : args)
            words.push_back(text.toStdString());
        shell::Evaluation evaluation;
        evaluation.cwd = "/w";
        evaluation.invocations.push_back(invocation("rm", words, {0, 20}));
        const std::array spans{Span{0, 2}};
        const Finding finding{.rule = "r", .spans = spans, .command = "rm …", .evaluation = &evaluation};
        QTEST(answers(byProgram("rm", patterns), finding), "answered");
        QVERIFY(!answers(byProgram("rmdir", patterns), finding));
    }

    void every_part_of_the_finding_must_have_the_shape()
    {
        // rm -rf build; rm -rf /
        shell::Evaluation evaluation;
        evaluation.cwd = "/w";
        evaluation.invocations.push_back(invocation("rm", {"-rf", "build"}, {0, 12}));
        evaluation.invocations.push_back(invocation("rm", {"-rf", "/"}, {14, 8}));
        const std::array both{Span{0, 2}, Span{14, 2}};
        const std::array one{Span{0, 2}};
        Finding finding{.rule = "r", .spans = both, .command = "rm -rf build; rm -rf /", .evaluation = &evaluation};
        QVERIFY(!answers(byProgram("rm", {"-rf", "build"}), finding));
        finding.spans = one;
        QVERIFY(answers(byProgram("rm", {"-rf", "build"}), finding));
    }

    void a_command_inside_another_is_judged_by_itself()
    {
        // echo $(rm -rf /): the finding lies in rm, which lies in echo
        shell::Evaluation evaluation;
        evaluation.cwd = "/w";
        evaluation.invocations.push_back(invocation("echo", {"x"}, {0, 16}));
        evaluation.invocations.push_back(invocation("rm", {"-rf", "/"}, {7, 8}));
        const std::array spans{Span{7, 2}};
        const Finding finding{.rule = "r", .spans = spans, .command = "echo $(rm -rf /)", .evaluation = &evaluation};
        QVERIFY(!answers(byProgram("echo", {"**"}), finding));
        QVERIFY(answers(byProgram("rm", {"-rf", "/"}), finding));
    }

    void what_is_unknown_or_more_than_arguments_has_no_shape()
    {
        const std::array spans{Span{0, 2}};
        const auto answered = [&](const shell::Invocation &one) {
            shell::Evaluation evaluation;
            evaluation.cwd = "/w";
            evaluation.invocations.push_back(one);
            return answers(byProgram("rm", {"**"}),
                           Finding{.rule = "r", .spans = spans, .command = "c", .evaluation = &evaluation});
        };
        const shell::Invocation plain = invocation("rm", {"x"}, {0, 9});
        QVERIFY(answered(plain));
        shell::Invocation other = plain;
        other.args[0].gaps = {0};
        QVERIFY(!answered(other));
        other = plain;
        other.args[0].globs = {0};
        QVERIFY(!answered(other));
        other = plain;
        other.redirects.emplace_back();
        QVERIFY(!answered(other));
        other = plain;
        other.assigns.emplace_back();
        QVERIFY(!answered(other));
        other = plain;
        other.guessed = true;
        QVERIFY(!answered(other));
    }

    void a_relative_path_counts_from_where_the_command_starts()
    {
        // cd …; rm -rf build/x
        const std::array spans{Span{7, 2}};
        const auto answered = [&](const std::optional<std::string> &cwd, const std::string &pattern,
                                  const std::string &path) {
            shell::Evaluation evaluation;
            evaluation.cwd = "/w";
            evaluation.invocations.push_back(invocation("rm", {"-rf", path}, {7, 15}));
            evaluation.invocations.back().cwd = cwd;
            return answers(byProgram("rm", {"-rf", pattern}),
                           Finding{.rule = "r", .spans = spans, .command = "c", .evaluation = &evaluation});
        };
        QVERIFY(answered("/w", "build/*", "build/x"));
        QVERIFY(answered("/w/build", "build/*", "x"));
        QVERIFY(answered("/w/sub", "*/build/*", "build/x"));
        QVERIFY(answered("/", "/w/build/*", "w/build/x"));
        QVERIFY(!answered("/", "build/*", "build/x"));
        QVERIFY(!answered("/", "build", "build"));
        QVERIFY(!answered(std::nullopt, "build/*", "build/x"));
        QVERIFY(answered(std::nullopt, "/w/build/*", "/w/build/x"));
    }

    void a_path_must_lie_there_behind_links_too()
    {
        const std::array spans{Span{0, 2}};
        shell::Evaluation evaluation;
        evaluation.cwd = "/w";
        evaluation.invocations.push_back(invocation("rm", {"-rf", "build/x/"}, {0, 15}));
        Finding finding{.rule = "r", .spans = spans, .command = "c", .evaluation = &evaluation};
        const Exemption exemption = byProgram("rm", {"-rf", "build/*"});
        QVERIFY(answers(exemption, finding));
        std::string leads;
        std::string start = "/w";
        finding.resolve = [&](const std::string &path) {
            return path == "/w" ? std::optional(start) : leads.empty() ? std::nullopt : std::optional(leads);
        };
        QVERIFY(answers(exemption, finding)); // not there yet
        leads = "/w/build/x";
        QVERIFY(answers(exemption, finding));
        leads = "/";
        QVERIFY(!answers(exemption, finding));
        leads = "/disk/w/build/x";
        QVERIFY(!answers(exemption, finding));
        start = "/disk/w"; // the folder in which it starts is itself reached by a link
        QVERIFY(answers(exemption, finding));
    }

    void a_finding_that_is_cut_off_is_answered_by_no_shape()
    {
        const std::array spans{Span{0, 2}};
        shell::Evaluation evaluation;
        evaluation.cwd = "/w";
        evaluation.invocations.push_back(invocation("rm", {"x"}, {0, 4}));
        Finding finding{.rule = "r", .spans = spans, .command = "c", .evaluation = &evaluation};
        QVERIFY(answers(byProgram("rm", {"x"}), finding));
        finding.complete = false;
        QVERIFY(!answers(byProgram("rm", {"x"}), finding));
    }

    void without_spans_or_evaluation_a_shape_answers_nothing()
    {
        shell::Evaluation evaluation;
        evaluation.cwd = "/w";
        evaluation.invocations.push_back(invocation("rm", {}, {0, 9}));
        const std::array spans{Span{0, 2}};
        const std::array outside{Span{20, 2}};
        QVERIFY(!answers(byProgram("rm", {}), Finding{.rule = "r", .command = "rm", .evaluation = &evaluation}));
        QVERIFY(!answers(byProgram("rm", {}), Finding{.rule = "r", .spans = spans, .command = "rm"}));
        QVERIFY(!answers(byProgram("rm", {}),
                         Finding{.rule = "r", .spans = outside, .command = "rm", .evaluation = &evaluation}));
    }
};

QTEST_GUILESS_MAIN(TstExemption)
#include "tst_exemption.moc"
