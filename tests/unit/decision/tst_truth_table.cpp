// SPDX-License-Identifier: Apache-2.0

// The truth table of the host controls, row by row, with the host as a value.

#include "tests/support/decision_setup.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;
using namespace portcullis::test;

class TstTruthTable : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void host_exec_that_names_a_protected_path_is_denied_for_every_tenant_data();
    void host_exec_that_names_a_protected_path_is_denied_for_every_tenant();
    void shared_runtime_and_granted_skills_may_be_read_data();
    void shared_runtime_and_granted_skills_may_be_read();
    void a_tenant_may_name_its_own_directories_where_landlock_works_data();
    void a_tenant_may_name_its_own_directories_where_landlock_works();
    void another_tenants_directory_is_denied_on_any_backend_data();
    void another_tenants_directory_is_denied_on_any_backend();
    void what_no_tenant_owns_beside_the_workspace_is_called_above_it();
    void a_master_run_is_not_confined_and_host_policy_does_not_apply();
    void a_key_confines_the_master_tenant();
    void a_master_run_gets_no_tenant_directory();
    void a_tenant_run_is_confined_where_landlock_works_data();
    void a_tenant_run_is_confined_where_landlock_works();
    void without_landlock_the_tenant_directory_is_refused_and_the_rest_follows_host_policy();
    void in_docker_the_tenant_directory_is_there();
    void sandbox_switched_off_without_landlock_refuses_the_tenant_directory();
    void sandbox_switched_off_with_landlock_runs_confined();
    void host_policy_deny_refuses_every_tenant_host_exec();
    void host_policy_warn_runs_and_says_that_deny_would_refuse_data();
    void host_policy_warn_runs_and_says_that_deny_would_refuse();
    void host_policy_allow_runs_without_a_word();
    void host_policy_does_not_concern_the_sandbox();
    void the_bridge_never_gets_the_tenant_directory_on_the_host_data();
    void the_bridge_never_gets_the_tenant_directory_on_the_host();
    void the_bridge_gets_the_tenant_directory_in_docker();
    void the_bridge_fails_when_the_sandbox_is_switched_off_for_the_call();
    void subagents_and_native_workers_are_judged_as_their_agent_data();
    void subagents_and_native_workers_are_judged_as_their_agent();
    void an_engine_that_is_wanted_and_missing_denies_and_never_uses_the_host_data();
    void an_engine_that_is_wanted_and_missing_denies_and_never_uses_the_host();
    void sandbox_modes_choose_by_agent_data();
    void sandbox_modes_choose_by_agent();
    void an_agents_switch_can_only_tighten();
    void a_demand_for_confinement_is_held_data();
    void a_demand_for_confinement_is_held();
    void a_command_never_runs_as_root_without_the_view();
    void an_unknown_tenant_is_refused_by_configuration();
    void a_broken_policy_is_refused_by_configuration();
    void the_working_directory_must_be_permitted_data();
    void the_working_directory_must_be_permitted();
    void every_check_runs_although_one_has_denied();
    void no_variable_points_into_a_tenant_directory_that_is_not_usable();
};

namespace {

constexpr const char *ownDir = "/srv/gateway/data/tenants/acme";
constexpr const char *ownWork = "/srv/gateway/workspace/tenants/acme";

HostFacts withEngine(HostFacts facts)
{
    facts.engine = EngineState::Up;
    return facts;
}

DecisionSetup inDocker()
{
    DecisionSetup setup(withEngine(bothWalls()));
    setup.sandbox = "mode: 'all'";
    return setup;
}

} // namespace

void TstTruthTable::host_exec_that_names_a_protected_path_is_denied_for_every_tenant_data()
{
    QTest::addColumn<QByteArray>("tenant");
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("zone");
    for (const char *tenant : {"acme", "master"}) {
        const auto row = [&](const char *what, const char *command, const char *zone) {
            QTest::addRow("%s names %s", tenant, what) << QByteArray(tenant) << QByteArray(command) << QByteArray(zone);
        };
        row("the data dir", "ls /srv/gateway/data", "data_dir");
        row("a file in the data dir", "cat /srv/gateway/data/notes.txt", "data_dir");
        row("the config file", "cat /etc/gw/config.json", "config_file");
        row("the environment file", "cat /etc/gw/.env.local", "environment_file");
        row("the database", "sqlite3 /srv/gateway/data/goclaw.db .dump", "database");
        row("the database's log", "cp /srv/gateway/data/goclaw.db-wal .", "database");
        row("the database's shared memory", "cp /srv/gateway/data/goclaw.db-shm .", "database");
        row("the runner's state", "ls /var/lib/portcullis", "state_dir");
        row("the folder of tenants", "ls /srv/gateway/data/tenants", "other_tenant");
    }
    QTest::newRow("a tenant names the main workspace")
        << QByteArray("acme") << QByteArray("ls /srv/gateway/workspace") << QByteArray("workspace");
    QTest::newRow("a tenant names a file of the main workspace")
        << QByteArray("acme") << QByteArray("cat /srv/gateway/workspace/plan.md") << QByteArray("workspace");
    QTest::newRow("the master tenant names the workspaces of tenants")
        << QByteArray("master") << QByteArray("ls /srv/gateway/workspace/tenants") << QByteArray("other_tenant");
}

void TstTruthTable::host_exec_that_names_a_protected_path_is_denied_for_every_tenant()
{
    QFETCH(QByteArray, tenant);
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, zone);
    DecisionSetup setup;
    setup.request.tenant = tenant.toStdString();
    const Decision decision = setup.decide(command.toStdString());
    QCOMPARE(summary(decision), "deny path_guard " + zone);
    QCOMPARE(decision.group, Group::PathGuard);
    QCOMPARE(decision.blockers.size(), std::size_t(1));
}

void TstTruthTable::shared_runtime_and_granted_skills_may_be_read_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("a shared package is read") << QByteArray("ls /srv/gateway/data/.runtime/pip") << QByteArray("allow");
    QTest::newRow("a system skill runs") << QByteArray("python3 /srv/gateway/data/skills-store/pdf/1/run.py")
                                         << QByteArray("allow");
    QTest::newRow("a skill that is not a system skill")
        << QByteArray("python3 /srv/gateway/data/skills-store/private/1/run.py")
        << QByteArray("deny path_guard data_dir");
    QTest::newRow("the store as a whole")
        << QByteArray("ls /srv/gateway/data/skills-store") << QByteArray("deny path_guard data_dir");
    QTest::newRow("a shared package is written")
        << QByteArray("echo x > /srv/gateway/data/.runtime/pip/x.py") << QByteArray("deny path_guard shared");
}

void TstTruthTable::shared_runtime_and_granted_skills_may_be_read()
{
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, expected);
    DecisionSetup setup;
    setup.gatewayKeys = ", portcullis: {system_skills: ['pdf']}";
    QCOMPARE(summary(setup.decide(command.toStdString())), expected);
}

void TstTruthTable::a_tenant_may_name_its_own_directories_where_landlock_works_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::newRow("its tenant directory") << QByteArray(ownDir);
    QTest::newRow("its workspace") << QByteArray(ownWork);
    QTest::newRow("a file in its tenant directory") << QByteArray(ownDir) + "/skills-store/x/run.sh";
    QTest::newRow("its own temporary directory") << QByteArray("/srv/gateway/data/.portcullis/tmp/acme/x");
}

void TstTruthTable::a_tenant_may_name_its_own_directories_where_landlock_works()
{
    QFETCH(QByteArray, path);
    for (const HostFacts &facts : {bothWalls(), landlockAlone(3)}) {
        const Decision decision = DecisionSetup(facts).decide("ls " + path.toStdString());
        QCOMPARE(summary(decision), "allow");
        QVERIFY(decision.tenantDirUsable);
    }
}

void TstTruthTable::another_tenants_directory_is_denied_on_any_backend_data()
{
    QTest::addColumn<QByteArray>("path");
    QTest::newRow("its tenant directory") << QByteArray("/srv/gateway/data/tenants/globex");
    QTest::newRow("its workspace") << QByteArray("/srv/gateway/workspace/tenants/globex/a.txt");
    QTest::newRow("a slug that begins with the own one") << QByteArray("/srv/gateway/data/tenants/acme-corp/a.txt");
    QTest::newRow("a slug that the own one begins with") << QByteArray("/srv/gateway/data/tenants/acm");
    QTest::newRow("a slug that does not exist") << QByteArray("/srv/gateway/data/tenants/nobody/x");
    QTest::newRow("the folder of all tenants") << QByteArray("/srv/gateway/data/tenants");
}

void TstTruthTable::another_tenants_directory_is_denied_on_any_backend()
{
    QFETCH(QByteArray, path);
    for (const DecisionSetup &setup : {DecisionSetup(bothWalls()), DecisionSetup(noLandlock()), inDocker()}) {
        const Decision decision = setup.decide("cat " + path.toStdString());
        QCOMPARE(summary(decision), "deny path_guard other_tenant");
    }
}

void TstTruthTable::what_no_tenant_owns_beside_the_workspace_is_called_above_it()
{
    const std::string workspaces = "/srv/gateway/workspace/tenants";
    const auto code = [](const std::string &command) { return DecisionSetup().decide(command).code; };
    QCOMPARE(code("ls " + workspaces), std::string("above_workspace"));
    QCOMPARE(code("cat " + workspaces + "/README.md"), std::string("above_workspace"));
    QCOMPARE(code("cat " + workspaces + "/globex/x"), std::string("names_other_tenant"));
    DecisionSetup master;
    master.request.tenant = "master";
    QCOMPARE(master.decide("ls " + workspaces).code, std::string("names_other_tenant"));
}

void TstTruthTable::a_master_run_is_not_confined_and_host_policy_does_not_apply()
{
    DecisionSetup setup;
    setup.request.tenant = "master";
    setup.hostPolicy = "deny";
    const Decision decision = setup.decide("make all");
    QCOMPARE(summary(decision), "allow");
    QCOMPARE(decision.level, Level::None);
    QCOMPARE(decision.missing, std::vector<std::string>{"master"});
    QVERIFY(!decision.wouldDeny);
    QVERIFY(!decision.fsConfinementUnavailable);
    QCOMPARE(decision.cwd, std::string("/srv/gateway/workspace"));
}

void TstTruthTable::a_key_confines_the_master_tenant()
{
    DecisionSetup setup;
    setup.request.tenant = "master";
    setup.gatewayKeys = ", portcullis: {confine_master: true}";
    const Decision decision = setup.decide("make all");
    QCOMPARE(decision.level, Level::Full);
    QVERIFY(decision.tenantDirUsable);
    QCOMPARE(decision.cwd, std::string("/srv/gateway/workspace/tenants/master"));
    QCOMPARE(summary(setup.decide("ls /srv/gateway/data/tenants/master")), "allow");
    QCOMPARE(summary(setup.decide("ls /srv/gateway/workspace/tenants/globex")), "deny path_guard other_tenant");
    QCOMPARE(summary(setup.decide("ls /srv/gateway/workspace/main")), "deny path_guard workspace");
    setup.hostPolicy = "deny";
    QCOMPARE(summary(setup.decide("make all")), "allow");
}

void TstTruthTable::a_master_run_gets_no_tenant_directory()
{
    DecisionSetup setup;
    setup.request.tenant = "master";
    QVERIFY(!setup.decide("make").tenantDirUsable);
    QCOMPARE(summary(setup.decide("ls /srv/gateway/data/tenants/master")), "deny path_guard other_tenant");
}

void TstTruthTable::a_tenant_run_is_confined_where_landlock_works_data()
{
    QTest::addColumn<int>("abi");
    QTest::addColumn<QByteArray>("level");
    QTest::newRow("ABI 2 cannot hold truncate") << 2 << QByteArray("none");
    QTest::newRow("ABI 3 is enough") << 3 << QByteArray("landlock");
    QTest::newRow("ABI 7") << 7 << QByteArray("landlock");
}

void TstTruthTable::a_tenant_run_is_confined_where_landlock_works()
{
    QFETCH(int, abi);
    QFETCH(QByteArray, level);
    const Decision decision = DecisionSetup(landlockAlone(abi)).decide("make all");
    QCOMPARE(summary(decision), "allow");
    QCOMPARE(QByteArray::fromStdString(std::string(nameOf(decision.level))), level);
}

void TstTruthTable::without_landlock_the_tenant_directory_is_refused_and_the_rest_follows_host_policy()
{
    DecisionSetup setup(noLandlock());
    const Decision own = setup.decide(std::string("ls ") + ownDir);
    QCOMPARE(summary(own), "deny path_guard tenant_dir");
    QCOMPARE(own.code, std::string("tenant_dir_unavailable"));
    QVERIFY(own.fsConfinementUnavailable);

    const Decision other = setup.decide("make all");
    QCOMPARE(summary(other), "allow");
    QCOMPARE(other.level, Level::None);
    QVERIFY(!other.tenantDirUsable);
    QVERIFY(other.fsConfinementUnavailable);
    QCOMPARE(summary(setup.decide(std::string("ls ") + ownWork)), "allow");

    setup.hostPolicy = "deny";
    QCOMPARE(summary(setup.decide("make all")), "deny host_policy host_policy_deny");
}

void TstTruthTable::in_docker_the_tenant_directory_is_there()
{
    const Decision decision = inDocker().decide(std::string("ls ") + ownDir);
    QCOMPARE(summary(decision), "allow");
    QCOMPARE(decision.backend, Backend::Docker);
    QVERIFY(decision.tenantDirUsable);
}

void TstTruthTable::sandbox_switched_off_without_landlock_refuses_the_tenant_directory()
{
    DecisionSetup setup(withEngine(noLandlock()));
    setup.sandbox = "mode: 'all'";
    setup.request.origin = Origin::Operator;
    setup.request.sandbox = SandboxSwitch::Off;
    const Decision decision = setup.decide(std::string("ls ") + ownDir);
    QCOMPARE(decision.code, std::string("tenant_dir_needs_sandbox"));
    QCOMPARE(decision.verdict, Verdict::Deny);
}

void TstTruthTable::sandbox_switched_off_with_landlock_runs_confined()
{
    DecisionSetup setup = inDocker();
    setup.request.origin = Origin::Operator;
    setup.request.sandbox = SandboxSwitch::Off;
    const Decision decision = setup.decide(std::string("ls ") + ownDir);
    QCOMPARE(summary(decision), "allow");
    QCOMPARE(decision.backend, Backend::Host);
    QCOMPARE(decision.level, Level::Full);
}

void TstTruthTable::host_policy_deny_refuses_every_tenant_host_exec()
{
    DecisionSetup setup;
    setup.hostPolicy = "deny";
    for (const Origin origin :
         {Origin::Agent, Origin::Subagent, Origin::NativeWorker, Origin::McpBridge, Origin::Operator}) {
        setup.request.origin = origin;
        const Decision decision = setup.decide("true");
        QCOMPARE(summary(decision), "deny host_policy host_policy_deny");
        QVERIFY(!decision.wouldDeny);
    }
}

void TstTruthTable::host_policy_warn_runs_and_says_that_deny_would_refuse_data()
{
    QTest::addColumn<int>("abi");
    QTest::newRow("confined") << 7;
    QTest::newRow("unconfined") << 0;
}

void TstTruthTable::host_policy_warn_runs_and_says_that_deny_would_refuse()
{
    QFETCH(int, abi);
    DecisionSetup setup(landlockAlone(abi));
    setup.hostPolicy = "warn";
    const Decision decision = setup.decide("make all");
    QCOMPARE(summary(decision), "allow");
    QVERIFY(decision.wouldDeny);
    QCOMPARE(entryOf(decision, Check::HostPolicy).outcome, CheckOutcome::Noted);
}

void TstTruthTable::host_policy_allow_runs_without_a_word()
{
    const Decision decision = DecisionSetup().decide("make all");
    QCOMPARE(summary(decision), "allow");
    QVERIFY(!decision.wouldDeny);
    QCOMPARE(entryOf(decision, Check::HostPolicy).outcome, CheckOutcome::Passed);
}

void TstTruthTable::host_policy_does_not_concern_the_sandbox()
{
    DecisionSetup setup = inDocker();
    setup.hostPolicy = "deny";
    const Decision decision = setup.decide("make all");
    QCOMPARE(summary(decision), "allow");
    QVERIFY(!decision.wouldDeny);
}

void TstTruthTable::the_bridge_never_gets_the_tenant_directory_on_the_host_data()
{
    QTest::addColumn<int>("abi");
    QTest::newRow("with Landlock") << 7;
    QTest::newRow("without Landlock") << 0;
}

void TstTruthTable::the_bridge_never_gets_the_tenant_directory_on_the_host()
{
    QFETCH(int, abi);
    DecisionSetup setup(landlockAlone(abi));
    setup.request.origin = Origin::McpBridge;
    const Decision own = setup.decide(std::string("ls ") + ownDir);
    QCOMPARE(summary(own), "deny path_guard tenant_dir");
    QCOMPARE(own.code, std::string("tenant_dir_bridge"));
    QVERIFY(!own.tenantDirUsable);
    QCOMPARE(summary(setup.decide("ls /srv/gateway/data/.portcullis/tmp/acme")), "deny path_guard data_dir");
    QCOMPARE(summary(setup.decide("make all")), "allow");
}

void TstTruthTable::the_bridge_gets_the_tenant_directory_in_docker()
{
    DecisionSetup setup = inDocker();
    setup.request.origin = Origin::McpBridge;
    const Decision decision = setup.decide(std::string("ls ") + ownDir);
    QCOMPARE(summary(decision), "allow");
    QVERIFY(decision.tenantDirUsable);
}

void TstTruthTable::the_bridge_fails_when_the_sandbox_is_switched_off_for_the_call()
{
    DecisionSetup setup = inDocker();
    setup.request.origin = Origin::McpBridge;
    setup.request.sandbox = SandboxSwitch::Off;
    setup.sandbox = "mode: 'all'";
    setup.policyKeys = "\"sandbox\": {\"agent_may_disable\": true}";
    const Decision decision = setup.decide("true");
    QCOMPARE(summary(decision), "deny backend bridge_needs_sandbox");
    QVERIFY(decision.backend != Backend::Host);
}

void TstTruthTable::subagents_and_native_workers_are_judged_as_their_agent_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::newRow("allowed") << QByteArray("make all");
    QTest::newRow("own directory") << QByteArray("ls ") + ownDir;
    QTest::newRow("another tenant") << QByteArray("ls /srv/gateway/data/tenants/globex");
}

void TstTruthTable::subagents_and_native_workers_are_judged_as_their_agent()
{
    QFETCH(QByteArray, command);
    DecisionSetup setup;
    const Decision agent = setup.decide(command.toStdString());
    for (const Origin origin : {Origin::Subagent, Origin::NativeWorker}) {
        setup.request.origin = origin;
        const Decision decision = setup.decide(command.toStdString());
        QCOMPARE(summary(decision), summary(agent));
        QCOMPARE(decision.tenantDirUsable, agent.tenantDirUsable);
    }
}

void TstTruthTable::an_engine_that_is_wanted_and_missing_denies_and_never_uses_the_host_data()
{
    QTest::addColumn<int>("state");
    QTest::addColumn<QByteArray>("code");
    QTest::newRow("down") << int(EngineState::Down) << QByteArray("sandbox_unavailable");
    QTest::newRow("never asked") << int(EngineState::NotAsked) << QByteArray("sandbox_unavailable");
    QTest::newRow("image missing") << int(EngineState::ImageMissing) << QByteArray("sandbox_image_missing");
}

void TstTruthTable::an_engine_that_is_wanted_and_missing_denies_and_never_uses_the_host()
{
    QFETCH(int, state);
    QFETCH(QByteArray, code);
    DecisionSetup setup = inDocker();
    setup.facts.engine = static_cast<EngineState>(state);
    const Decision decision = setup.decide("true");
    QCOMPARE(summary(decision), "deny backend " + code);
    QCOMPARE(decision.backend, Backend::Docker);
}

void TstTruthTable::sandbox_modes_choose_by_agent_data()
{
    QTest::addColumn<QByteArray>("mode");
    QTest::addColumn<QByteArray>("agent");
    QTest::addColumn<bool>("docker");
    for (const char *agent : {"main", "default", "build"}) {
        const bool other = QByteArray(agent) == "build";
        QTest::addRow("off, %s", agent) << QByteArray("off") << QByteArray(agent) << false;
        QTest::addRow("non-main, %s", agent) << QByteArray("non-main") << QByteArray(agent) << other;
        QTest::addRow("all, %s", agent) << QByteArray("all") << QByteArray(agent) << true;
    }
}

void TstTruthTable::sandbox_modes_choose_by_agent()
{
    QFETCH(QByteArray, mode);
    QFETCH(QByteArray, agent);
    QFETCH(bool, docker);
    DecisionSetup setup(withEngine(bothWalls()));
    setup.sandbox = "mode: '" + mode.toStdString() + "'";
    setup.request.agent = agent.toStdString();
    const Decision decision = setup.decide("true");
    QCOMPARE(summary(decision), "allow");
    QCOMPARE(decision.backend, docker ? Backend::Docker : Backend::Host);
}

void TstTruthTable::an_agents_switch_can_only_tighten()
{
    DecisionSetup setup(withEngine(bothWalls()));
    setup.request.sandbox = SandboxSwitch::On;
    QCOMPARE(setup.decide("true").backend, Backend::Docker);

    setup.sandbox = "mode: 'all'";
    setup.request.sandbox = SandboxSwitch::Off;
    const Decision refused = setup.decide("true");
    QCOMPARE(refused.backend, Backend::Docker);
    QCOMPARE(entryOf(refused, Check::Backend).code, std::string("sandbox_switch_ignored"));

    setup.policyKeys = "\"sandbox\": {\"agent_may_disable\": true}";
    QCOMPARE(setup.decide("true").backend, Backend::Host);
}

void TstTruthTable::a_demand_for_confinement_is_held_data()
{
    QTest::addColumn<QByteArray>("demand");
    QTest::addColumn<int>("abi");
    QTest::addColumn<bool>("view");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *what, const char *demand, int abi, bool view, const char *expected) {
        QTest::newRow(what) << QByteArray(demand) << abi << view << QByteArray(expected);
    };
    row("best effort takes what there is", "best_effort", 0, false, "allow");
    row("required needs Landlock", "required", 2, true, "deny confinement confinement_required");
    row("required is content with Landlock", "required", 3, false, "allow");
    row("full needs both walls", "full", 7, false, "deny confinement confinement_full_required");
    row("full has both walls", "full", 7, true, "allow");
}

void TstTruthTable::a_demand_for_confinement_is_held()
{
    QFETCH(QByteArray, demand);
    QFETCH(int, abi);
    QFETCH(bool, view);
    QFETCH(QByteArray, expected);
    DecisionSetup setup;
    setup.facts.landlockAbi = abi;
    setup.facts.viewWorks = view;
    setup.policyKeys = "\"confinement\": \"" + demand.toStdString() + "\"";
    QCOMPARE(summary(setup.decide("make all")), expected);
}

void TstTruthTable::a_command_never_runs_as_root_without_the_view()
{
    DecisionSetup setup(landlockAlone());
    setup.facts.commandUidNonZero = false;
    QCOMPARE(summary(setup.decide("true")), "deny confinement would_run_as_root");
    setup.facts.viewWorks = true;
    QCOMPARE(summary(setup.decide("true")), "allow");
}

void TstTruthTable::an_unknown_tenant_is_refused_by_configuration()
{
    DecisionSetup setup;
    setup.request.tenant = "nobody";
    const Decision decision = setup.decide("true");
    QCOMPARE(summary(decision), "deny configuration unknown_tenant");
    QCOMPARE(entryOf(decision, Check::Input).outcome, CheckOutcome::NotReached);
}

void TstTruthTable::a_broken_policy_is_refused_by_configuration()
{
    DecisionSetup setup;
    setup.policyKeys = "\"deny_groups\": 7";
    const Decision decision = setup.decide("true");
    QCOMPARE(decision.check, Check::Configuration);
    QCOMPARE(decision.code, std::string("broken_policy"));
    const TraceEntry entry = entryOf(decision, Check::Configuration);
    QCOMPARE(entry.source.file, std::string("/etc/gw/policies/acme.json"));
    QVERIFY(entry.source.line > 0);
}

void TstTruthTable::the_working_directory_must_be_permitted_data()
{
    QTest::addColumn<QByteArray>("cwd");
    QTest::addColumn<int>("abi");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *what, const char *cwd, int abi, const char *expected) {
        QTest::newRow(what) << QByteArray(cwd) << abi << QByteArray(expected);
    };
    row("none is the workspace", "", 7, "allow");
    row("below the workspace", "/srv/gateway/workspace/tenants/acme/src", 7, "allow");
    row("below the tenant directory", "/srv/gateway/data/tenants/acme/x", 7, "allow");
    row("the tenant directory without Landlock", "/srv/gateway/data/tenants/acme", 0, "deny path_guard tenant_dir");
    row("an allowed path", "/opt/shared/data", 7, "allow");
    row("a sibling of an allowed path", "/opt/shared-other", 7, "deny cwd cwd_outside");
    row("anywhere else", "/etc", 7, "deny cwd cwd_outside");
    row("up and out again", "/srv/gateway/workspace/tenants/acme/../../../../etc", 7, "deny cwd cwd_outside");
    row("another tenant", "/srv/gateway/data/tenants/globex", 7, "deny path_guard other_tenant");
    row("relative", "src", 7, "deny cwd cwd_not_absolute");
}

void TstTruthTable::the_working_directory_must_be_permitted()
{
    QFETCH(QByteArray, cwd);
    QFETCH(int, abi);
    QFETCH(QByteArray, expected);
    DecisionSetup setup(landlockAlone(abi));
    setup.policyKeys = "\"allowed_paths\": [\"/opt/shared\"]";
    setup.request.cwd = cwd.toStdString();
    QCOMPARE(summary(setup.decide("ls")), expected);
}

void TstTruthTable::every_check_runs_although_one_has_denied()
{
    DecisionSetup setup(noLandlock());
    setup.hostPolicy = "deny";
    setup.rules = R"({"id": "no-sudo", "group": "privilege_escalation", "title": "Sudo", "reason": "R.",
                      "advice": "A.", "program": ["sudo"], "match": ["sudo id"], "not_match": ["echo sudo"]})";
    setup.policyKeys = "\"confinement\": \"required\"";
    setup.request.cwd = "/etc";
    const Decision decision = setup.decide("sudo cat /srv/gateway/data/x");
    QCOMPARE(summary(decision), "deny deny_rules no-sudo");
    for (const Check check : {Check::DenyRules, Check::PathGuard, Check::HostPolicy, Check::Confinement, Check::Cwd})
        QVERIFY2(blockedBy(decision, check), std::string(nameOf(check)).c_str());
}

void TstTruthTable::no_variable_points_into_a_tenant_directory_that_is_not_usable()
{
    DecisionSetup setup;
    const auto configuration = setup.configuration();
    for (const Origin origin : {Origin::Agent, Origin::McpBridge}) {
        setup.request.origin = origin;
        for (const Level level : {Level::None, Level::Landlock, Level::Full}) {
            for (const bool usable : {false, true}) {
                const auto environment =
                    commandEnvironment(setup.request, *configuration, {Backend::Host, level, usable});
                const bool points = std::ranges::any_of(
                    environment, [](const auto &variable) { return variable.second.contains(ownDir); });
                QCOMPARE(points, usable);
                QCOMPARE(environment.at("HOME"), std::string(ownWork));
            }
        }
    }
}

QTEST_APPLESS_MAIN(TstTruthTable)
#include "tst_truth_table.moc"
