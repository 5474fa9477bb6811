// SPDX-License-Identifier: Apache-2.0

// Two configurations compared by meaning.

#include "runner/policy/difference.h"
#include "tests/support/configuration_builder.h"

#include <QTest>

using namespace portcullis;
using policy::Difference;
using Effect = Difference::Effect;

namespace {

using Configured = std::shared_ptr<const policy::Configuration>;

Configured withPolicy(const std::string &keys, const std::string &gateway = "{data_dir: '/srv/gw/data'}")
{
    test::ConfigurationBuilder builder;
    builder.gateway(gateway).policy("acme", keys).policy("globex");
    const Configured loaded = builder.load();
    if (!loaded || loaded->isBroken("acme"))
        qFatal("the test's configuration does not load: %s", builder.problems().front().code.c_str());
    return loaded;
}

std::vector<Difference> between(const std::string &before, const std::string &after)
{
    return policy::differences(*withPolicy(before), *withPolicy(after));
}

constexpr const char *ruleA = "rules: [{id: 'a', title: 'A', reason: 'r', advice: 'x', program: ['a'], match: ['a'], "
                              "not_match: ['b']}]";

} // namespace

class TstDifference : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void spelling_order_and_examples_are_no_difference()
    {
        QVERIFY(between("host_policy: 'deny', network: 'none'", "\"network\": \"none\", /* same */ host_policy: 'deny'")
                    .empty());
        QVERIFY(between(ruleA, QByteArray(ruleA).replace("match: ['a']", "match: ['a', 'a x']").toStdString()).empty());
    }

    void a_value_says_what_it_was_what_it_is_and_which_way_it_goes_data()
    {
        QTest::addColumn<QString>("before");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("effect");
        const auto row = [](const char *title, const char *before, const char *after, const char *name, Effect effect) {
            QTest::newRow(title) << before << after << name << static_cast<int>(effect);
        };
        row("a group is let through", "", "deny_groups: {package_install: false}", "deny_groups.package_install",
            Effect::Loosens);
        row("a group is refused again", "deny_groups: {package_install: false}", "", "deny_groups.package_install",
            Effect::Tightens);
        row("a stricter word", "", "host_policy: 'deny'", "host_policy", Effect::Tightens);
        row("a weaker word", "network: 'none'", "", "network", Effect::Loosens);
        row("one more folder", "extra_read: ['/opt/a']", "extra_read: ['/opt/a', '/opt/b']", "extra_read",
            Effect::Loosens);
        row("one folder less", "extra_read: ['/opt/a']", "", "extra_read", Effect::Tightens);
        row("other folders", "extra_read: ['/opt/a']", "extra_read: ['/opt/b']", "extra_read", Effect::Other);
        row("a limit", "", "limits: {timeout_seconds: 7}", "limits.timeout_seconds", Effect::Other);
    }
    void a_value_says_what_it_was_what_it_is_and_which_way_it_goes()
    {
        QFETCH(QString, before);
        QFETCH(QString, after);
        QFETCH(QString, name);
        QFETCH(int, effect);
        const std::vector<Difference> found = between(before.toStdString(), after.toStdString());
        QCOMPARE(found.size(), 1U);
        QCOMPARE(found[0].tenant, "acme");
        QCOMPARE(found[0].what, "value");
        QCOMPARE(QString::fromStdString(found[0].name), name);
        QCOMPARE(static_cast<int>(found[0].effect), effect);
        QVERIFY(!found[0].before.empty() && !found[0].after.empty() && found[0].before != found[0].after);
    }

    void rules_and_exemptions_have_opposite_meanings()
    {
        const std::vector<Difference> added = between("", ruleA);
        QCOMPARE(added.size(), 1U);
        QCOMPARE(added[0].what, "rule");
        QCOMPARE(added[0].name, "a");
        QCOMPARE(added[0].effect, Effect::Tightens);
        QVERIFY(added[0].before.empty() && added[0].after.contains("\"program\""));
        QCOMPARE(between(ruleA, "")[0].effect, Effect::Loosens);
        QCOMPARE(
            between(ruleA, QByteArray(ruleA).replace("program: ['a']", "program: ['a', 'c']").toStdString())[0].effect,
            Effect::Other);

        const std::string exempt =
            std::string(ruleA) + ", exemptions: [{id: 'e', rule: 'a', command: 'a', reason: 'r', by: 'op'}]";
        const std::vector<Difference> exempted = between(ruleA, exempt);
        QCOMPARE(exempted.size(), 1U);
        QCOMPARE(exempted[0].what, "exemption");
        QCOMPARE(exempted[0].effect, Effect::Loosens);
        QCOMPARE(between(exempt, ruleA)[0].effect, Effect::Tightens);
    }

    void an_agents_own_value_is_told_for_the_agent_and_a_tenants_once()
    {
        const std::vector<Difference> own = between("", "agents: {build: {deny_groups: {package_install: false}}}");
        QCOMPARE(own.size(), 1U);
        QCOMPARE(own[0].agent, "build");
        QCOMPARE(own[0].effect, Effect::Loosens);
        const std::vector<Difference> general =
            between("agents: {build: {network: 'none'}}",
                    "agents: {build: {network: 'none'}}, deny_groups: {package_install: false}");
        QCOMPARE(general.size(), 1U);
        QCOMPARE(general[0].agent, "");
    }

    void a_gateways_value_reaches_every_tenant_that_does_not_set_it()
    {
        const Configured before = withPolicy("host_policy: 'deny'");
        const Configured after = withPolicy("host_policy: 'deny'",
                                            "{data_dir: '/srv/gw/data', tools: {exec: {tenant_host_policy: 'allow'}}}");
        std::vector<std::string> tenants;
        for (const Difference &difference : policy::differences(*before, *after)) {
            QCOMPARE(difference.name, "host_policy");
            QCOMPARE(difference.effect, Effect::Loosens);
            tenants.push_back(difference.tenant);
        }
        QVERIFY(std::ranges::contains(tenants, "globex"));
        QVERIFY(!std::ranges::contains(tenants, "acme")); // its own is stricter
    }

    void a_tenant_that_comes_goes_or_breaks_is_one_difference()
    {
        test::ConfigurationBuilder one;
        one.policy("acme");
        test::ConfigurationBuilder two;
        two.policy("acme").policy("globex", "network: 'none'");
        test::ConfigurationBuilder broken;
        broken.policy("acme").policy("globex", "netwrok: 'none'");
        const std::vector<Difference> came = policy::differences(*one.load(), *two.load());
        QCOMPARE(came.size(), 1U);
        QCOMPARE(came[0].what, "tenant");
        QCOMPARE(came[0].before, "");
        QCOMPARE(policy::differences(*two.load(), *one.load())[0].after, "");
        const std::vector<Difference> broke = policy::differences(*two.load(), *broken.load());
        QCOMPARE(broke.size(), 1U);
        QCOMPARE(broke[0].what, "policy");
        QCOMPARE(broke[0].after, "\"broken\"");
    }
};

QTEST_GUILESS_MAIN(TstDifference)
#include "tst_difference.moc"
