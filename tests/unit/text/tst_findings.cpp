// SPDX-License-Identifier: Apache-2.0
#include "ui/text/findings.h"

#include <QTest>

#include <algorithm>

using namespace portcullis;
using namespace portcullis::text;
using ports::Finding;
using ports::Severity;

namespace {

DoctorFacts facts(const char *hostPolicy, const std::vector<std::string> &tenants)
{
    policy::ConfigurationInput input;
    input.gateway.emplace();
    input.gateway->path = "/etc/gw/config.json";
    input.gateway->text = std::string("{ data_dir: '/srv/d', agents: { defaults: { workspace: '/srv/w' } }, "
                                      "tools: { exec: { tenant_host_policy: '")
        + hostPolicy + "' } } }";
    input.tenantFolders = tenants;
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
        QVERIFY(several->todo.contains("deny") && several->todo.contains("sandbox"));
        QVERIFY(find(findings(facts("warn", {"acme"})), "several_tenants") == nullptr);
    }

    void host_policy_allow_says_what_the_operator_accepts()
    {
        const auto list = findings(facts("allow", {"acme"}));
        const Finding *policy = find(list, "host_policy");
        QVERIFY(policy != nullptr);
        QCOMPARE(policy->severity, Severity::Warning);
        QVERIFY(policy->happened.contains("gateway token"));
    }

    void missing_landlock_is_a_problem_in_words()
    {
        DoctorFacts without = facts("deny", {"acme"});
        without.host.landlockAbi = 0;
        const auto list = findings(without);
        QCOMPARE(find(list, "walls")->severity, Severity::Problem);
        QCOMPARE(worstOf(list), Severity::Problem);
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

    void coverage_names_what_goes_past_exec()
    {
        const auto list = findings(facts("deny", {"acme"}));
        const Finding *coverage = find(list, "coverage");
        QVERIFY(coverage->happened.contains("ACP") && coverage->happened.contains("Claude"));
    }
};

QTEST_GUILESS_MAIN(TstFindings)
#include "tst_findings.moc"
