// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/tenant_policy.h"
#include "tests/support/configuration_builder.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;
using test::ConfigurationBuilder;

namespace {

constexpr const char *oneRule = R"({"version": 1, "group": "env_dump", "rules": [
    {"id": "dump-environment", "title": "t", "reason": "r", "advice": "a", "program": ["printenv"]}]})";

std::string exemption(const std::string &changes)
{
    return "exemptions: [{id: 'e1', rule: 'dump-environment', reason: 'why', by: 'op', " + changes + "}]";
}

} // namespace

class TstTenantPolicy : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_mistake_is_an_error_with_its_place_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<quint32>("line");
        QTest::addColumn<quint32>("column");
        QTest::addColumn<QByteArray>("pointer");
        QTest::addColumn<QByteArray>("found");
        QTest::addColumn<QByteArray>("hint");
        const auto row = [](const char *name, const std::string &keys, const char *code, quint32 column,
                            const char *pointer, const std::string &found, const char *hint) {
            QTest::newRow(name) << QByteArray::fromStdString("{version: 1, tenant: 'acme',\n" + keys + "\n}")
                                << QByteArray(code) << 2U << column << QByteArray(pointer)
                                << QByteArray::fromStdString(found) << QByteArray(hint);
        };
        row("no comma", "network: 'none' shell: 'sh'", "missing_comma", 17, "", "shell", "");
        row("key twice", "shell: 'sh', shell: 'sh'", "duplicate_key", 14, "", "shell", "");
        row("unknown group", "deny_groups: {package_instal: false}", "unknown_group", 15, "/deny_groups/package_instal",
            "package_instal", "package_install");
        row("group that is nothing like one", "deny_groups: {xyz: false}", "unknown_group", 15, "/deny_groups/xyz",
            "xyz", "");
        row("the path guard is no group", "deny_groups: {path_guard: false}", "unknown_group", 15,
            "/deny_groups/path_guard", "path_guard", "");
        row("group that is no boolean", "deny_groups: {env_dump: 'no'}", "wrong_type", 25, "/deny_groups/env_dump",
            "string", "");
        row("mistyped key", "hots_policy: 'deny'", "unknown_key", 1, "/hots_policy", "hots_policy", "host_policy");
        row("mistyped inner key", "sandbox: {mod: 'all'}", "unknown_key", 11, "/sandbox/mod", "mod", "mode");
        row("key of another place", "agents: {main: {exemptions: []}}", "misplaced_key", 17, "/agents/main/exemptions",
            "exemptions", "exemptions");
        row("key of the sandbox among the limits", "limits: {memory_mb: 512}", "misplaced_key", 10, "/limits/memory_mb",
            "memory_mb", "sandbox.memory_mb");
        row("inner key at the top", "timeout_seconds: 5", "misplaced_key", 1, "/timeout_seconds", "timeout_seconds",
            "limits.timeout_seconds");
        row("beginning of a key", "limits: {timeout: 5}", "unknown_key", 10, "/limits/timeout", "timeout",
            "timeout_seconds");
        row("record of the gateway", "audit_db: '/x'", "gateway_key", 1, "/audit_db", "audit_db",
            "portcullis.audit_db");
        row("data dir of the gateway", "data_dir: '/x'", "gateway_key", 1, "/data_dir", "data_dir", "data_dir");
        row("object of the gateway", "tools: {}", "gateway_key", 1, "/tools", "tools", "tools");
        row("approval is the gateway's", "approval: {ask: 'off'}", "gateway_key", 1, "/approval", "approval",
            "tools.execApproval");
        row("reading everything", "extra_read: ['/']", "reserved_path", 14, "/extra_read/0", "/", "");
        row("reading the devices", "extra_read: ['/opt/a', '/dev/']", "reserved_path", 24, "/extra_read/1", "/dev/",
            "");
        row("reading below another name of /proc", "extra_read: ['/opt/../proc/1']", "reserved_path", 14,
            "/extra_read/0", "/opt/../proc/1", "");
        row("word that is none", "network: 'non'", "bad_value", 10, "/network", "non", "none");
        row("word in the wrong case", "host_policy: 'Deny'", "bad_value", 14, "/host_policy", "Deny", "deny");
        row("word of the wrong type", "host_policy: true", "wrong_type", 14, "/host_policy", "boolean", "");
        row("object of the wrong type", "limits: 60", "wrong_type", 9, "/limits", "number", "");
        row("null is no value here", "network: null", "wrong_type", 10, "/network", "null", "");
        row("number out of range", "limits: {timeout_seconds: 0}", "out_of_range", 27, "/limits/timeout_seconds", "0",
            "");
        row("number that is not whole", "limits: {timeout_seconds: 1.5}", "bad_value", 27, "/limits/timeout_seconds",
            "1.5", "2");
        row("endless number", "limits: {timeout_seconds: Infinity}", "out_of_range", 27, "/limits/timeout_seconds",
            "Infinity", "");
        row("relative path", "extra_read: ['/opt/a', 'b']", "not_absolute", 24, "/extra_read/1", "b", "");
        row("home of another user", "extra_read: ['~bob/x']", "not_absolute", 14, "/extra_read/0", "~bob/x", "");
        row("path with a NUL byte", "extra_read: ['/a\\0b']", "not_absolute", 14, "/extra_read/0",
            std::string("/a\0b", 4), "");
        row("gateway key in a policy", "run_as: 'root'", "gateway_key", 1, "/run_as", "run_as", "portcullis.run_as");
        row("version of the future", "agents: {}, version: 2", "duplicate_key", 13, "", "version", "");
        row("test without a verdict", "tests: [{command: 'ls'}]", "missing_key", 9, "/tests/0", "", "expect");
        row("test with an unknown verdict", "tests: [{command: 'ls', expect: 'alow'}]", "bad_value", 33,
            "/tests/0/expect", "alow", "allow");
        row("exemption without a reason", "exemptions: [{id: 'e', rule: 'r', by: 'op', command: 'x'}]", "missing_key",
            14, "/exemptions/0", "", "reason");
        row("exemption of nothing", exemption(""), "command_and_program", 14, "/exemptions/0", "", "");
        row("exemption of two things", exemption("command: 'x', program: 'y', args: []"), "command_and_program", 14,
            "/exemptions/0", "", "");
        row("exemption of any arguments by mistake", exemption("program: 'y'"), "missing_key", 14, "/exemptions/0", "",
            "args");
        row("exemption with an unknown key", exemption("command: 'x', until: 'y'"), "unknown_key", 90,
            "/exemptions/0/until", "until", "");
        row("exemption with a time without a zone", exemption("command: 'x', expires: '2026-12-01T08:00:00'"),
            "bad_time", 99, "/exemptions/0/expires", "2026-12-01T08:00:00", "");
        row("exemption with a relative folder", exemption("command: 'x', cwd: 'src'"), "not_absolute", 95,
            "/exemptions/0/cwd", "src", "");
        row("exemption with an unknown check", exemption("command: 'x', check: 'deny_rule'"), "bad_value", 97,
            "/exemptions/0/check", "deny_rule", "deny_rules");
        row("the same exemption twice",
            "exemptions: [{id: 'e', rule: 'r', reason: 'y', by: 'o', command: 'x'}, {id: 'e', rule: 'r', reason: 'y', "
            "by: 'o', command: 'x'}]",
            "duplicate_id", 77, "/exemptions/1/id", "e", "");
    }

    void a_mistake_is_an_error_with_its_place()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, code);
        ConfigurationBuilder builder;
        builder.rules(oneRule).policyFile("acme", text.toStdString()).policy("globex");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        const Problem problem = builder.problem(code.toStdString());
        QCOMPARE(QByteArray::fromStdString(problem.code), code);
        QCOMPARE(problem.severity, Problem::Severity::Error);
        QCOMPARE(problem.file, std::string("/etc/gw/policies/acme.json"));
        QCOMPARE(problem.tenant, std::string("acme"));
        QTEST(problem.line, "line");
        QTEST(problem.column, "column");
        QTEST(QByteArray::fromStdString(problem.pointer), "pointer");
        QTEST(QByteArray::fromStdString(problem.found), "found");
        QTEST(QByteArray::fromStdString(problem.hint), "hint");
        QVERIFY(configuration->isBroken("acme"));
        QVERIFY(configuration->isKnown("acme"));
        QVERIFY(!configuration->isBroken("globex"));
    }

    void folders_that_only_begin_like_reserved_ones_can_be_granted()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "extra_read: ['/development', '/opt/dev', '/sysroot', '~/proc']");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QVERIFY(!configuration->isBroken("acme"));
        QCOMPARE(configuration->effective("acme", "main").extraRead.value.size(), std::size_t{4});
    }

    void every_mistake_of_the_rules_is_found_at_once_each_at_its_place()
    {
        ConfigurationBuilder builder;
        builder.policyFile("acme",
                           "{version: 1, tenant: 'acme', netwrk: 'none', rules: [\n"
                           "{id: 'a', reason: 'r', progam: ['x']},\n"
                           "{id: 'b', reason: 'r', text: ['re:(']},\n"
                           "{id: 'c', reason: 'r', program: ['rsync'], match: ['rsync a b',\n"
                           "  'scp a b'], not_match: ['rsync x']}]}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QVERIFY(configuration->isBroken("acme"));
        QCOMPARE(builder.problem("unknown_key").line, 1U);
        QCOMPARE(builder.problem("rule_unknown_key").line, 2U);
        QCOMPARE(builder.problem("rule_unknown_key").allowed, std::vector<std::string>{"program"});
        QCOMPARE(builder.problem("rule_bad_pattern").line, 3U);
        const Problem missed = builder.problem("rule_example_missed");
        QCOMPARE(missed.found, std::string("scp a b"));
        QCOMPARE(missed.line, 5U);
        QCOMPARE(missed.column, 3U);
        QCOMPARE(builder.problem("rule_example_hit").line, 5U);
        QCOMPARE(builder.problem("rule_example_hit").column, 27U);
    }

    void an_exemption_that_cannot_be_is_not_asked_for_its_rule()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "exemptions: [{id: 'e', reason: 'r', by: 'o', check: 'path_guard', command: 'x'}]");
        builder.load();
        QCOMPARE(builder.problems().size(), std::size_t{1});
        QCOMPARE(builder.problems().front().code, std::string("not_exemptable"));
        builder = {};
        builder.policy("acme", "exemptions: [{id: 'e', reason: 'r', by: 'o', check: 'dynamic', command: 'x'}]");
        builder.load();
        QCOMPARE(builder.problem("missing_key").hint, std::string("rule"));
    }

    void version_and_tenant_must_be_there_and_right_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("no version") << QByteArray("{tenant: 'acme'}") << QByteArray("missing_key");
        QTest::newRow("no tenant") << QByteArray("{version: 1}") << QByteArray("missing_key");
        QTest::newRow("later version") << QByteArray("{version: 2, tenant: 'acme'}")
                                       << QByteArray("unsupported_version");
        QTest::newRow("policy of another tenant")
            << QByteArray("{version: 1, tenant: 'globex'}") << QByteArray("tenant_mismatch");
        QTest::newRow("tenant in another case")
            << QByteArray("{version: 1, tenant: 'Acme'}") << QByteArray("tenant_mismatch");
        QTest::newRow("no object") << QByteArray("[]") << QByteArray("wrong_type");
        QTest::newRow("nothing") << QByteArray("") << QByteArray("unexpected_end");
    }

    void version_and_tenant_must_be_there_and_right()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, code);
        ConfigurationBuilder builder;
        builder.policyFile("acme", text.toStdString());
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(QByteArray::fromStdString(builder.problem(code.toStdString()).code), code);
        QVERIFY(configuration->isBroken("acme"));
    }

    void what_no_exemption_may_answer_is_refused_data()
    {
        QTest::addColumn<QByteArray>("check");
        QTest::addColumn<bool>("allowed");
        for (const char *check :
             {"input", "path_guard", "backend", "host_policy", "confinement", "cwd", "configuration"})
            QTest::newRow(check) << QByteArray(check) << false;
        for (const char *check : {"deny_rules", "readings", "credentialed", "dynamic", "approval"})
            QTest::newRow(check) << QByteArray(check) << true;
    }

    void what_no_exemption_may_answer_is_refused()
    {
        QFETCH(QByteArray, check);
        QFETCH(bool, allowed);
        ConfigurationBuilder builder;
        builder.rules(oneRule).policy("acme", exemption("command: 'x', check: '" + check.toStdString() + "'"));
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(configuration->isBroken("acme"), !allowed);
        QCOMPARE(builder.problem("not_exemptable").code.empty(), allowed);
    }

    void an_exemption_is_read_as_written()
    {
        ConfigurationBuilder builder;
        builder.rules(oneRule).policy("acme",
                                      exemption("program: 'printenv', args: ['HOME', '**'], agent: 'build', cwd: '/w', "
                                                "expires: '2026-12-01T10:00:00+02:00'"));
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QVERIFY(builder.problems().empty());
        const std::vector<Exemption> &list = configuration->effective("acme", "main").exemptions;
        QCOMPARE(list.size(), std::size_t(1));
        QCOMPARE(list[0].check, Check::DenyRules);
        QCOMPARE(list[0].program, std::string("printenv"));
        QCOMPARE(list[0].args, (std::vector<std::string>{"HOME", "**"}));
        QCOMPARE(list[0].agent, std::string("build"));
        QCOMPARE(list[0].expiresUs, parseTime("2026-12-01T08:00:00Z"));
        QCOMPARE(list[0].source.pointer, std::string("/exemptions/0"));
    }

    void an_exemption_for_a_rule_that_is_not_there_is_a_warning_with_the_nearest()
    {
        ConfigurationBuilder builder;
        builder.rules(oneRule).policy(
            "acme", "exemptions: [{id: 'e', rule: 'dump-enviroment', reason: 'y', by: 'o', command: 'x'}]");
        QVERIFY(!builder.load()->isBroken("acme"));
        QCOMPARE(builder.problem("unknown_rule").severity, Problem::Severity::Warning);
        QCOMPARE(builder.problem("unknown_rule").hint, std::string("dump-environment"));
    }

    void a_key_that_resembles_none_is_kept_with_a_warning()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "$schema: 'x', owner_of_this_file: 'ops team', deny_groups: {env_dump: false}");
        const auto configuration = builder.load();
        QVERIFY(!configuration->isBroken("acme"));
        QCOMPARE(builder.problems().size(), std::size_t(1));
        QCOMPARE(builder.problem("unknown_key").severity, Problem::Severity::Warning);
        QCOMPARE(builder.problem("unknown_key").found, std::string("owner_of_this_file"));
        QVERIFY(!configuration->effective("acme", "main").denyGroups[static_cast<std::size_t>(Group::EnvDump)].value);
    }

    void a_key_with_a_dot_is_no_path()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "'deny_groups.env_dump': false, 'sandbox.mode': 'all'");
        const auto configuration = builder.load();
        QVERIFY(configuration->isBroken("acme"));
        QCOMPARE(configuration->effective("acme", "main").sandbox.mode.value, SandboxMode::Off);
    }

    void of_a_broken_policy_nothing_is_used()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "deny_groups: {env_dump: false}, network: 'nothing'");
        const auto configuration = builder.load();
        QVERIFY(configuration->isBroken("acme"));
        QVERIFY(configuration->effective("acme", "main").denyGroups[static_cast<std::size_t>(Group::EnvDump)].value);
    }

    void rules_that_do_not_read_break_the_policy_and_say_where()
    {
        ConfigurationBuilder builder;
        builder.rules(oneRule).policyFile(
            "acme",
            "{version: 1, tenant: 'acme', rules: [\n  {id: 'a', verdict: 'deny', programm: ['x'], reason: 'r'}]}");
        const auto configuration = builder.load();
        QVERIFY(configuration->isBroken("acme"));
        QCOMPARE(builder.problem("rule_unknown_key").line, 2U);
        QCOMPARE(builder.problem("rule_unknown_key").pointer, std::string("/rules/a"));
    }

    void a_tenants_rule_may_not_take_the_id_of_a_shipped_one()
    {
        ConfigurationBuilder builder;
        builder.rules(oneRule).policy(
            "acme", "rules: [{id: 'dump-environment', verdict: 'deny', program: ['x'], reason: 'r'}]");
        QVERIFY(builder.load()->isBroken("acme"));
        QCOMPARE(builder.problem("rule_duplicate_id").found, std::string("dump-environment"));
    }

    void two_policies_for_one_tenant_break_it()
    {
        ConfigurationBuilder builder;
        builder.policy("acme").policy("acme", "deny_groups: {env_dump: false}");
        QVERIFY(builder.load()->isBroken("acme"));
        QCOMPARE(builder.problem("duplicate_policy").found, std::string("acme"));
    }

    void a_file_whose_name_is_no_slug_belongs_to_nobody()
    {
        ConfigurationBuilder builder;
        builder.policy("Acme").policy("..").folder("Bad Name").folder("globex").folder("master");
        const auto configuration = builder.load();
        QCOMPARE(builder.problem("bad_slug").found, std::string("Acme"));
        QCOMPARE(configuration->tenants(), std::vector<std::string>{"globex"});
        QVERIFY(!configuration->isKnown("Acme"));
        QVERIFY(configuration->isKnown("master"));
    }

    void slugs_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("good");
        const auto row = [](const QByteArray &text, bool good) {
            QTest::addRow("%s (%d bytes)", text.left(40).constData(), int(text.size())) << text << good;
        };
        row("acme", true);
        row("0a.b_c-d", true);
        row("master", true);
        row(QByteArray(64, 'a'), true);
        row("0193A5B0-7000-7000-8000-000000000001", true);
        row(QByteArray(65, 'a'), false);
        row("", false);
        row(".", false);
        row("..", false);
        row(".acme", false);
        row("-acme", false);
        row("Acme", false);
        row("a/b", false);
        row("a b", false);
        row("a\xC3\xA4", false);
        row(QByteArray("a\0b", 3), false);
    }

    void slugs()
    {
        QFETCH(QByteArray, text);
        QTEST(isSlug(text.toStdString()), "good");
    }

    void times_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("utc");
        const auto row = [](const char *text, const char *utc) {
            QTest::newRow(text) << QByteArray(text) << QByteArray(utc);
        };
        row("2026-12-01T08:00:00Z", "2026-12-01T08:00:00Z");
        row("2026-12-01T08:00Z", "2026-12-01T08:00:00Z");
        row("2026-12-01 08:00:00.5Z", "2026-12-01T08:00:00Z");
        row("2026-12-31T23:30:00-01:00", "2027-01-01T00:30:00Z");
        row("2026-03-01T00:30:00+0100", "2026-02-28T23:30:00Z");
        row("2024-02-29T00:00:00Z", "2024-02-29T00:00:00Z");
        row("2026-02-29T00:00:00Z", "");
        row("2026-13-01T00:00:00Z", "");
        row("2026-12-01T24:00:00Z", "");
        row("2026-12-01T08:00:00", "");
        row("2026-12-01", "");
        row("2026-12-01T08:00:00Zx", "");
        row("+026-12-01T08:00:00Z", "");
        row("tomorrow", "");
        row("", "");
    }

    void times()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, utc);
        const std::optional<std::int64_t> time = parseTime(text.toStdString());
        QCOMPARE(time.has_value(), !utc.isEmpty());
        if (time)
            QCOMPARE(QByteArray::fromStdString(writeTime(*time)), utc);
    }
};

QTEST_GUILESS_MAIN(TstTenantPolicy)
#include "tst_tenant_policy.moc"
