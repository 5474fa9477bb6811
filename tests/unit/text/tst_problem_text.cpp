// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/problem.h"
#include "tests/support/configuration_builder.h"
#include "ui/text/problem_text.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;
using test::ConfigurationBuilder;

class TstProblemText : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void every_code_has_words()
    {
        for (const std::string_view code : Names<ProblemCode>::all) {
            Problem problem;
            problem.code = code;
            problem.found = "FOUND";
            problem.hint = "HINT";
            problem.allowed = {"ONE", "TWO"};
            const QString sentence = text::problemSentence(problem);
            QVERIFY2(sentence != QString::fromUtf8(code.data(), qsizetype(code.size())), std::string(code).c_str());
            QVERIFY2(!sentence.contains(u'%'), qPrintable(sentence));
        }
    }

    void a_line_has_place_kind_and_the_nearest_name()
    {
        ConfigurationBuilder builder;
        builder.policyFile("acme", "{\n  version: 1, tenant: 'acme',\n  deny_groups: { package_instal: false },\n}");
        builder.load();
        QCOMPARE(
            text::problemLine(builder.problem("unknown_group")),
            QStringLiteral("/etc/gw/policies/acme.json:3:18: error: unknown group \"package_instal\"; did you mean "
                           "\"package_install\"?"));
    }

    void an_unknown_host_policy_names_the_value_and_the_three_allowed_ones()
    {
        ConfigurationBuilder builder;
        builder.environment("GOCLAW_EXEC_TENANT_HOST_POLICY", "denny");
        QVERIFY(!builder.load());
        QCOMPARE(text::problemLine(builder.problem("bad_value")),
                 QStringLiteral(
                     "GOCLAW_EXEC_TENANT_HOST_POLICY: error: \"denny\" is not a value of this key (allowed: allow, "
                     "warn, deny); did you mean \"deny\"?"));
    }

    void a_sentence_says_what_to_change_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QString>("words");
        const auto row = [](const char *name, const QByteArray &text, const char *code, const char *words) {
            QTest::newRow(name) << text << QByteArray(code) << QString::fromUtf8(words);
        };
        const auto keys = [](const char *text) { return QByteArray("{version: 1, tenant: 'acme', ") + text + '}'; };
        row("an empty file", "", "unexpected_end", "it is empty");
        row("an end in the middle", "{ tools: ", "unexpected_end",
            "the text ends before \"tools\" is closed or complete");
        row("a text without quotes", keys("network: none"), "syntax", "unexpected \"none\"; a text needs quotes");
        row("a stray sign", keys("network: ;"), "syntax", "unexpected \";\"");
        row("a value of the wrong type", keys("limits: {timeout_seconds: 'x'}"), "wrong_type",
            "limits.timeout_seconds: expected number, found string");
        row("a value out of range", keys("limits: {timeout_seconds: 0}"), "out_of_range",
            "limits.timeout_seconds: 0 is out of range (1 to 604800)");
        row("a key of another place", keys("limits: {memory_mb: 1}"), "misplaced_key",
            "the key \"memory_mb\" does not belong here; in a policy its place is \"sandbox.memory_mb\"");
        row("a key of the gateway", keys("audit_db: '/x'"), "gateway_key",
            "the key \"audit_db\" does not belong in a policy; the gateway's file has it as \"portcullis.audit_db\"");
        row("a mistyped key of a rule", keys("rules: [{id: 'a', reason: 'r', progam: ['x']}]"), "rule_unknown_key",
            "rule \"a\": unknown key \"progam\"; did you mean \"program\"?");
    }

    void a_sentence_says_what_to_change()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, code);
        ConfigurationBuilder builder;
        builder.policyFile("acme", text.toStdString());
        builder.load();
        QTEST(text::problemSentence(builder.problem(code.toStdString())), "words");
    }

    void a_value_that_cannot_loosen_says_what_stays_in_force()
    {
        ConfigurationBuilder builder;
        builder.gateway("{tools: {exec: {tenant_host_policy: 'deny'}}}").policy("acme", "host_policy: 'allow'");
        builder.load();
        const QString line = text::problemLine(builder.problem("cannot_loosen"));
        QVERIFY2(line.contains(QStringLiteral("warning: ")), qPrintable(line));
        QVERIFY2(line.contains(QStringLiteral("\"deny\" stays in force instead of \"allow\"")), qPrintable(line));
    }

    void a_problem_of_a_files_mode_says_what_to_do()
    {
        Problem problem;
        problem.code = "writable_by_others";
        problem.file = "/etc/gw/config.json";
        problem.found = "0666";
        QCOMPARE(
            text::problemLine(problem),
            QStringLiteral("/etc/gw/config.json: error: its group or others can write it (mode 0666). Take the right "
                           "away: chmod go-w /etc/gw/config.json"));
    }

    void a_hostile_value_stays_on_its_line()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "host_policy: '%2 \\x1b[2J\\n\\u202e'");
        builder.load();
        const QString line = text::problemLine(builder.problem("bad_value"));
        QVERIFY(!line.contains(QChar(0x1b)) && !line.contains(u'\n') && !line.contains(QChar(0x202e)));
        QVERIFY2(line.contains(QStringLiteral("%2 ")), qPrintable(line));
    }

    void errors_come_before_warnings_of_the_same_file()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "colour: 1, host_policy: 'allow', network: 'nothing'").policy("aaaa", "shade: 2");
        builder.load();
        const QString lines = QString::fromStdString(text::problemLines(builder.problems()));
        const qsizetype other = lines.indexOf(QStringLiteral("aaaa.json"));
        const qsizetype error = lines.indexOf(QStringLiteral("\"nothing\""));
        const qsizetype warning = lines.indexOf(QStringLiteral("\"colour\""));
        QVERIFY(other >= 0 && other < error && error < warning);
    }

    void a_source_is_a_place_a_variable_or_the_default()
    {
        QCOMPARE(text::sourceText({}), QStringLiteral("default"));
        QCOMPARE(text::sourceText({Layer::Tenant, "/p/acme.json", 4, 3, "/x"}), QStringLiteral("/p/acme.json:4"));
        QCOMPARE(text::sourceText({Layer::Environment, "GOCLAW_X", 0, 0, {}}), QStringLiteral("GOCLAW_X"));
    }
};

QTEST_GUILESS_MAIN(TstProblemText)
#include "tst_problem_text.moc"
