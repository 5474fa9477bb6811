// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/keys.h"
#include "tests/support/configuration_builder.h"

#include <QCryptographicHash>
#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;
using test::ConfigurationBuilder;

namespace {

constexpr const char *someRules = R"({"version": 1, "group": "env_dump", "rules": [
    {"id": "dump", "title": "t", "reason": "r", "advice": "a", "program": ["printenv"]}]})";

ConfigurationBuilder full()
{
    ConfigurationBuilder builder;
    builder.rules(someRules);
    builder.gateway("{data_dir: '/srv/d', tools: {exec: {timeout_seconds: 90}, shellDenyGroups: {env_dump: false}}}");
    builder.policy(
        "acme",
        "network: 'none', deny_groups: {crypto_mining: true}, agents: {build: {shell: 'sh'}}, extra_read: ['/opt/a'],"
        "rules: [{id: 'own', verdict: 'deny', program: ['x'], reason: 'r'}],"
        "exemptions: [{id: 'e', rule: 'dump', command: 'printenv', reason: 'r', by: 'b'}]");
    builder.policyFile("broken", "{");
    builder.environment("GOCLAW_SANDBOX_MODE", "all").folder("globex");
    builder.input().bundledSkills = {"docx", "pdf"};
    return builder;
}

} // namespace

class TstDigest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_digest_is_of_the_canonical_text()
    {
        const auto configuration = full().load();
        QVERIFY(configuration);
        QCOMPARE(configuration->digest().size(), std::size_t(7 + 64));
        QVERIFY(configuration->digest().starts_with("sha256:"));
        const QByteArray text = QByteArray::fromStdString(configuration->canonicalText());
        QCOMPARE(QByteArray::fromStdString(configuration->digest().substr(7)),
                 QCryptographicHash::hash(text, QCryptographicHash::Sha256).toHex());
    }

    void order_comments_and_spelling_do_not_matter()
    {
        ConfigurationBuilder one;
        one.gateway("{data_dir: '/d', tools: {exec: {shell: 'sh', timeout_seconds: 90}}}");
        one.policy("acme", "network: 'none', deny_groups: {env_dump: false, crypto_mining: true}").policy("globex");
        ConfigurationBuilder two;
        two.policy("globex");
        two.policyFile("acme",
                       "/* ours */ {\"deny_groups\": {crypto_mining: true, // keep\n env_dump: false,},\n"
                       "'network': \"n\\u006fne\", 'tenant': 'acme', version: 0x1}\n\n");
        two.gateway("{'tools': {\"exec\": {timeout_seconds: 9e1, shell: \"sh\"}}, // x\n data_dir: '/d',}");
        QCOMPARE(one.load()->digest(), two.load()->digest());
    }

    void what_plays_no_part_does_not_matter()
    {
        ConfigurationBuilder base;
        base.gateway("{data_dir: '/d'}").policy("acme", "network: 'none'");
        const std::string digest = base.load()->digest();
        ConfigurationBuilder other;
        other.gateway("{data_dir: '/d', providers: {x: {key: 'other'}}, agents: {list: {a: {model: 'm'}}}}");
        other.policy("acme", "network: 'none', tests: [{command: 'ls', expect: 'allow'}], note_for_people: 'hello'");
        other.environment("GOCLAW_LOG_LEVEL", "debug").folder("new-tenant");
        QCOMPARE(other.load()->digest(), digest);
    }

    void everything_that_decides_changes_the_digest_data()
    {
        QTest::addColumn<int>("change");
        const char *const names[] = {"gateway key",  "policy key",    "group",        "agent",
                                     "rule",         "exemption",     "environment",  "path",
                                     "shipped rule", "broken policy", "bundled skill"};
        for (int i = 0; i < int(std::size(names)); ++i)
            QTest::newRow(names[i]) << i;
    }

    void everything_that_decides_changes_the_digest()
    {
        QFETCH(int, change);
        const auto make = [](int which) {
            ConfigurationBuilder builder;
            builder.gateway(which == 0 ? "{tools: {exec: {shell: 'sh'}}}" : "{}");
            builder.rules(
                which == 8
                    ? R"({"version": 1, "group": "env_dump", "rules": [{"id": "d", "title": "t", "reason": "r", "advice": "a", "program": ["other"]}]})"
                    : R"({"version": 1, "group": "env_dump", "rules": [{"id": "d", "title": "t", "reason": "r", "advice": "a", "program": ["printenv"]}]})");
            std::string keys = "network: 'host'";
            if (which == 1)
                keys = "network: 'none'";
            if (which == 2)
                keys += ", deny_groups: {env_dump: false}";
            if (which == 3)
                keys += ", agents: {a: {shell: 'sh'}}";
            if (which == 4)
                keys += ", rules: [{id: 'own', verdict: 'deny', program: ['x'], reason: 'r'}]";
            if (which == 5)
                keys += ", exemptions: [{id: 'e', rule: 'd', command: 'x', reason: 'r', by: 'b'}]";
            builder.policy("acme", keys);
            if (which == 6)
                builder.environment("GOCLAW_SANDBOX_MODE", "all");
            if (which == 7)
                builder.environment("GOCLAW_DATA_DIR", "/elsewhere");
            if (which == 9)
                builder.policyFile("globex", "{");
            if (which == 10)
                builder.input().bundledSkills = {"pdf"};
            return builder.load()->digest();
        };
        QVERIFY(make(change) != make(-1));
        QCOMPARE(make(change), make(change));
    }

    void the_canonical_text_loads_back_to_the_same_configuration()
    {
        const auto original = full().load();
        QVERIFY(original);
        const auto again = Configuration::loadCanonical(original->canonicalText(), {"globex"});
        QVERIFY(again);
        QCOMPARE((*again)->digest(), original->digest());
        QCOMPARE((*again)->canonicalText(), original->canonicalText());
        QCOMPARE((*again)->tenants(), original->tenants());
        QCOMPARE((*again)->paths().dataDir, original->paths().dataDir);
        QCOMPARE((*again)->paths().sockets, original->paths().sockets);
        QCOMPARE((*again)->effective("acme", "main").systemSkills.value, (std::vector<std::string>{"docx", "pdf"}));
        QVERIFY((*again)->isBroken("broken"));
        QVERIFY(!(*again)->isBroken("acme"));
        for (const char *agent : {"main", "build"}) {
            const Effective &a = original->effective("acme", agent);
            const Effective &b = (*again)->effective("acme", agent);
            for (const KeySpec &key : keys()) {
                QVERIFY2(key.load(a).value == key.load(b).value, key.name.c_str());
                QCOMPARE(key.load(a).source.layer, key.load(b).source.layer);
            }
            QCOMPARE(b.exemptions.size(), a.exemptions.size());
            QCOMPARE(b.exemptions[0].command, a.exemptions[0].command);
            QVERIFY(b.tenantRules && b.tenantRules->rules().size() == 1);
        }
        QCOMPARE((*again)->builtinRules().rules().size(), std::size_t(1));
    }

    void a_text_that_is_no_configuration_does_not_load_back()
    {
        for (const char *text :
             {"", "{}", "[]", "{\"format\":2}", "{\"format\":1,\"environment\":{},\"paths\":{},\"rules\":{}}"})
            QVERIFY(!Configuration::loadCanonical(text, {}));
    }

    void the_master_tenants_policy_takes_part_too()
    {
        ConfigurationBuilder builder;
        const std::string without = builder.load()->digest();
        builder.policy("master", "deny_groups: {env_dump: false}");
        const auto configuration = builder.load();
        QVERIFY(configuration->digest() != without);
        QVERIFY(!configuration->effective("master", "main").denyGroups[static_cast<std::size_t>(Group::EnvDump)].value);
    }
};

QTEST_GUILESS_MAIN(TstDigest)
#include "tst_digest.moc"
