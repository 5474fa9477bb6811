// SPDX-License-Identifier: Apache-2.0
#include "runner/service/exec_event.h"
#include "tests/support/decision_setup.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::test;

/// What a run leaves in the record and in the log, where programs look for it by name.
class TstExecEvent : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_record_keeps_what_deny_would_have_refused_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<QByteArray>("tenant");
        QTest::addColumn<Verdict>("verdict");
        QTest::addColumn<bool>("wouldDeny");
        QTest::newRow("warn") << QByteArray("warn") << QByteArray("acme") << Verdict::Allow << true;
        QTest::newRow("allow") << QByteArray("allow") << QByteArray("acme") << Verdict::Allow << false;
        QTest::newRow("deny") << QByteArray("deny") << QByteArray("acme") << Verdict::Deny << false;
        QTest::newRow("the master tenant") << QByteArray("warn") << QByteArray("master") << Verdict::Allow << false;
    }
    void the_record_keeps_what_deny_would_have_refused()
    {
        QFETCH(QByteArray, policy);
        QFETCH(QByteArray, tenant);
        QFETCH(Verdict, verdict);
        QFETCH(bool, wouldDeny);
        DecisionSetup setup;
        setup.hostPolicy = policy.toStdString();
        setup.request.tenant = tenant.toStdString();
        const decision::Decision decision = setup.decide("ls");
        const record::Event event = service::execEvent(setup.request, decision, setup.facts, "gw", "1:1");
        QCOMPARE(event.verdict, verdict);
        QCOMPARE(event.wouldDeny, wouldDeny);
        QCOMPARE(QByteArray::fromStdString(event.mode), policy);
        const std::vector<std::string> lines = service::securityEvents(setup.request, decision);
        const bool logged = std::ranges::any_of(
            lines, [](const std::string &line) { return line.contains(" msg=security.exec_tenant_host_would_deny "); });
        QCOMPARE(logged, wouldDeny);
    }

    void the_lines_of_the_log_name_their_values_as_goclaw_does_data()
    {
        QTest::addColumn<QByteArray>("policy");
        QTest::addColumn<SandboxSwitch>("sandbox");
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArrayList>("lines");
        const QByteArray head = "time=2027-01-15T08:00:00.000Z level=WARN msg=security.";
        const QByteArray who = " agent_id=coder tenant_id=acme ";
        QTest::newRow("refused by a rule")
            << QByteArray("allow") << SandboxSwitch::Default << QByteArray("no-such-program now")
            << QByteArrayList{head + "exec_denied" + who
                              + "check=deny_rules group=persistence rule=never command_prefix=\"no-such-program now\" "
                                "id=0198"};
        QTest::newRow("would be refused by deny") << QByteArray("warn") << SandboxSwitch::Default << QByteArray("ls")
                                                  << QByteArrayList{head + "exec_tenant_host_would_deny" + who
                                                                    + "host_policy=warn command_prefix=ls id=0198"};
        QTest::newRow("refused by the host policy")
            << QByteArray("deny") << SandboxSwitch::Default << QByteArray("ls")
            << QByteArrayList{head + "exec_denied" + who
                              + "check=host_policy group=\"\" rule=\"\" command_prefix=ls id=0198"};
        QTest::newRow("no sandbox") << QByteArray("allow") << SandboxSwitch::On << QByteArray("ls")
                                    << QByteArrayList{
                                           head + "sandbox_unavailable" + who + "command_prefix=ls id=0198",
                                           head + "exec_denied" + who
                                               + "check=backend group=\"\" rule=\"\" command_prefix=ls id=0198"};
        QTest::newRow("allowed") << QByteArray("allow") << SandboxSwitch::Default << QByteArray("ls")
                                 << QByteArrayList{};
        QTest::newRow("a long command is cut")
            << QByteArray("warn") << SandboxSwitch::Default << QByteArray(200, 'x')
            << QByteArrayList{head + "exec_tenant_host_would_deny" + who
                              + "host_policy=warn command_prefix=" + QByteArray(80, 'x') + " id=0198"};
    }
    void the_lines_of_the_log_name_their_values_as_goclaw_does()
    {
        QFETCH(QByteArray, policy);
        QFETCH(SandboxSwitch, sandbox);
        QFETCH(QByteArray, command);
        QFETCH(QByteArrayList, lines);
        DecisionSetup setup;
        setup.hostPolicy = policy.toStdString();
        setup.request.agent = "coder";
        setup.request.id = "0198";
        setup.request.sandbox = sandbox;
        setup.request.command = command.toStdString();
        setup.rules = R"({"id": "never", "group": "persistence", "title": "t", "program": ["no-such-program"],)"
                      R"( "reason": "r", "match": ["no-such-program"], "not_match": ["ls"]})";
        QByteArrayList said;
        for (const std::string &line : service::securityEvents(setup.request, setup.decide(setup.request.command)))
            said << QByteArray::fromStdString(line);
        QCOMPARE(said.join('\n'), lines.join('\n'));
    }
};

QTEST_GUILESS_MAIN(TstExecEvent)
#include "tst_exec_event.moc"
