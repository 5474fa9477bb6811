// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/rule.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::rules;

// moc takes quotes, comments and braces inside raw strings for its own; such texts are written with escapes.
namespace {

using Code = RuleError::Code;

/// A rule file with one rule `r` that has these conditions.
std::string fileWith(std::string_view conditions)
{
    return "{\"version\": 1, \"rules\": [{\"id\": \"r\", \"reason\": \"No.\", " + std::string(conditions) + "}]}";
}

std::shared_ptr<const RuleSet> compiled(std::string_view file)
{
    auto rules = parseRules(file);
    if (!rules) {
        qWarning("%s %s", rules.error().key.c_str(), rules.error().detail.c_str());
        return nullptr;
    }
    auto set = RuleSet::compile(std::move(*rules));
    if (!set) {
        for (const RuleError &error : set.error())
            qWarning("%s %s", error.key.c_str(), error.detail.c_str());
        return nullptr;
    }
    return *set;
}

RuleMatches matchesOf(const RuleSet &set, std::string_view command)
{
    shell::EvaluationContext context;
    context.cwd = "/home/agent/project";
    context.variables = {{"HOME", "/home/agent"}, {"PATH", "/usr/bin:/bin"}};
    return set.match(shell::evaluate(command, context), command);
}

RuleError errorOf(std::string_view file)
{
    auto rules = parseRules(file);
    if (!rules)
        return rules.error();
    auto set = RuleSet::compile(std::move(*rules));
    return set ? RuleError{} : set.error().front();
}

} // namespace

class TstRuleLanguage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_tenant_rule_matches_as_it_is_written()
    {
        const auto set = compiled(R"({
  "version": 1,
  "rules": [
    { "id": "no-production-database", "verdict": "deny",
      "program": ["psql", "pg_dump"], "args": { "option": ["-h", "--host"], "value": "prod-*" },
      "reason": "Production databases are off limits to agents.",
      "advice": "Use the replica on db-replica, which is read-only.",
      "match": ["psql -h prod-1 app", "PGUSER=x pg_dump --host=prod-2"],
      "not_match": ["psql -h replica app", "echo psql -h prod-1"] }
  ],
})");
        QVERIFY(set);
        QCOMPARE(set->rules().front().verdict, Verdict::Deny);
        QCOMPARE(matchesOf(*set, "psql -hprod-1 app").hits.size(), std::size_t{1});
    }

    void conditions_hold_data()
    {
        QTest::addColumn<QByteArray>("conditions");
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<bool>("expected");
        const auto row = [](const char *name, const char *conditions, const char *command, bool expected) {
            QTest::newRow(name) << QByteArray(conditions) << QByteArray(command) << expected;
        };
        row("a program in any directory", R"("program": "tool")", "/opt/x/tool a", true);
        row("a program through a launcher", R"("program": "tool")", "env A=1 timeout 5 tool", true);
        row("a program whose name the shell completes", R"("program": "nc")", "/bin/n[c] x", true);
        row("a name counts with its case", R"("program": "tool")", "TOOL", false);
        row("a name as data", R"("program": "tool")", "echo tool", false);
        row("a glob for names", R"("program": "python3*")", "python3.13 x", true);
        row("a name taken out", R"("program": ["*", "!git"])", "git status", false);
        row("the first operand", R"("program": "npm", "subcommand": "add")", "npm --silent add x", true);
        row("a later operand is no subcommand", R"("program": "npm", "subcommand": "add")", "npm run add", false);
        row("two operands", R"("program": "uv", "subcommand": "pip install")", "uv -q pip install x", true);
        row("options in a cluster", R"("program": "x", "args": {"all": ["-r|--recursive", "-f"]})", "x -vfr a", true);
        row("options apart", R"("program": "x", "args": {"all": ["-r|--recursive", "-f"]})", "x a -f --recursive",
            true);
        row("an abbreviation", R"("program": "x", "args": {"all": ["-r|--recursive"]})", "x --recurs a", true);
        row("one option missing", R"("program": "x", "args": {"all": ["-r", "-f"]})", "x -r a", false);
        row("behind a double dash", R"("program": "x", "args": {"option": "-r"})", "x -- -r", false);
        row("a value apart", R"("program": "x", "args": {"option": "-h", "value": "p-*"})", "x -h p-1", true);
        row("a value glued", R"("program": "x", "args": {"option": "--host", "value": "p-*"})", "x --host=p-1", true);
        row("another value", R"("program": "x", "args": {"option": "-h", "value": "p-*"})", "x -h q p-1", false);
        row("either of two", R"("program": "x", "args": [{"option": "-a"}, {"option": "-b"}])", "x -b", true);
        row("without an option", R"("program": "x", "args": {"without": ["-l"]})", "x -l", false);
        row("a whole operand", R"("program": "x", "operands": "of=/dev/.*")", "x if=a of=/dev/sda", true);
        row("a part of an operand is not enough", R"("program": "x", "operands": "of")", "x of=a", false);
        row("no operands", R"("program": "x", "max_operands": 0)", "x -v", true);
        row("too many operands", R"("program": "x", "max_operands": 0)", "x -v a", false);
        row("a part of a word", R"("program": "x", "words": "^-M.*Socket")", "x -MIO::Socket", true);
        row("all arguments", R"("program": "x", "line": "a b$")", "x a b", true);
        row("where an operand leads", R"("program": "x", "hosts": "loopback")", "x http://0x7f.1/", true);
        row("where an option leads", R"("program": "x", "hosts": "loopback", "host_options": "--url")",
            "x --url localhost", true);
        row("an option that names no host", R"("program": "x", "hosts": "loopback")", "x --name=localhost", false);
        row("a path elsewhere", R"("paths": ["/home/agent/**", "!./**"])", "x /home/agent/a", true);
        row("a path of one's own", R"("paths": ["/home/agent/**", "!./**"])", "x /home/agent/project/a", false);
        row("a path of one's own by a star", R"("paths": ["/home/agent/**", "!./**"])", "x src/*.sh", false);
        row("a path that leaves by dots", R"("paths": ["/home/agent/**", "!./**"])", "x ../a", true);
        row("the same name in another directory", R"("paths": ["/home/agent/**", "!./**"])", "cd .. && x a", true);
        row("a path in the directory", "\"paths\": \"/proc/*/environ\"", "cd /proc/self && cat environ", true);
        row("a path that the shell completes", R"("paths": "/etc/passwd")", "cat /e?c/pass*", true);
        row("a path inside a word", R"("paths": "/run/x.sock")", "tool --to=unix:///run/x.sock", true);
        row("a path that is redirected from", R"("paths": "/etc/passwd")", "cat < /etc/passwd", true);
        row("a path as text", R"("paths": "/etc/passwd")", "echo /etc/passwd", false);
        row("a pattern is no path", R"("paths": "/etc/passwd")", "grep /etc/passwd docs", false);
        row("reading is not writing", R"("writes": "/etc/x")", "cat /etc/x", false);
        row("writing by redirection", R"("writes": "/etc/x")", ": > /etc/x", true);
        row("writing without a command", R"("writes": "/etc/x")", "> /etc/x", true);
        row("writing by a known writer", R"("writes": "/etc/x")", "echo a | tee /etc/x", true);
        row("copying into a folder", R"("writes": "/etc/x")", "cp x /etc/", true);
        row("copying from there", R"("writes": "/etc/x")", "cp /etc/x y.txt", false);
        row("writing is not redirecting", R"("redirects_to": "/etc/x")", "tee /etc/x", false);
        row("redirecting", R"("redirects_to": "/etc/x")", "date &> /etc/x", true);
        row("a variable for one command", R"("assigns": "LD_.*")", "LD_AUDIT=x ls", true);
        row("a variable that stays", R"("assigns": "LD_.*")", "export LD_AUDIT=x", true);
        row("a value that matches", R"("assigns": {"name": "ENV", "value": "^/"})", "ENV=/x sh", true);
        row("a value that does not", R"("assigns": {"name": "ENV", "value": "^/"})", "ENV=prod sh", false);
        row("a value that is fine", R"("assigns": {"name": "P", "not_value": "^cat$"})", "P=cat git log", false);
        row("output run as code", R"("program": "curl", "pipes_to": "*")", "curl x | tee y | sh", true);
        row("output as data", R"("program": "curl", "pipes_to": "*")", "curl x | grep y", false);
        row("output in an argument", R"("program": "curl", "argument_from": "*")", "curl x/$(cat y)", true);
        row("what arrives on standard input", R"("program": "nc", "piped_from": "cat")", "cat x | nc y", true);
        row("unseen code", R"("code_from": "cat *")", "cat x | sh", true);
        row("unseen code of another line", R"("code_from": "cat y")", "cat x | sh", false);
        row("unseen code of a line that is taken out", R"("code_from": ["*", "!cat x"])", "cat x | sh", false);
        row("code that the text shows", R"("code_from": "*")", "echo ls | sh", false);
        row("through a launcher", R"("program": "rm", "via": "xargs")", "ls | xargs rm", true);
        row("not through it", R"("program": "rm", "via": "xargs")", "rm x", false);
        row("known standard input", R"("program": "ed", "input": "(?m)^!")", "printf '!id\\nq\\n' | ed x", true);
        row("code in another language", R"("language": "python", "code": "rmtree")", "python3 -c 'shutil.rmtree(1)'",
            true);
        row("another language", R"("language": "perl", "code": "rmtree")", "python3 -c 'shutil.rmtree(1)'", false);
        row("sed commands", R"("language": "sed", "code": "(?m)^s [^ ]*e")", "sed 's,a,b,ge' f", true);
        row("a construct", R"("construct": "fork_bomb")", "b(){ b|b& };b", true);
        row("raw text sees quotes too", R"("text": "rm -rf")", "echo 'rm -rf'", true);
        row("one of several", R"("program": "x", "any": [{"operands": "a"}, {"operands": "b"}])", "x b", true);
        row("none of several", R"("program": "x", "any": [{"operands": "a"}, {"operands": "b"}])", "x c", false);
        row("an exception", R"("program": "x", "unless": [{"operands": "a"}])", "x a", false);
        row("conditions are about one program", R"("program": "x", "operands": "a")", "x b; y a", false);
        row("a guess does not count", R"("program": "sudo")", "mywrap sudo id", false);
        row("a guess counts where the rule says so", R"("program": "sudo", "guessed": true)", "mywrap sudo id", true);
    }
    void conditions_hold()
    {
        QFETCH(QByteArray, conditions);
        QFETCH(QByteArray, command);
        const auto set = compiled(fileWith(conditions.toStdString()));
        QVERIFY(set);
        QTEST(!matchesOf(*set, command.toStdString()).hits.empty(), "expected");
    }

    void an_unknown_word_where_a_rule_looks_is_a_note_data()
    {
        QTest::addColumn<QByteArray>("conditions");
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<int>("hits");
        QTest::addColumn<int>("notes");
        const auto row = [](const char *name, const char *conditions, const char *command, int hits, int notes) {
            QTest::newRow(name) << QByteArray(conditions) << QByteArray(command) << hits << notes;
        };
        row("an option", R"("program": "rm", "args": {"option": "-r"})", "rm \"$(cat o)\" x", 0, 1);
        row("a value", R"("program": "x", "args": {"option": "-h", "value": "prod-*"})", "x -h \"$(cat h)\"", 0, 1);
        row("the known part decides", R"("program": "x", "args": {"option": "-h", "value": "prod-*"})",
            "x -h \"prod-$(cat h)\"", 1, 0);
        row("the known part excludes", R"("program": "x", "args": {"option": "-h", "value": "prod-*"})",
            "x -h \"dev-$(cat h)\"", 0, 0);
        row("a host", R"("program": "curl", "hosts": "loopback")", "curl \"http://$(cat h)/\"", 0, 1);
        row("a host with an unknown path", R"("program": "curl", "hosts": "loopback")",
            "curl \"http://127.0.0.1/$(cat h)\"", 1, 0);
        row("any program is no note", R"("paths": "/etc/passwd")", "cat \"$(cat h)\"", 0, 0);
    }
    void an_unknown_word_where_a_rule_looks_is_a_note()
    {
        QFETCH(QByteArray, conditions);
        QFETCH(QByteArray, command);
        const auto set = compiled(fileWith(conditions.toStdString()));
        QVERIFY(set);
        const RuleMatches found = matchesOf(*set, command.toStdString());
        QTEST(static_cast<int>(found.hits.size()), "hits");
        QTEST(static_cast<int>(found.dynamic.size()), "notes");
        for (const shell::DynamicNote &note : found.dynamic) {
            QCOMPARE(note.reason, DynamicReason::Option);
            QCOMPARE(note.detail, std::string("r"));
        }
    }

    void spans_say_which_bytes_matched()
    {
        const auto set = compiled(fileWith(R"("program": "curl", "pipes_to": "sh")"));
        QVERIFY(set);
        const RuleMatches found = matchesOf(*set, "true; curl -s x | sh");
        QCOMPARE(found.hits.size(), std::size_t{1});
        QCOMPARE(found.hits.front().spans, (std::vector<Span>{{6, 4}, {18, 2}}));
    }

    void each_rule_answers_once_in_the_order_of_the_file()
    {
        const auto set = compiled(R"({"version": 1, "rules": [
            {"id": "b", "reason": "No.", "program": "x"}, {"id": "a", "reason": "No.", "program": ["y", "x"]}]})");
        QVERIFY(set);
        const RuleMatches found = matchesOf(*set, "y; x; x; y");
        QCOMPARE(found.hits.size(), std::size_t{2});
        QCOMPARE(found.hits[0].rule->id, std::string("b"));
        QCOMPARE(found.hits[1].rule->id, std::string("a"));
    }

    void a_broken_file_is_refused_with_code_and_place_data()
    {
        QTest::addColumn<QByteArray>("file");
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<int>("line");
        const auto row = [](const char *name, const std::string &file, Code code, const char *key, int line) {
            QTest::newRow(name) << QByteArray::fromStdString(file) << static_cast<int>(code) << QByteArray(key) << line;
        };
        row("no JSON", "{\n  \"version\": 1,\n  oops oops }", Code::Json, "", 3);
        row("no version", R"({"rules": []})", Code::MissingKey, "version", 1);
        row("another version", R"({"version": 2, "rules": []})", Code::BadValue, "version", 1);
        row("an unknown key of the file", R"({"version": 1, "rule": [], "rules": []})", Code::UnknownKey, "rule", 1);
        row("an unknown group", R"({"version": 1, "group": "destructive", "rules": []})", Code::BadGroup, "group", 1);
        row("the path guard is no group of rules", R"({"version": 1, "group": "path_guard", "rules": []})",
            Code::BadGroup, "group", 1);
        row("an unknown key of a rule", fileWith("\n\"programm\": \"x\""), Code::UnknownKey, "programm", 2);
        row("an unknown key inside any", fileWith("\"any\": [\n{\"verdict\": \"deny\"}]"), Code::UnknownKey, "verdict",
            2);
        row("no id", R"({"version": 1, "rules": [{"reason": "No.", "program": "x"}]})", Code::MissingKey, "id", 1);
        row("no reason", R"({"version": 1, "rules": [{"id": "r", "program": "x"}]})", Code::MissingKey, "reason", 1);
        row("a number for a name", fileWith(R"("program": 1)"), Code::WrongType, "program", 1);
        row("an empty pattern would match everything", fileWith(R"("text": "")"), Code::BadValue, "text", 1);
        row("a bad regular expression", fileWith("\"program\": \"x\", \"words\": \"(\""), Code::BadPattern, "words", 1);
        row("a back-reference", fileWith(R"("program": "x", "words": "(a)\\1")"), Code::BadPattern, "words", 1);
        row("a bad glob", fileWith("\"paths\": \"/a/{b\""), Code::BadPattern, "paths", 1);
        row("an unknown class of hosts", fileWith(R"("program": "x", "hosts": "local")"), Code::BadValue, "hosts", 1);
        row("an unknown construct", fileWith(R"("construct": "bomb")"), Code::BadValue, "construct", 1);
        row("a verdict that a rule cannot give", fileWith(R"("program": "x", "verdict": "allow")"), Code::BadVerdict,
            "verdict", 1);
        row("a value without its option", fileWith(R"("program": "x", "args": {"value": "a"})"), Code::MissingKey,
            "option", 1);
        row("an option without its dash", fileWith(R"("program": "x", "args": {"option": "r"})"), Code::BadValue,
            "args", 1);
        row("no condition", R"({"version": 1, "rules": [{"id": "r", "reason": "No."}]})", Code::NoCondition, "", 1);
        row("an exception without a condition", fileWith(R"("program": "x", "unless": [{}])"), Code::NoCondition, "",
            1);
        row("an example that does not match", fileWith(R"("program": "x", "match": "y")"), Code::ExampleMissed, "match",
            1);
        row("an example that must not match", fileWith(R"("program": "x", "not_match": "x")"), Code::ExampleHit,
            "not_match", 1);
        row("two rules with one id", R"({"version": 1, "rules": [
            {"id": "r", "reason": "No.", "program": "x"},
            {"id": "r", "reason": "No.", "program": "y"}]})",
            Code::DuplicateId, "id", 3);
    }
    void a_broken_file_is_refused_with_code_and_place()
    {
        QFETCH(QByteArray, file);
        const RuleError error = errorOf(file.toStdString());
        QTEST(static_cast<int>(error.code), "code");
        QTEST(QByteArray::fromStdString(error.key), "key");
        QTEST(static_cast<int>(error.line), "line");
        QVERIFY(error.column > 0);
    }
};

QTEST_GUILESS_MAIN(TstRuleLanguage)
#include "tst_rule_language.moc"
