// SPDX-License-Identifier: Apache-2.0
#include "tests/support/configuration_builder.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::policy;
using test::ConfigurationBuilder;

class TstGatewayFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reads_goclaws_file_and_ignores_what_is_not_ours()
    {
        ConfigurationBuilder builder;
        builder.gateway(R"({
            // a real file has much more in it
            providers: {openai: {api_key: 'sk-secret'}},
            channels: null,
            agents: {
                defaults: {workspace: '~/ws', model: 'x', allowed_paths: ['/srv/shared'],
                           sandbox: {mode: 'non-main', image: 'box:1', workspace_access: 'ro', scope: 'agent', memory_mb: 1024,
                                     cpus: 0.5, pids_limit: 64, network_enabled: true, idle_hours: 24, env: {TOKEN: 's3cret'}}},
                list: {build: {sandbox: {mode: 'all'}, model: 'y'}},
            },
            tools: {profile: 'coding', exec: {shell: 'sh', timeout_seconds: 300, tenant_host_policy: 'deny'},
                    execApproval: {security: 'allowlist', ask: 'on-miss', allowlist: ['git *']},
                    shellDenyGroups: {network_recon: false}, rate_limit_per_hour: 150},
            data_dir: '/srv/gw',
            portcullis: {confinement: 'required', confine_master: true, extra_read: ['~/tools', '/opt/x/'], run_as: 'agents',
                         system_skills: ['pdf'], audit_db: '/srv/audit.db', limits: {processes: 64}},
        })");
        builder.policy("acme");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QVERIFY(builder.problems().empty());
        const Effective &e = configuration->effective("acme", "main");
        QCOMPARE(configuration->paths().workspace, std::string("/home/op/ws"));
        QCOMPARE(configuration->paths().dataDir, std::string("/srv/gw"));
        QCOMPARE(configuration->paths().auditDb, std::string("/srv/audit.db"));
        QCOMPARE(e.hostPolicy.value, HostPolicy::Deny);
        QCOMPARE(e.confinement.value, ConfinementDemand::Required);
        QVERIFY(e.confineMaster.value);
        QCOMPARE(e.shell.value, ShellChoice::Sh);
        QCOMPARE(e.limits.timeoutSeconds.value, 300);
        QCOMPARE(e.limits.processes.value, 64);
        QCOMPARE(e.sandbox.mode.value, SandboxMode::NonMain);
        QCOMPARE(configuration->effective("acme", "build").sandbox.mode.value, SandboxMode::All);
        QCOMPARE(e.sandbox.scope.value, SandboxScope::Agent);
        QCOMPARE(e.sandbox.workspaceAccess.value, WorkspaceAccess::ReadOnly);
        QCOMPARE(e.sandbox.memoryMb.value, 1024);
        QCOMPARE(e.sandbox.cpus.value, 0.5);
        QCOMPARE(e.sandbox.pids.value, 64);
        QCOMPARE(e.sandbox.network.value, Network::Host);
        QCOMPARE(e.allowedPaths.value, std::vector<std::string>{"/srv/shared"});
        QCOMPARE(e.extraRead.value, (std::vector<std::string>{"/home/op/tools", "/opt/x"}));
        QCOMPARE(e.systemSkills.value, std::vector<std::string>{"pdf"});
        QCOMPARE(e.runAs.value, std::string("agents"));
        QCOMPARE(e.approval.security.value, ApprovalSecurity::Allowlist);
        QCOMPARE(e.approval.ask.value, ApprovalAsk::OnMiss);
        QVERIFY(!e.denyGroups[static_cast<std::size_t>(Group::NetworkRecon)].value);
        QVERIFY(configuration->canonicalText().find("ecret") == std::string::npos);
    }

    void without_a_file_the_defaults_of_goclaw_hold()
    {
        ConfigurationBuilder builder;
        const auto configuration = builder.load();
        QVERIFY(configuration);
        const GatewayPaths &paths = configuration->paths();
        QCOMPARE(paths.configFile, std::string("/home/op/.goclaw/config.json"));
        QCOMPARE(paths.environmentFile, std::string("/home/op/.goclaw/.env.local"));
        QCOMPARE(paths.policiesDir, std::string("/home/op/.goclaw/portcullis/policies"));
        QCOMPARE(paths.dataDir, std::string("/home/op/.goclaw/data"));
        QCOMPARE(paths.workspace, std::string("/home/op/.goclaw/workspace"));
        QCOMPARE(paths.database, std::string("/home/op/.goclaw/data/goclaw.db"));
        QCOMPARE(paths.runtimeDir, std::string("/home/op/.goclaw/data/.runtime"));
        QCOMPARE(paths.skillsStore, std::string("/home/op/.goclaw/data/skills-store"));
        QCOMPARE(paths.auditDb, std::string("/var/lib/portcullis/audit.db"));
    }

    void paths_come_from_command_line_then_environment_then_file()
    {
        ConfigurationBuilder builder;
        builder.gateway("{data_dir: '/file', agents: {defaults: {workspace: '/file-ws'}}}");
        QCOMPARE(builder.load()->paths().dataDir, std::string("/file"));
        builder.environment("GOCLAW_DATA_DIR", "/env/./x/")
            .environment("GOCLAW_WORKSPACE", "~/env-ws")
            .environment("GOCLAW_SQLITE_PATH", "/db/g.db")
            .environment("RUNTIME_DIR", "/rt");
        QCOMPARE(builder.load()->paths().dataDir, std::string("/env/x"));
        QCOMPARE(builder.load()->paths().workspace, std::string("/home/op/env-ws"));
        QCOMPARE(builder.load()->paths().database, std::string("/db/g.db"));
        QCOMPARE(builder.load()->paths().runtimeDir, std::string("/rt"));
        builder.input().overrides.dataDir = "/option";
        QCOMPARE(builder.load()->paths().dataDir, std::string("/option"));
        QCOMPARE(builder.load()->paths().skillsStore, std::string("/option/skills-store"));
        builder.environment("GOCLAW_WORKSPACE", "");
        QCOMPARE(builder.load()->paths().workspace, std::string("/file-ws"));
    }

    void an_unusable_gateway_file_or_environment_does_not_load_data()
    {
        QTest::addColumn<QByteArray>("gateway");
        QTest::addColumn<QByteArray>("variable");
        QTest::addColumn<QByteArray>("value");
        QTest::addColumn<QByteArray>("code");
        QTest::addColumn<QByteArray>("found");
        const auto file = [](const char *name, const char *text, const char *code, const char *found) {
            QTest::newRow(name) << QByteArray(text) << QByteArray() << QByteArray() << QByteArray(code)
                                << QByteArray(found);
        };
        const auto variable = [](const char *name, const char *value, const char *code, const char *found) {
            QTest::newRow(name) << QByteArray("{}") << QByteArray(name) << QByteArray(value) << QByteArray(code)
                                << QByteArray(found);
        };
        file("broken text", "{tools: {", "unexpected_end", "{");
        file("no object", "[]", "wrong_type", "array");
        file("unknown host policy", "{tools: {exec: {tenant_host_policy: 'strict'}}}", "bad_value", "strict");
        file("host policy in an old case", "{tools: {exec: {tenant_host_policy: 'DENY'}}}", "bad_value", "DENY");
        file("groups as a list", "{tools: {shellDenyGroups: ['env_dump']}}", "wrong_type", "array");
        file("group as a word", "{tools: {shellDenyGroups: {env_dump: 'off'}}}", "wrong_type", "string");
        file("relative data dir", "{data_dir: './data'}", "not_absolute", "./data");
        file("agents as a list", "{agents: {list: [{id: 'a'}]}}", "wrong_type", "array");
        file("unknown confinement", "{portcullis: {confinement: 'strong'}}", "bad_value", "strong");
        variable("GOCLAW_EXEC_TENANT_HOST_POLICY", "denied", "bad_value", "denied");
        variable("GOCLAW_DATA_DIR", "data", "not_absolute", "data");
        variable("GOCLAW_SANDBOX_MODE", "on", "bad_value", "on");
        variable("GOCLAW_SANDBOX_MEMORY_MB", "512m", "wrong_type", "512m");
        variable("GOCLAW_SANDBOX_CPUS", "-1", "out_of_range", "-1");
        variable("GOCLAW_SANDBOX_NETWORK", "yes", "bad_value", "yes");
    }

    void an_unusable_gateway_file_or_environment_does_not_load()
    {
        QFETCH(QByteArray, gateway);
        QFETCH(QByteArray, variable);
        QFETCH(QByteArray, value);
        QFETCH(QByteArray, code);
        ConfigurationBuilder builder;
        builder.gateway(gateway.toStdString());
        if (!variable.isEmpty())
            builder.environment(variable.toStdString(), value.toStdString());
        QVERIFY(!builder.load());
        const Problem problem = builder.problem(code.toStdString());
        QTEST(QByteArray::fromStdString(problem.found), "found");
        QCOMPARE(problem.file, variable.isEmpty() ? std::string("/etc/gw/config.json") : variable.toStdString());
    }

    void an_unknown_host_policy_names_the_three_allowed_ones()
    {
        ConfigurationBuilder builder;
        builder.environment("GOCLAW_EXEC_TENANT_HOST_POLICY", "block");
        QVERIFY(!builder.load());
        QCOMPARE(builder.problem("bad_value").allowed, (std::vector<std::string>{"allow", "warn", "deny"}));
    }

    void numbers_and_switches_of_the_environment()
    {
        ConfigurationBuilder builder;
        builder.environment("GOCLAW_SANDBOX_MEMORY_MB", "256")
            .environment("GOCLAW_SANDBOX_CPUS", "2.5")
            .environment("GOCLAW_SANDBOX_NETWORK", "true");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        const SandboxSettings &sandbox = configuration->effective("master", "main").sandbox;
        QCOMPARE(sandbox.memoryMb.value, 256);
        QCOMPARE(sandbox.cpus.value, 2.5);
        QCOMPARE(sandbox.network.value, Network::Host);
        QCOMPARE(sandbox.cpus.source.file, std::string("GOCLAW_SANDBOX_CPUS"));
    }

    void an_unknown_group_is_noted_and_refuses_nothing_less()
    {
        ConfigurationBuilder builder;
        builder.gateway("{tools: {shellDenyGroups: {package_instal: false}}, agents: {list: {a: {shell_deny_groups: "
                        "{env_dmp: false}}}}}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(builder.problems().size(), std::size_t(2));
        QCOMPARE(builder.problem("unknown_group").hint, std::string("package_install"));
        for (const Sourced<bool> &group : configuration->effective("master", "a").denyGroups)
            QVERIFY(group.value);
    }

    void an_unknown_key_of_ours_is_refused_with_the_nearest()
    {
        ConfigurationBuilder builder;
        builder.gateway("{portcullis: {confinment: 'full', limits: {process: 3}}}");
        QVERIFY(!builder.load()); // whoever meant `confinement: full` must not run without
        QCOMPARE(builder.problems().size(), std::size_t(2));
        QCOMPARE(builder.problems()[0].hint, std::string("confinement"));
        QCOMPARE(builder.problems()[1].hint, std::string("processes"));
        QCOMPARE(builder.problems()[0].severity, Problem::Severity::Error);
    }

    void the_old_form_of_the_approval_key_is_read_with_a_warning_data()
    {
        QTest::addColumn<QByteArray>("tools");
        QTest::addColumn<int>("ask");
        QTest::newRow("old alone") << QByteArray("exec_approval: {ask: 'risky'}") << int(ApprovalAsk::OnMiss);
        QTest::newRow("new after old") << QByteArray("exec_approval: {ask: 'always'}, execApproval: {ask: 'off'}")
                                       << int(ApprovalAsk::Off);
        QTest::newRow("new before old") << QByteArray("execApproval: {ask: 'off'}, exec_approval: {ask: 'always'}")
                                        << int(ApprovalAsk::Off);
    }

    void the_old_form_of_the_approval_key_is_read_with_a_warning()
    {
        QFETCH(QByteArray, tools);
        ConfigurationBuilder builder;
        builder.gateway("{tools: {" + tools.toStdString() + "}}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(builder.problem("deprecated_key").hint, std::string("tools.execApproval"));
        QTEST(int(configuration->effective("master", "main").approval.ask.value), "ask");
    }

    void the_old_word_none_refuses_rather_than_lets_through()
    {
        ConfigurationBuilder builder;
        builder.gateway("{tools: {exec_approval: {security: 'none'}}}");
        QCOMPARE(builder.load()->effective("master", "main").approval.security.value, ApprovalSecurity::Deny);
    }

    void null_means_not_set_in_goclaws_file()
    {
        ConfigurationBuilder builder;
        builder.gateway("{data_dir: null, tools: {shellDenyGroups: null, exec: null}, agents: {list: null, defaults: "
                        "{sandbox: {mode: null}}}}");
        QVERIFY(builder.load());
        QVERIFY(builder.problems().empty());
    }

    void both_places_of_an_agent_are_read_and_the_list_wins()
    {
        ConfigurationBuilder builder;
        builder.gateway("{agents: {a: {sandbox: {mode: 'all', memory_mb: 64}}, list: {a: {sandbox: {mode: 'off'}}}}}");
        const auto configuration = builder.load();
        QVERIFY(configuration);
        QCOMPARE(configuration->effective("master", "a").sandbox.mode.value, SandboxMode::Off);
        QCOMPARE(configuration->effective("master", "a").sandbox.memoryMb.value, 64);
    }

    void bundled_skills_are_the_system_skills_unless_they_are_named()
    {
        ConfigurationBuilder builder;
        builder.input().bundledSkills = {"docx", "pdf"};
        builder.environment("GOCLAW_BUNDLED_SKILLS_DIR", "/app/bundled-skills");
        const auto bundled = builder.load();
        QCOMPARE(bundled->paths().bundledSkillsDir, std::string("/app/bundled-skills"));
        QCOMPARE(bundled->effective("acme", "main").systemSkills.value, (std::vector<std::string>{"docx", "pdf"}));
        builder.gateway("{portcullis: {system_skills: ['own']}}");
        QCOMPARE(builder.load()->effective("acme", "main").systemSkills.value, std::vector<std::string>{"own"});
        builder.gateway("{portcullis: {system_skills: []}}");
        QCOMPARE(builder.load()->effective("acme", "main").systemSkills.value, std::vector<std::string>());
    }

    void only_named_variables_are_read()
    {
        for (const std::string_view name : environmentNames()) {
            QVERIFY(name.starts_with("GOCLAW_") || name.starts_with("PORTCULLIS_") || name == "RUNTIME_DIR");
            for (const char *secret : {"TOKEN", "KEY", "DSN", "SECRET", "PASSWORD"})
                QVERIFY(name.find(secret) == std::string_view::npos);
        }
    }
};

QTEST_GUILESS_MAIN(TstGatewayFile)
#include "tst_gateway_file.moc"
