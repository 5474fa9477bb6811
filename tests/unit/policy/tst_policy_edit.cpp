// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/policy_edit.h"
#include "tests/support/configuration_builder.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;
using test::ConfigurationBuilder;

namespace {

Exemption sample()
{
    Exemption out;
    out.id = "e1";
    out.rule = "dump";
    out.command = "printenv \"A\"";
    out.agent = "main";
    out.expiresUs = 1'796'112'000'000'000;
    out.reason = "why";
    out.by = "op";
    return out;
}

const std::string first = "{ \"id\": \"e1\", \"check\": \"deny_rules\", \"rule\": \"dump\",";

/// The new entry with its lines indented.
std::string entry(const std::string &indent)
{
    return first + "\n" + indent + "\"command\": \"printenv \\\"A\\\"\"," + "\n" + indent
        + "\"agent\": \"main\", \"expires\": \"2026-12-01T08:00:00Z\"," + "\n" + indent
        + "\"reason\": \"why\", \"by\": \"op\" }";
}

const std::string inlineEntry =
    "{ \"id\": \"e1\", \"check\": \"deny_rules\", \"rule\": \"dump\", \"command\": \"printenv \\\"A\\\"\", "
    "\"agent\": \"main\", \"expires\": \"2026-12-01T08:00:00Z\", \"reason\": \"why\", \"by\": \"op\" }";

QByteArray bytes(const std::string &text)
{
    return QByteArray::fromStdString(text);
}

} // namespace

class TstPolicyEdit : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void changes_as_little_as_possible_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        const auto row = [](const char *name, const std::string &before, const std::string &after) {
            QTest::newRow(name) << bytes(before) << bytes(after);
        };
        row("no list yet", "{\n  \"version\": 1,\n  \"tenant\": \"acme\"\n}\n",
            "{\n  \"version\": 1,\n  \"tenant\": \"acme\",\n  \"exemptions\": [\n    " + entry("      ")
                + "\n  ]\n}\n");
        row("no list yet, trailing comma and comment", "{\n  version: 1, // v\n  tenant: 'acme', // who\n  // end\n}",
            "{\n  version: 1, // v\n  tenant: 'acme', // who\n  \"exemptions\": [\n    " + entry("      ")
                + "\n  ],\n  // end\n}");
        row("no list yet, comment after the last value", "{\n  tenant: 'acme' /* a */ // who\n}",
            "{\n  tenant: 'acme', /* a */ // who\n  \"exemptions\": [\n    " + entry("      ") + "\n  ]\n}");
        row("one line", "{version: 1, tenant: 'acme'}",
            "{version: 1, tenant: 'acme', \"exemptions\": [" + inlineEntry + "]}");
        row("nothing in it", "{}", "{\n  \"exemptions\": [\n    " + entry("      ") + "\n  ]\n}");
        row("empty list in one line", "{\n\ta: 1,\n\texemptions: []\n}",
            "{\n\ta: 1,\n\texemptions: [\n\t  " + entry("\t    ") + "\n\t]\n}");
        row("empty list with a comment", "{\n  exemptions: [ // none\n  ],\n  a: 1\n}",
            "{\n  exemptions: [ // none\n    " + entry("      ") + "\n  ],\n  a: 1\n}");
        row("list with an entry", "{\n  exemptions: [\n    { id: 'x' }\n  ]\n}",
            "{\n  exemptions: [\n    { id: 'x' },\n    " + entry("      ") + "\n  ]\n}");
        row("list with an entry and a trailing comma",
            "{\n  exemptions: [\n    { id: 'x' }, // note, with a comma\n    // { old }\n  ]\n}",
            "{\n  exemptions: [\n    { id: 'x' }, // note, with a comma\n    " + entry("      ")
                + ",\n    // { old }\n  ]\n}");
        row("list with an entry in one line", "{\n  exemptions: [{ id: 'x' }]\n}",
            "{\n  exemptions: [{ id: 'x' }, " + inlineEntry + "]\n}");
        row("empty list in one line policy", "{exemptions: [], a: 1}", "{exemptions: [" + inlineEntry + "], a: 1}");
    }

    void changes_as_little_as_possible()
    {
        QFETCH(QByteArray, before);
        const auto edited = addExemption(before.toStdString(), sample());
        QVERIFY(edited);
        QTEST(bytes(*edited), "after");
    }

    void keeps_the_line_ends_of_the_file()
    {
        const auto edited = addExemption("{\r\n  a: 1\r\n}\r\n", sample());
        QVERIFY(edited);
        QCOMPARE(bytes(*edited).count('\n'), bytes(*edited).count("\r\n"));
    }

    void edits_add_up()
    {
        std::string text = emptyPolicy("acme");
        for (int i = 0; i < 5; ++i) {
            Exemption exemption = sample();
            exemption.id = "e" + std::to_string(i);
            const auto edited = addExemption(text, exemption);
            QVERIFY(edited);
            text = *edited;
        }
        ConfigurationBuilder builder;
        builder.rules("{\"version\": 1, \"group\": \"env_dump\", \"rules\": [{\"id\": \"dump\", \"title\": \"t\", "
                      "\"reason\": \"r\", \"advice\": \"a\", \"program\": [\"printenv\"]}]}");
        builder.policyFile("acme", text);
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QVERIFY(builder.problems().empty());
        const std::vector<Exemption> &list = configuration->effective("acme", "main").exemptions;
        QCOMPARE(list.size(), std::size_t(5));
        QCOMPARE(list[4].id, std::string("e4"));
        QCOMPARE(list[0].command, sample().command);
        QCOMPARE(list[0].expiresUs, sample().expiresUs);
    }

    /// Tokens of policies with every kind of space between them: nothing is lost wherever comments and line ends stand.
    void nothing_is_lost_whatever_stands_between_the_tokens()
    {
        const std::vector<std::vector<std::string>> policies{
            {"{", "}"},
            {"{", "a", ":", "1", "}"},
            {"{", "a", ":", "1", ",", "}"},
            {"{", "exemptions", ":", "[", "]", "}"},
            {"{", "exemptions", ":", "[", "]", ",", "a", ":", "'//'", ",", "}"},
            {"{", "exemptions", ":", "[", "{", "id", ":", "'/*'", "}", "]", "}"},
            {"{", "a", ":", "[", "]", ",", "exemptions", ":", "[", "{", "}", ",", "]", ",", "}"},
        };
        const std::vector<std::string> spaces{
            "", " ", "\n", "\n  ", " // , ] }\n", "/* ,\n] */", "\t", "\r\n    ", "/**/ //\n",
            // white space and line ends of JSON5 beyond ASCII
            "\xc2\xa0", "\xef\xbb\xbf", "\v\f", "\xe2\x80\xa8", "// ]\xe2\x80\xa8", "\n// }\xe2\x80\xa9  ", "/* \r */"};
        std::uint32_t state = 1;
        const auto random = [&state](std::size_t below) {
            state = state * 1664525U + 1013904223U;
            return (state >> 16) % below;
        };
        for (int round = 0; round < 4000; ++round) {
            std::string text;
            for (const std::string &token : policies[random(policies.size())])
                text += spaces[random(spaces.size())] + token;
            text += spaces[random(spaces.size())];
            const auto edited = addExemption(text, sample());
            QVERIFY2(edited, text.c_str());
            const auto withoutSpace = [](std::string all) {
                std::erase_if(all, [](char c) { return c == ' ' || (c >= '\t' && c <= '\r'); });
                return all.size();
            };
            const std::size_t more = withoutSpace(*edited) - withoutSpace(text);
            const std::size_t least = withoutSpace(inlineEntry);
            QVERIFY2(more >= least && more <= least + std::string("\"exemptions\":[],").size(), edited->c_str());
            QVERIFY2(removeExemption(*edited, sample().id), edited->c_str());
        }
    }

    void every_command_survives_the_way_through_the_file_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("quotes") << QByteArray("echo \"a\" 'b' \\ `c`");
        QTest::newRow("lines") << QByteArray("cat <<E\n}],\n//\nE\n\t");
        QTest::newRow("hidden characters") << bytes("a\xE2\x80\xAE\xE2\x80\x8B\x1b\x7f");
        QTest::newRow("emoji") << bytes("echo \xF0\x9F\x98\x80");
    }

    void every_command_survives_the_way_through_the_file()
    {
        QFETCH(QByteArray, command);
        Exemption exemption = sample();
        exemption.command = command.toStdString();
        const auto edited = addExemption("{a: [1]}", exemption);
        QVERIFY(edited);
        const auto json = config::readJson5(*edited);
        QVERIFY(json);
        QCOMPARE(bytes(json->find("exemptions")->array[0].find("command")->string), command);
    }

    void a_shape_is_written_with_its_arguments()
    {
        Exemption exemption = sample();
        exemption.command.clear();
        exemption.program = "rm";
        exemption.args = {"-rf", "build-*"};
        exemption.agent.clear();
        exemption.expiresUs.reset();
        QCOMPARE(bytes(exemptionText(exemption, "\n", {})),
                 QByteArray("{ \"id\": \"e1\", \"check\": \"deny_rules\", \"rule\": \"dump\", \"program\": \"rm\", "
                            "\"args\": [\"-rf\", \"build-*\"], \"reason\": \"why\", \"by\": \"op\" }"));
    }

    void removes_an_entry_and_nothing_else_data()
    {
        QTest::addColumn<QByteArray>("before");
        QTest::addColumn<QByteArray>("after");
        QTest::newRow("the only one, in one line") << QByteArray("{exemptions: [{id: 'e'}]}") << QByteArray("{}");
        QTest::newRow("the only one, behind another key")
            << QByteArray("{\n  \"version\": 1,\n  \"exemptions\": [\n    {\"id\": \"e\"}\n  ]\n}\n")
            << QByteArray("{\n  \"version\": 1\n}\n");
        QTest::newRow("the only one, before another key")
            << QByteArray("{\n  exemptions: [ {id: 'e'} ],\n  version: 1\n}\n") << QByteArray("{\n  version: 1\n}\n");
        QTest::newRow("all with this id")
            << QByteArray("{a: 1, exemptions: [{id: 'e'}, {id: 'e'}]}") << QByteArray("{a: 1}");
        QTest::newRow("the only one, beside a comment")
            << QByteArray("{exemptions: [ /* of ours */ {id: 'e'}]}") << QByteArray("{exemptions: [ /* of ours */ ]}");
        QTest::newRow("a list that is empty already")
            << QByteArray("{exemptions: []}") << QByteArray("{exemptions: []}");
        QTest::newRow("the first") << QByteArray("{exemptions: [{id: 'e'}, {id: 'f'}]}")
                                   << QByteArray("{exemptions: [ {id: 'f'}]}");
        QTest::newRow("the last, with the comma before it")
            << QByteArray("{\"exemptions\": [{\"id\": \"f\"}, {\"id\": \"e\"}]}")
            << QByteArray("{\"exemptions\": [{\"id\": \"f\"}]}");
        QTest::newRow("lines of its own, comments stay")
            << QByteArray(
                   "{\n  exemptions: [\n    // first\n    {id: 'f'}, // f\n    { id: 'e',\n      rule: 'r' }, // e\n"
                   "    // third\n    {id: 'g'}\n  ]\n}\n")
            << QByteArray(
                   "{\n  exemptions: [\n    // first\n    {id: 'f'}, // f\n    // third\n    {id: 'g'}\n  ]\n}\n");
        QTest::newRow("the last of several lines")
            << QByteArray("{\n  exemptions: [\n    {id: 'f'}, // f\n    {id: 'e'}\n  ]\n}\n")
            << QByteArray("{\n  exemptions: [\n    {id: 'f'} // f\n  ]\n}\n");
        QTest::newRow("the last, behind white space beyond ASCII")
            << bytes("{exemptions: [{id: 'f'}\xc2\xa0, {id: 'e'}]}") << bytes("{exemptions: [{id: 'f'}\xc2\xa0]}");
        QTest::newRow("the only one, before a brace on its last line")
            << QByteArray("{a: 1,\n  exemptions: [\n    {id: 'e'}\n  ] }") << QByteArray("{a: 1 }");
        QTest::newRow("the only one, before a brace on its last line, with a comma")
            << QByteArray("{a: 1,\n  exemptions: [\n    {id: 'e'}\n  ], }") << QByteArray("{a: 1, }");
        QTest::newRow("the first, before a comment that a line separator ends")
            << bytes("{exemptions: [{id: 'e'} // e\xe2\x80\xa8, {id: 'f'}]}") << bytes("{exemptions: [ {id: 'f'}]}");
        QTest::newRow("none of this id") << QByteArray("{exemptions: [{id: 'f'}]}")
                                         << QByteArray("{exemptions: [{id: 'f'}]}");
        QTest::newRow("no list") << QByteArray("{a: 1}") << QByteArray("{a: 1}");
    }

    void removes_an_entry_and_nothing_else()
    {
        QFETCH(QByteArray, before);
        QFETCH(QByteArray, after);
        const auto edited = removeExemption(before.toStdString(), "e");
        QVERIFY(edited);
        QCOMPARE(bytes(*edited), after);
    }

    void what_was_added_can_be_removed_again()
    {
        const std::string text = "{\n  version: 1, // ours\n  exemptions: [\n    {id: 'f'},\n  ]\n}\n";
        const auto added = addExemption(text, sample());
        QVERIFY(added);
        const auto removed = removeExemption(*added, sample().id);
        QVERIFY(removed);
        QCOMPARE(bytes(*removed), bytes(text.c_str()));
    }

    void adding_and_removing_the_first_one_leaves_the_text_as_it_was()
    {
        for (const std::string &text :
             {emptyPolicy("acme"), std::string("{\n  version: 1, // ours\n  tenant: 'acme',\n}\n"),
              std::string("{version: 1}"), std::string("{\r\n  \"version\": 1\r\n}\r\n")}) {
            const auto added = addExemption(text, sample());
            QVERIFY(added);
            const auto removed = removeExemption(*added, sample().id);
            QVERIFY(removed);
            QCOMPARE(bytes(*removed), bytes(text.c_str()));
        }
    }

    void refuses_what_it_cannot_edit_without_loss()
    {
        QCOMPARE(addExemption("{a: ", sample()).error().code, EditError::Code::NotReadable);
        QCOMPARE(addExemption("{a: ", sample()).error().json.place.column, 2U);
        QCOMPARE(addExemption("[]", sample()).error().code, EditError::Code::WrongShape);
        QCOMPARE(addExemption("{exemptions: {}}", sample()).error().code, EditError::Code::WrongShape);
        Exemption binary = sample();
        binary.command = "a\xFF";
        QCOMPARE(addExemption("{}", binary).error().code, EditError::Code::NotExpressible);
    }
};

QTEST_GUILESS_MAIN(TstPolicyEdit)
#include "tst_policy_edit.moc"
