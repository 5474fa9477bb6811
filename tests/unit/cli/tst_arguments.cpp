// SPDX-License-Identifier: Apache-2.0
#include "app/runner/arguments.h"
#include "app/runner/request_options.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::cli;

namespace {

Result<Arguments, ArgumentError> parse(const std::vector<std::string> &words)
{
    return parseArguments(words);
}

} // namespace

class TstArguments : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void options_stand_before_or_after_the_command_word()
    {
        const auto parsed = parse({"--config", "/a", "exec", "--tenant=acme", "--", "ls"});
        QVERIFY(parsed);
        QCOMPARE(parsed->command, std::string("exec"));
        QCOMPARE(parsed->value("config"), std::optional<std::string>("/a"));
        QCOMPARE(parsed->value("tenant"), std::optional<std::string>("acme"));
    }

    void nothing_after_the_separator_is_an_option()
    {
        const auto parsed = parse({"exec", "--tenant", "acme", "--", "ls", "--json", "--", "x"});
        QVERIFY(parsed);
        QVERIFY(!parsed->has("json"));
        QCOMPARE(parsed->rest, (std::vector<std::string>{"ls", "--json", "--", "x"}));
    }

    void single_dash_words_are_operands()
    {
        const auto parsed = parse({"log", "-verdict:deny", "tenant:acme"});
        QVERIFY(parsed);
        QCOMPARE(parsed->operands, (std::vector<std::string>{"-verdict:deny", "tenant:acme"}));
    }

    void what_stands_after_the_separator_is_no_command_line_where_none_is_taken()
    {
        const auto parsed = parse({"log", "curl", "--", "-agent:main"});
        QVERIFY(parsed);
        QCOMPARE(parsed->operands, (std::vector<std::string>{"curl", "-agent:main"}));
        const auto exec = parse({"check", "--", "-agent:main"});
        QVERIFY(exec);
        QCOMPARE(exec->rest, std::vector<std::string>{"-agent:main"});
    }

    void help_of_log_lists_every_field_and_its_values()
    {
        const QString help = QString::fromStdString(usage("log"));
        for (const char *part :
             {"tenant agent session rule", "cwd gateway",
              "kind                      exec, replay, edit, publish, export, prune",
              "verdict                   allow, ask, deny", "timed_out", "path_guard", "host_policy", "native_worker",
              "would_deny", "dynamic", "took", "output", "since until", "config", "landlock"})
            QVERIFY2(help.contains(QString::fromUtf8(part)), part);
        for (const QString &line : help.split(u'\n'))
            QVERIFY2(line.size() <= 120, qPrintable(line));
        QVERIFY(!QString::fromStdString(usage("exec")).contains(QStringLiteral("would_deny")));
    }

    void a_subcommand_has_a_help_of_its_own()
    {
        const QString exempt = QString::fromStdString(usage("policy", "exempt"));
        QVERIFY2(exempt.startsWith(QStringLiteral("Usage: portcullis-runner policy exempt ID | policy exempt --remove "
                                                  "EXEMPTION\n")),
                 qPrintable(exempt));
        for (const char *option : {"--expires", "--message", "--remove", "--dry-run", "--tenant", "--config"})
            QVERIFY2(exempt.contains(QString::fromLatin1(option)), option);
        const QString validate = QString::fromStdString(usage("policy", "validate"));
        QVERIFY(validate.startsWith(QStringLiteral("Usage: portcullis-runner policy validate [FILE|DIR]…\n")));
        QVERIFY(validate.contains(QStringLiteral("--json")) && !validate.contains(QStringLiteral("--expires")));
        QVERIFY(QString::fromStdString(usage("policy", "publish")).contains(QStringLiteral("--message")));
        QVERIFY(QString::fromStdString(usage("policy", "test")).contains(QStringLiteral("--assume")));
        const QString prune = QString::fromStdString(usage("log", "prune"));
        QVERIFY(prune.contains(QStringLiteral("--older-than")) && prune.contains(QStringLiteral("--dry-run")));
        // A filter, or anything else that is no subcommand, takes nothing away.
        QCOMPARE(usage("log", "verdict:deny"), usage("log"));
        QCOMPARE(usage("policy", "exemptio"), usage("policy"));
    }

    void mistakes_are_named_data()
    {
        QTest::addColumn<QStringList>("words");
        QTest::addColumn<int>("code");
        QTest::addColumn<QString>("hint");
        using Code = ArgumentError::Code;
        const auto row = [](const char *name, const QStringList &words, Code code, const char *hint) {
            QTest::newRow(name) << words << static_cast<int>(code) << QString::fromLatin1(hint);
        };
        row("unknown option", {QStringLiteral("exec"), QStringLiteral("--tennant"), QStringLiteral("x")},
            Code::UnknownOption, "tenant");
        row("unknown command", {QStringLiteral("exce")}, Code::UnknownCommand, "exec");
        row("no value at the end", {QStringLiteral("exec"), QStringLiteral("--tenant")}, Code::MissingValue, "SLUG");
        row("no value before the separator", {QStringLiteral("exec"), QStringLiteral("--tenant"), QStringLiteral("--")},
            Code::MissingValue, "SLUG");
        row("a flag with a value", {QStringLiteral("exec"), QStringLiteral("--json=1")}, Code::UnexpectedValue, "");
        row("twice", {QStringLiteral("exec"), QStringLiteral("--cwd=/"), QStringLiteral("--cwd=/")},
            Code::RepeatedOption, "");
        row("another command's option", {QStringLiteral("log"), QStringLiteral("--tenant=acme")}, Code::NotForCommand,
            "");
        row("no JSON from exec",
            {QStringLiteral("exec"), QStringLiteral("--json"), QStringLiteral("--"), QStringLiteral("x")},
            Code::NotForCommand, "--result FILE");
        for (const auto &[name, words] : std::initializer_list<std::pair<const char *, const char *>>{
                 {"another subcommand's option", "policy diff a b --agent x"},
                 {"an option of a subcommand, before it", "--message x policy validate"},
                 {"an age for a query", "log --older-than 3d"},
                 {"a limit for one row", "log show abc --limit 3"},
                 {"a follower that prunes", "log prune --max-size 1G --follow"},
                 {"facts for an effective policy", "policy effective --tenant acme --assume view=no"},
                 {"an end for a draft", "policy publish f --message m --expires 3h"},
             })
            row(name, QString::fromLatin1(words).split(QLatin1Char(' ')), Code::NotForCommand, "");
        row("nothing", {}, Code::NoCommand, "");
    }

    void mistakes_are_named()
    {
        QFETCH(QStringList, words);
        QFETCH(int, code);
        QFETCH(QString, hint);
        std::vector<std::string> raw;
        for (const QString &word : words)
            raw.push_back(word.toStdString());
        const auto parsed = parse(raw);
        QVERIFY(!parsed);
        QCOMPARE(static_cast<int>(parsed.error().code), code);
        QCOMPARE(QString::fromStdString(parsed.error().hint), hint);
    }

    void one_word_is_a_shell_line_and_several_are_quoted()
    {
        Arguments arguments;
        arguments.hasSeparator = true;
        arguments.rest = {"ls | wc -l"};
        QCOMPARE(commandText(arguments), std::optional<std::string>("ls | wc -l"));
        arguments.rest = {"echo", "a b", "it's", "$x", ""};
        QCOMPARE(commandText(arguments), std::optional<std::string>("echo 'a b' 'it'\\''s' '$x' ''"));
    }

    void a_missing_or_blank_command_is_none()
    {
        Arguments arguments;
        QVERIFY(!commandText(arguments));
        arguments.hasSeparator = true;
        QVERIFY(!commandText(arguments));
        arguments.rest = {"  \n"};
        QVERIFY(!commandText(arguments));
    }

    void a_time_limit_of_nothing_or_less_is_wrong_usage()
    {
        for (const char *text : {"0", "-5", "abc", "1.5", ""}) {
            Arguments arguments;
            arguments.options = {{"tenant", "acme"}, {"timeout", text}};
            const auto request = requestFromOptions(arguments);
            QVERIFY2(!request, text);
            QCOMPARE(request.error().exit, Exit::Usage);
        }
    }

    void a_huge_time_limit_is_kept_for_clamping()
    {
        Arguments arguments;
        arguments.options = {{"tenant", "acme"}, {"timeout", "99999999999999999999"}};
        const auto request = requestFromOptions(arguments);
        QVERIFY(request);
        QVERIFY(request->timeoutSeconds > 3600);
    }

    void a_tenant_has_the_form_of_a_slug()
    {
        for (const char *text : {"", "../x", "ACME", "a/b", ".hidden", "-x"}) {
            Arguments arguments;
            arguments.options = {{"tenant", text}};
            QVERIFY2(!requestFromOptions(arguments), text);
        }
        Arguments arguments;
        arguments.options = {{"tenant", "master"}};
        QVERIFY(requestFromOptions(arguments));
    }
};

QTEST_GUILESS_MAIN(TstArguments)
#include "tst_arguments.moc"
