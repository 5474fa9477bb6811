// SPDX-License-Identifier: Apache-2.0
#include "runner/plan/exec_plan.h"

#include <QTest>

#include <algorithm>
#include <optional>

using namespace portcullis;
using namespace portcullis::plan;

namespace {

policy::ConfigurationInput input(const std::string &dataDir, const std::string &workspace,
                                 const std::string &extra = {})
{
    policy::ConfigurationInput in;
    in.gateway = policy::NamedText{"/etc/gw/config.json",
                                   "{ data_dir: \"" + dataDir + "\", agents: { defaults: { workspace: \"" + workspace
                                       + "\" } }" + extra + " }"};
    in.tenantFolders = {"acme", "globex"};
    in.home = "/home/op";
    in.overrides.auditDb = "/var/lib/portcullis/audit.db";
    in.overrides.policiesDir = "/etc/gw/policies";
    return in;
}

std::shared_ptr<const policy::Configuration> configuration(const policy::ConfigurationInput &in)
{
    const auto loaded = policy::Configuration::load(in);
    return loaded ? *loaded : nullptr;
}

decision::ExecRequest request(Origin origin = Origin::Agent)
{
    decision::ExecRequest out;
    out.id = "0199a000-0000-7000-8000-000000000001";
    out.command = "true";
    out.tenant = "acme";
    out.origin = origin;
    return out;
}

decision::Decision allowed(Level level = Level::Full, bool tenantDir = true)
{
    decision::Decision out;
    out.verdict = Verdict::Allow;
    out.level = level;
    out.tenantDirUsable = tenantDir;
    out.cwd = "/srv/gw/workspace/tenants/acme";
    return out;
}

decision::HostFacts bothWalls()
{
    decision::HostFacts facts;
    facts.landlockAbi = 7;
    facts.viewWorks = true;
    facts.root = true;
    return facts;
}

PlanFacts factsOf(std::uint32_t owner = 1000)
{
    PlanFacts facts;
    facts.runnerUid = 0;
    facts.workspaceExists = true;
    facts.workspaceUid = owner;
    facts.workspaceGid = owner;
    for (const char *path : {"/usr"})
        facts.resolved[path] = path;
    facts.resolved["/bin"] = "/usr/bin";
    facts.resolved["/sbin"] = "/usr/sbin";
    facts.resolved["/lib"] = "/usr/lib";
    facts.resolved["/lib64"] = "/usr/lib64";
    return facts;
}

bool grants(const ExecPlan &plan, const std::string &path)
{
    return std::ranges::any_of(plan.grants, [&](const Grant &grant) { return grant.path == path; });
}

} // namespace

class TstExecPlan : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void only_an_operators_run_may_take_the_last_room()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        QVERIFY(conf);
        for (const Origin origin : {Origin::Agent, Origin::Subagent, Origin::McpBridge, Origin::Operator}) {
            auto asked = request();
            asked.origin = origin;
            const auto plan = planExec(asked, allowed(), *conf, bothWalls(), factsOf());
            QVERIFY(plan);
            QCOMPARE(plan->limits.freeBytes, origin == Origin::Operator ? 0 : 128LL << 20);
        }
    }

    void a_run_gets_the_limits_of_its_control_groups_and_nothing_else_of_them()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        QVERIFY(conf);
        const Cgroup memory{.hierarchy = "/g/memory", .folder = "/g/memory/a", .limits = {"memory.limit_in_bytes"}};
        const Cgroup machines{.hierarchy = "/g/cpu", .folder = "/g/cpu", .limits = {"cpu.shares"}, .machines = true};
        const Cgroup unified{.hierarchy = "/g/u", .folder = "/g/u/a", .limits = {}, .second = true};
        const auto formOf = [](const ExecPlan &plan, const std::string &path) {
            const auto it = std::ranges::find(plan.grants, path, &Grant::path);
            return it == plan.grants.end() ? std::optional<Form>() : it->form;
        };
        PlanFacts facts = factsOf();
        facts.cgroups = {memory, machines, unified};
        auto plan = planExec(request(), allowed(), *conf, bothWalls(), facts);
        QVERIFY(plan);
        QCOMPARE(formOf(*plan, "/g/memory/a"), Form::Shown);
        QCOMPARE(formOf(*plan, "/g/memory/a/memory.limit_in_bytes"), Form::Part);
        QCOMPARE(formOf(*plan, "/g/cpu"), Form::Closed); // the machine's own: all groups lie below it
        QVERIFY(!grants(*plan, "/g/cpu/cpu.shares"));
        QVERIFY(!grants(*plan, "/g/u/a")); // it has no limits
        for (const Grant &grant : plan->grants)
            QVERIFY(!grant.path.starts_with("/g/") || (grant.access == Access::Read && grant.optional));
        facts.cgroups = {machines};
        plan = planExec(request(), allowed(), *conf, bothWalls(), facts);
        QVERIFY(plan);
        QVERIFY(!grants(*plan, "/g/cpu"));
    }

    void a_tenant_run_gets_its_own_folders_and_nothing_of_others()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        QVERIFY(conf);
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), factsOf());
        QVERIFY(plan);
        QVERIFY(grants(*plan, "/srv/gw/data/tenants/acme"));
        QVERIFY(grants(*plan, "/srv/gw/workspace/tenants/acme"));
        QVERIFY(grants(*plan, "/usr"));
        for (const Grant &grant : plan->grants)
            QVERIFY2(!grant.path.contains("globex") && grant.path != "/srv/gw/data"
                         && grant.path != "/srv/gw/workspace",
                     grant.path.c_str());
        QCOMPARE(plan->uid, 1000U);
        QVERIFY(plan->switchUser);
        QCOMPARE(plan->privateTmp, std::string("/srv/gw/data/.portcullis/tmp/acme"));
    }

    void links_that_another_grant_covers_are_left_to_the_view()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), factsOf());
        QVERIFY(plan);
        QVERIFY(!grants(*plan, "/bin"));
        QVERIFY(!grants(*plan, "/usr/bin"));
    }

    void the_bridge_never_gets_the_tenant_directory()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        const auto plan =
            planExec(request(Origin::McpBridge), allowed(Level::Full, false), *conf, bothWalls(), factsOf());
        QVERIFY(plan);
        QVERIFY(!grants(*plan, "/srv/gw/data/tenants/acme"));
        QVERIFY(plan->privateTmp.empty());
        for (const auto &[name, value] : plan->environment)
            QVERIFY2(!value.contains("/srv/gw/data/tenants"), (name + '=' + value).c_str());
    }

    void a_temporary_directory_in_the_workspace_is_made_data()
    {
        QTest::addColumn<Origin>("origin");
        QTest::addColumn<Level>("level");
        QTest::addColumn<bool>("inWorkspace");
        QTest::newRow("the bridge with Landlock alone") << Origin::McpBridge << Level::Landlock << true;
        QTest::newRow("nothing confined") << Origin::Agent << Level::None << true;
        QTest::newRow("the bridge with both walls") << Origin::McpBridge << Level::Full << false;
        QTest::newRow("an agent with Landlock alone") << Origin::Agent << Level::Landlock << false;
    }
    void a_temporary_directory_in_the_workspace_is_made()
    {
        QFETCH(Origin, origin);
        QFETCH(Level, level);
        QFETCH(bool, inWorkspace);
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        const bool tenantDir = origin == Origin::Agent && level != Level::None;
        const auto plan = planExec(request(origin), allowed(level, tenantDir), *conf, bothWalls(), factsOf());
        QVERIFY(plan);
        const std::string place = "/srv/gw/workspace/tenants/acme/.tmp";
        const auto grant = std::ranges::find(plan->grants, place, &Grant::path);
        QCOMPARE(grant != plan->grants.end(), inWorkspace);
        QCOMPARE(std::ranges::contains(plan->environment, std::pair<std::string, std::string>("TMPDIR", place)),
                 inWorkspace);
        if (inWorkspace)
            QVERIFY(grant->create && grant->owner == Owner::Tenant && grant->access == Access::All);
    }

    void shared_pip_packages_are_named_behind_the_tenants_own()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        PlanFacts facts = factsOf();
        facts.pythonVersions = {"3.11", "3.13"};
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), facts);
        QVERIFY(plan);
        QCOMPARE(plan->files.size(), std::size_t{2});
        const std::string shared = "/srv/gw/data/.runtime/pip";
        QCOMPARE(plan->files.back(),
                 (TenantFile{.folder = "/srv/gw/data/tenants/acme",
                             .name = ".runtime/pip/lib/python3.13/site-packages/"
                                     "portcullis-shared.pth",
                             .content = shared + '\n' + shared + "/lib/python3.13/site-packages\n"}));
        const auto bridge =
            planExec(request(Origin::McpBridge), allowed(Level::Full, false), *conf, bothWalls(), facts);
        QVERIFY(bridge);
        QCOMPARE(bridge->files.front().folder, std::string("/srv/gw/workspace/tenants/acme"));
        QCOMPARE(bridge->files.front().name, std::string(".local/lib/python3.11/site-packages/portcullis-shared.pth"));
    }

    void a_data_dir_below_a_granted_folder_is_cut_out_of_it()
    {
        const auto conf = configuration(input("/usr/local/gw/data", "/usr/local/gw/ws"));
        QVERIFY(conf);
        PlanFacts facts = factsOf();
        const auto folders = foldersToList(conf->effective("acme", "main"), conf->paths(), facts.resolved);
        QCOMPARE(folders, (std::vector<std::string>{"/usr", "/usr/local", "/usr/local/gw"}));
        facts.listings = {{"/usr", {"bin", "lib", "local"}},
                          {"/usr/local", {"bin", "gw"}},
                          {"/usr/local/gw", {"data", "ws", "share"}}};
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), facts);
        QVERIFY(plan);
        QVERIFY(grants(*plan, "/usr/bin"));
        QVERIFY(grants(*plan, "/usr/local/bin"));
        QVERIFY(grants(*plan, "/usr/local/gw/share"));
        for (const char *no : {"/usr", "/usr/local", "/usr/local/gw", "/usr/local/gw/data", "/usr/local/gw/ws"})
            QVERIFY2(!grants(*plan, no), no);
    }

    void a_data_dir_behind_a_link_is_cut_out_as_well()
    {
        const auto conf = configuration(input("/srv/link/data", "/srv/gw/workspace"));
        PlanFacts facts = factsOf();
        facts.resolved["/srv/link/data"] = "/usr/share/gw/data";
        facts.listings = {{"/usr", {"share"}}, {"/usr/share", {"gw", "doc"}}, {"/usr/share/gw", {"data", "x"}}};
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), facts);
        QVERIFY(plan);
        QVERIFY(!grants(*plan, "/usr"));
        QVERIFY(!grants(*plan, "/usr/share/gw/data"));
        QVERIFY(grants(*plan, "/usr/share/gw/x"));
    }

    void an_unlisted_folder_that_must_be_split_refuses_the_run()
    {
        const auto conf = configuration(input("/usr/local/gw/data", "/srv/gw/ws"));
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), factsOf());
        QVERIFY(!plan);
        QCOMPARE(static_cast<int>(plan.error().code), static_cast<int>(PlanError::Code::NotListed));
    }

    void a_tenant_folder_that_contains_a_protected_path_refuses_the_run()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/data/tenants/acme/ws"));
        const auto plan = planExec(request(), allowed(), *conf, bothWalls(), factsOf());
        QVERIFY(!plan);
        QCOMPARE(static_cast<int>(plan.error().code), static_cast<int>(PlanError::Code::TenantOverlaps));
    }

    void no_command_runs_as_root()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        const auto full = planExec(request(), allowed(Level::Full), *conf, bothWalls(), factsOf(0));
        QVERIFY(full);
        QVERIFY(full->uid != 0 && full->gid != 0);
        const auto landlock = planExec(request(), allowed(Level::Landlock), *conf, bothWalls(), factsOf(0));
        QVERIFY(!landlock);
        QCOMPARE(static_cast<int>(landlock.error().code), static_cast<int>(PlanError::Code::NoUser));
        PlanFacts named = factsOf(0);
        named.runAsUid = 1234;
        named.runAsGid = 0;
        const auto runAs = planExec(request(), allowed(Level::Landlock), *conf, bothWalls(), named);
        QVERIFY(runAs);
        QCOMPARE(runAs->uid, 1234U);
        QVERIFY(runAs->gid != 0);
    }

    void a_docker_decision_has_no_host_plan()
    {
        const auto conf = configuration(input("/srv/gw/data", "/srv/gw/workspace"));
        decision::Decision docker = allowed();
        docker.backend = Backend::Docker;
        QVERIFY(!planExec(request(), docker, *conf, bothWalls(), factsOf()));
    }
};

QTEST_GUILESS_MAIN(TstExecPlan)
#include "tst_exec_plan.moc"
