// SPDX-License-Identifier: Apache-2.0
#include "ui/text/findings.h"

#include <QTest>

#include <algorithm>

using namespace portcullis;
using namespace portcullis::text;
using ports::Finding;
using ports::Severity;

namespace {

DoctorFacts facts(const char *hostPolicy, const std::vector<std::string> &tenants,
                  const std::vector<policy::NamedText> &policies = {})
{
    policy::ConfigurationInput input;
    input.gateway.emplace();
    input.gateway->path = "/etc/gw/config.json";
    input.gateway->text = std::string("{ data_dir: '/srv/d', agents: { defaults: { workspace: '/srv/w' } }, "
                                      "tools: { exec: { tenant_host_policy: '")
        + hostPolicy + "' } } }";
    input.tenantFolders = tenants;
    input.policies = policies;
    input.home = "/home/op";
    DoctorFacts out;
    if (const auto loaded = policy::Configuration::load(input))
        out.configuration = *loaded;
    out.host.landlockAbi = 7;
    out.host.viewWorks = true;
    out.auditDb = "/var/lib/portcullis/audit.db";
    return out;
}

const Finding *find(const QList<Finding> &list, std::string_view id)
{
    const auto it = std::ranges::find(list, id, &Finding::id);
    return it == list.end() ? nullptr : &*it;
}

} // namespace

class TstFindings : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void several_tenants_without_deny_get_the_advice_of_the_specification()
    {
        const auto list = findings(facts("warn", {"acme", "globex"}));
        const Finding *several = find(list, "several_tenants");
        QVERIFY(several != nullptr);
        QVERIFY(several->todo.contains("set tenant_host_policy to \"deny\""));
        QVERIFY(several->todo.contains("no sandbox to run them in")); // nothing to switch on is advised
        QVERIFY(find(findings(facts("warn", {"acme"})), "several_tenants") == nullptr);
        // Both are asked for: the policy and a sandbox.
        DoctorFacts denied = facts("deny", {"acme", "globex"});
        QVERIFY(find(findings(denied), "several_tenants") != nullptr);
        denied.host.engine = decision::EngineState::Up;
        QVERIFY(find(findings(denied), "several_tenants") == nullptr);
        DoctorFacts warned = facts("warn", {"acme", "globex"});
        warned.host.engine = decision::EngineState::Up;
        QVERIFY(find(findings(warned), "several_tenants") != nullptr);
    }

    void host_policy_allow_says_what_the_operator_accepts()
    {
        const auto list = findings(facts("allow", {"acme"}));
        const Finding *policy = find(list, "host_policy");
        QVERIFY(policy != nullptr);
        QCOMPARE(policy->severity, Severity::Warning);
        QVERIFY(policy->happened.contains("gateway token"));
    }

    void a_broken_policy_leaves_the_host_policy_of_its_tenant_unknown()
    {
        policy::NamedText text;
        text.path = "/etc/gw/policies/globex.json";
        text.text = R"({ version: 1, tenant: "globex", host_policy: "deny" })";
        QCOMPARE(find(findings(facts("warn", {"acme"}, {text})), "host_policy")->label,
                 std::string("host policy: warn, 1 tenant differs"));
        text.text.pop_back();
        const auto list = findings(facts("warn", {"acme"}, {text}));
        QCOMPARE(find(list, "host_policy")->label, std::string("host policy: warn, 1 unknown"));
        QVERIFY(find(list, "host_policy")->happened.contains("globex: unknown"));
    }

    void missing_landlock_is_a_problem_in_words()
    {
        DoctorFacts without = facts("deny", {"acme"});
        without.host.landlockAbi = 0;
        const auto list = findings(without);
        QCOMPARE(find(list, "walls")->severity, Severity::Problem);
        QCOMPARE(worstOf(list), Severity::Problem);
    }

    void root_without_capabilities_is_not_told_of_landlock_data()
    {
        QTest::addColumn<std::string>("step");
        for (const char *step : {"drop_groups", "switch_user", "drop_capabilities"})
            QTest::newRow(step) << std::string(step);
    }

    void root_without_capabilities_is_not_told_of_landlock()
    {
        QFETCH(std::string, step);
        DoctorFacts without = facts("deny", {"acme"});
        without.host.landlockAbi = 0;
        without.host.viewWorks = false;
        without.host.viewFailedStep = step;
        without.host.root = true;
        const auto list = findings(without);
        QCOMPARE(find(list, "walls")->severity, Severity::Problem);
        QVERIFY(find(list, "walls")->happened.contains("CAP_SETUID"));
        QVERIFY(!find(list, "walls")->title.contains("Landlock"));
        without.host.root = false;
        const auto other = findings(without);
        QVERIFY(find(other, "walls")->title.contains("Landlock"));
    }

    void a_missing_view_names_the_step_that_failed()
    {
        DoctorFacts without = facts("deny", {"acme"});
        without.host.viewWorks = false;
        without.host.viewFailedStep = "unshare";
        const auto list = findings(without);
        QVERIFY(find(list, "walls")->happened.contains("unshare"));
    }

    void one_wall_says_whose_files_it_leaves_open_and_what_to_do()
    {
        DoctorFacts one = facts("deny", {"acme", "globex"});
        one.host.viewWorks = false;
        const auto without = findings(one);
        QVERIFY(find(without, "walls")->happened.contains("modes, owners and times"));
        QVERIFY(find(without, "walls")->todo.contains("different user"));
        one.host.viewWorks = true;
        const auto with = findings(one);
        QVERIFY(!find(with, "walls")->happened.contains("modes, owners and times"));
    }

    void a_record_that_cannot_be_written_is_a_problem()
    {
        DoctorFacts without = facts("deny", {"acme"});
        without.auditError = "full";
        const auto list = findings(without);
        QCOMPARE(find(list, "record")->severity, Severity::Problem);
    }

    void numbers_and_nouns_agree()
    {
        DoctorFacts some = facts("warn", {"acme", "globex", "initech"});
        policy::Problem problem;
        problem.code = "not_found";
        problem.file = "/etc/gw/policies/acme.json";
        some.problems = {problem};
        some.leftoverRuns = 1;
        const auto one = findings(some);
        QCOMPARE(find(one, "configuration")->label, std::string("1 configuration error"));
        QCOMPARE(find(one, "leftovers")->label, std::string("1 command outlived a crash"));
        some.problems = {problem, problem};
        some.leftoverRuns = 2;
        const auto two = findings(some);
        QCOMPARE(find(two, "configuration")->label, std::string("2 configuration errors"));
        QCOMPARE(find(two, "leftovers")->label, std::string("2 commands outlived a crash"));
        for (const auto &list : {one, two}) {
            for (const Finding &each : list) {
                for (const std::string &text : {each.label, each.title, each.happened, each.todo})
                    QVERIFY2(!text.contains("(s)"), text.c_str());
            }
        }
    }

    void an_error_has_its_place_and_its_words()
    {
        DoctorFacts broken = facts("warn", {"acme"});
        policy::Problem problem;
        problem.code = "missing_comma";
        problem.file = "/etc/gw/policies/acme.json";
        problem.line = 3;
        problem.column = 5;
        problem.found = "\"tenant\"";
        broken.problems = {problem};
        const auto list = findings(broken);
        QCOMPARE(find(list, "configuration")->happened,
                 std::string("/etc/gw/policies/acme.json:3:5: error: a comma is missing before \"tenant\""));
    }

    void a_missing_gateway_or_policies_folder_is_said()
    {
        DoctorFacts some = facts("warn", {"acme"});
        QCOMPARE(find(findings(some), "gateway")->severity, Severity::Good);
        some.gatewayFound = false;
        some.policiesFound = false;
        const auto list = findings(some);
        QCOMPARE(find(list, "gateway")->severity, Severity::Warning);
        QVERIFY(find(list, "gateway")->happened.contains("/etc/gw/config.json"));
        QVERIFY(find(list, "policies")->onStrip && find(list, "policies")->happened.contains("1 tenant is known"));
    }

    void without_a_configuration_no_record_is_claimed()
    {
        DoctorFacts none = facts("warn", {"acme"});
        none.configuration = nullptr;
        none.auditDb.clear();
        const auto list = findings(none);
        QCOMPARE(find(list, "record")->severity, Severity::Problem);
        QVERIFY(find(list, "record")->label.contains("NOT RECORDING"));
    }

    void coverage_names_what_goes_past_exec()
    {
        const auto list = findings(facts("deny", {"acme"}));
        const Finding *coverage = find(list, "coverage");
        QVERIFY(coverage->happened.contains("ACP") && coverage->happened.contains("Claude"));
    }
};

QTEST_GUILESS_MAIN(TstFindings)
#include "tst_findings.moc"
