// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/keys.h"
#include "tests/support/configuration_builder.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;
using test::ConfigurationBuilder;

Q_DECLARE_METATYPE(portcullis::Layer)

namespace {

const KeySpec &keyNamed(std::string_view name)
{
    return *std::ranges::find(keys(), name, &KeySpec::name);
}

/// Value and layer of a key, as `value@layer`.
QByteArray inForce(const Configuration &configuration, std::string_view key, std::string_view tenant = "acme",
                   std::string_view agent = "main")
{
    const Sourced<KeyValue> value = keyNamed(key).load(configuration.effective(tenant, agent));
    return QByteArray::fromStdString(toJson(value.value) + "@" + std::string(nameOf(value.source.layer)));
}

} // namespace

class TstPrecedence : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_strongest_layer_wins_for_plain_keys_data()
    {
        QTest::addColumn<bool>("gateway");
        QTest::addColumn<bool>("gatewayAgent");
        QTest::addColumn<bool>("tenant");
        QTest::addColumn<bool>("tenantAgent");
        QTest::addColumn<bool>("environment");
        for (int bits = 0; bits < 32; ++bits) {
            QTest::addRow("layers %d", bits)
                << bool(bits & 1) << bool(bits & 2) << bool(bits & 4) << bool(bits & 8) << bool(bits & 16);
        }
    }

    void the_strongest_layer_wins_for_plain_keys()
    {
        QFETCH(bool, gateway);
        QFETCH(bool, gatewayAgent);
        QFETCH(bool, tenant);
        QFETCH(bool, tenantAgent);
        QFETCH(bool, environment);
        std::string agents;
        if (gateway)
            agents += "defaults: {sandbox: {image: 'of-gateway'}},";
        if (gatewayAgent)
            agents += "list: {main: {sandbox: {image: 'of-gateway-agent'}}},";
        ConfigurationBuilder builder;
        builder.gateway("{agents: {" + agents + "}}");
        std::string policy = tenant ? "sandbox: {image: 'of-tenant'}," : "";
        policy += tenantAgent ? "agents: {main: {sandbox: {image: 'of-tenant-agent'}}}" : "agents: {}";
        builder.policy("acme", policy);
        if (environment)
            builder.environment("GOCLAW_SANDBOX_IMAGE", "of-environment");
        const auto configuration = builder.load();
        QVERIFY(configuration);

        std::string expected = "default";
        for (const auto &[present, layer] : {std::pair(gateway, "gateway"),
                                             {gatewayAgent, "gateway_agent"},
                                             {tenant, "tenant"},
                                             {tenantAgent, "tenant_agent"},
                                             {environment, "environment"}}) {
            if (present)
                expected = layer;
        }
        const Sourced<std::string> &image = configuration->effective("acme", "main").sandbox.image;
        QCOMPARE(std::string(nameOf(image.source.layer)), expected);
        std::string value = "of-" + expected;
        std::ranges::replace(value, '_', '-');
        QCOMPARE(image.value, expected == "default" ? std::string("goclaw-sandbox:bookworm-slim") : value);
    }

    void a_tenant_tightens_and_never_loosens_data()
    {
        QTest::addColumn<QByteArray>("environment");
        QTest::addColumn<QByteArray>("gateway");
        QTest::addColumn<QByteArray>("tenant");
        QTest::addColumn<QByteArray>("agent");
        QTest::addColumn<QByteArray>("expected");
        QTest::addColumn<bool>("warned");
        const auto row = [](const char *name, const char *environment, const char *gateway, const char *tenant,
                            const char *agent, const char *expected, bool warned) {
            QTest::newRow(name) << QByteArray(environment) << QByteArray(gateway) << QByteArray(tenant)
                                << QByteArray(agent) << QByteArray(expected) << warned;
        };
        row("nothing said", "", "", "", "", "\"warn\"@default", false);
        row("gateway alone", "", "allow", "", "", "\"allow\"@gateway", false);
        row("tenant tightens the default", "", "", "deny", "", "\"deny\"@tenant", false);
        row("tenant cannot loosen the default", "", "", "allow", "", "\"warn\"@default", true);
        row("tenant tightens the gateway", "", "allow", "warn", "", "\"warn\"@tenant", false);
        row("tenant cannot loosen the gateway", "", "deny", "allow", "", "\"deny\"@gateway", true);
        row("equal values are the operator's", "", "deny", "deny", "", "\"deny\"@gateway", false);
        row("environment replaces the gateway, also looser", "allow", "deny", "", "", "\"allow\"@environment", false);
        row("tenant tightens the environment", "allow", "deny", "warn", "", "\"warn\"@tenant", false);
        row("tenant cannot loosen the environment", "deny", "allow", "warn", "", "\"deny\"@environment", true);
        row("agent of the tenant is nearer than the tenant", "", "allow", "deny", "warn", "\"warn\"@tenant_agent",
            false);
        row("agent of the tenant tightens", "", "allow", "warn", "deny", "\"deny\"@tenant_agent", false);
        row("agent of the tenant cannot loosen the gateway", "", "warn", "deny", "allow", "\"warn\"@gateway", true);
    }

    void a_tenant_tightens_and_never_loosens()
    {
        QFETCH(QByteArray, environment);
        QFETCH(QByteArray, gateway);
        QFETCH(QByteArray, tenant);
        QFETCH(QByteArray, agent);
        ConfigurationBuilder builder;
        if (!gateway.isEmpty())
            builder.gateway("{tools: {exec: {tenant_host_policy: '" + gateway.toStdString() + "'}}}");
        std::string policy = tenant.isEmpty() ? "" : "host_policy: '" + tenant.toStdString() + "',";
        policy += agent.isEmpty() ? "agents: {}" : "agents: {main: {host_policy: '" + agent.toStdString() + "'}}";
        builder.policy("acme", policy);
        if (!environment.isEmpty())
            builder.environment("GOCLAW_EXEC_TENANT_HOST_POLICY", environment.toStdString());
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QTEST(inForce(*configuration, "host_policy"), "expected");
        QTEST(builder.problem("cannot_loosen").severity == Problem::Severity::Warning
                  && builder.problem("cannot_loosen").code == "cannot_loosen",
              "warned");
        QVERIFY(!configuration->isBroken("acme"));
    }

    void network_and_confinement_follow_the_strictest_rule_too_data()
    {
        QTest::addColumn<QByteArray>("key");
        QTest::addColumn<QByteArray>("gateway");
        QTest::addColumn<QByteArray>("tenant");
        QTest::addColumn<QByteArray>("expected");
        QTest::newRow("network tightened")
            << QByteArray("network") << QByteArray("host") << QByteArray("none") << QByteArray("\"none\"@tenant");
        QTest::newRow("network not loosened")
            << QByteArray("network") << QByteArray("none") << QByteArray("host") << QByteArray("\"none\"@gateway");
        QTest::newRow("level tightened") << QByteArray("confinement") << QByteArray("required") << QByteArray("full")
                                         << QByteArray("\"full\"@tenant");
        QTest::newRow("level not loosened") << QByteArray("confinement") << QByteArray("full")
                                            << QByteArray("best_effort") << QByteArray("\"full\"@gateway");
    }

    void network_and_confinement_follow_the_strictest_rule_too()
    {
        QFETCH(QByteArray, key);
        QFETCH(QByteArray, gateway);
        QFETCH(QByteArray, tenant);
        const auto entry = [&key](const QByteArray &value) {
            return key.toStdString() + ": '" + value.toStdString() + "'";
        };
        ConfigurationBuilder builder;
        builder.gateway("{portcullis: {" + entry(gateway) + "}}").policy("acme", entry(tenant));
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QTEST(inForce(*configuration, key.toStdString()), "expected");
    }

    void a_container_never_has_more_network_than_the_tenant()
    {
        ConfigurationBuilder builder;
        builder.gateway("{agents: {defaults: {sandbox: {network_enabled: true}}}}")
            .policy("acme", "network: 'none'")
            .policy("globex");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(inForce(*configuration, "sandbox.network", "acme"), QByteArray("\"none\"@tenant"));
        QCOMPARE(inForce(*configuration, "sandbox.network", "globex"), QByteArray("\"host\"@gateway"));
    }

    void a_tenant_cannot_give_its_container_a_network()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "sandbox: {network: 'host'}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(inForce(*configuration, "sandbox.network"), QByteArray("\"none\"@default"));
        QCOMPARE(builder.problem("cannot_loosen").pointer, std::string("/sandbox/network"));
    }

    void every_group_refuses_until_somebody_says_otherwise()
    {
        ConfigurationBuilder builder;
        builder.gateway("{tools: {shellDenyGroups: {}}}").policy("acme");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        for (const Sourced<bool> &group : configuration->effective("acme", "main").denyGroups)
            QVERIFY(group.value);
    }

    void groups_are_decided_key_by_key()
    {
        ConfigurationBuilder builder;
        builder.gateway(R"({
            tools: {shellDenyGroups: {env_dump: false, package_install: false}},
            agents: {list: {build: {shell_deny_groups: {env_dump: true}}}, old: {shell_deny_groups: {env_dump: true}}},
        })");
        builder.policy(
            "acme", "deny_groups: {package_install: true}, agents: {build: {deny_groups: {package_install: false}}}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(inForce(*configuration, "deny_groups.env_dump", "acme", "main"), QByteArray("false@gateway"));
        QCOMPARE(inForce(*configuration, "deny_groups.env_dump", "acme", "build"), QByteArray("true@gateway_agent"));
        QCOMPARE(inForce(*configuration, "deny_groups.env_dump", "acme", "old"), QByteArray("true@gateway_agent"));
        QCOMPARE(inForce(*configuration, "deny_groups.package_install", "acme", "main"), QByteArray("true@tenant"));
        QCOMPARE(inForce(*configuration, "deny_groups.package_install", "acme", "build"),
                 QByteArray("false@tenant_agent"));
        QCOMPARE(inForce(*configuration, "deny_groups.package_install", "globex", "build"),
                 QByteArray("false@gateway"));
    }

    void a_value_knows_its_file_line_column_and_pointer()
    {
        ConfigurationBuilder builder;
        builder.gateway("{\n  tools: {\n    exec: { timeout_seconds: 90 },\n  },\n}");
        builder.policyFile("acme",
                           "{\n  \"version\": 1,\n  \"tenant\": \"acme\",\n  \"deny_groups\": {\n    "
                           "\"package_install\": false\n  }\n}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        const Effective &effective = configuration->effective("acme", "main");
        const Source &timeout = effective.limits.timeoutSeconds.source;
        QCOMPARE(timeout.file, std::string("/etc/gw/config.json"));
        QCOMPARE(timeout.line, 3U);
        QCOMPARE(timeout.column, 13U);
        QCOMPARE(timeout.pointer, std::string("/tools/exec/timeout_seconds"));
        const Source &group = effective.denyGroups[static_cast<std::size_t>(Group::PackageInstall)].source;
        QCOMPARE(group.file, std::string("/etc/gw/policies/acme.json"));
        QCOMPARE(group.line, 5U);
        QCOMPARE(group.pointer, std::string("/deny_groups/package_install"));
    }

    void a_time_limit_above_the_usual_maximum_raises_it_only_where_no_maximum_is_set()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "limits: {timeout_seconds: 7200}")
            .policy("globex", "limits: {timeout_seconds: 7200, timeout_max_seconds: 600}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(configuration->effective("acme", "main").limits.timeoutMaxSeconds.value, 7200);
        QCOMPARE(configuration->effective("globex", "main").limits.timeoutSeconds.value, 600);
        QCOMPARE(configuration->effective("initech", "main").limits.timeoutMaxSeconds.value, 3600);
    }

    void agents_without_a_word_of_their_own_share_one_value()
    {
        ConfigurationBuilder builder;
        builder.policy("acme", "agents: {build: {shell: 'sh'}}").folder("globex");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(&configuration->effective("acme", "a"), &configuration->effective("acme", "b"));
        QVERIFY(&configuration->effective("acme", "build") != &configuration->effective("acme", "b"));
        QCOMPARE(&configuration->effective("nobody", "a"), &configuration->effective("nothing", "b"));
        QVERIFY(configuration->effective("nobody", "a").tenant.empty());
        QCOMPARE(configuration->effective("globex", "x").tenant, std::string("globex"));
        QVERIFY(configuration->effective("master", "x").master);
    }

    void every_key_of_the_table_can_be_set_and_read_back()
    {
        const Effective standard;
        for (const KeySpec &key : keys()) {
            Effective effective;
            KeyValue other = key.load(standard).value;
            if (auto *flag = std::get_if<bool>(&other))
                *flag = !*flag;
            else if (auto *number = std::get_if<double>(&other))
                *number += 1;
            else if (auto *word = std::get_if<std::string>(&other))
                *word = key.words.empty()
                    ? "x"
                    : std::string(*word == key.words.front() ? key.words.back() : key.words.front());
            else
                std::get<std::vector<std::string>>(other).emplace_back("/x");
            key.store(effective, other, Source{Layer::Tenant, "f", 1, 2, "/p"});
            QVERIFY2(key.load(effective).value == other, key.name.c_str());
            QVERIFY2(key.load(effective).value != key.load(standard).value, key.name.c_str());
            QCOMPARE(key.load(effective).source.line, 1U);
        }
    }
};

QTEST_GUILESS_MAIN(TstPrecedence)
#include "tst_precedence.moc"
