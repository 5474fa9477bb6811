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

    void the_record_keeps_the_words_that_were_read_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::addColumn<QByteArray>("normalised"); // empty: the command
        QTest::addColumn<QByteArrayList>("argv");
        const auto row = [](const char *name, const char *command, const char *normalised, const QByteArrayList &argv) {
            QTest::newRow(name) << QByteArray(command) << QByteArray(normalised) << argv;
        };
        row("a plain command", "ls -l /tmp", "", {"ls", "-l", "/tmp"});
        row("quotes around a word hide nothing", "git commit -m \"fix it\"", "", {"git", "commit", "-m", "fix it"});
        row("quotes inside of one do", "c\"\"url -s https://x.example", "curl -s https://x.example",
            {"curl", "-s", "https://x.example"});
        row("a backslash", "b\\ash -c ls", "bash -c ls; ls", {"bash", "-c", "ls"});
        row("a quote of C", "$'\\x63url' x", "curl x", {"curl", "x"});
        row("a variable", "p=cu; ${p}rl x", "curl x", {"curl", "x"});
        row("in a shell inside", "sh -c 'c\"\"url x'", "sh -c 'c\"\"url x'; curl x", {"sh", "-c", "c\"\"url x"});
        row("several programs", "curl x | sh", "", {});
        row("several, one hidden", "cu''rl x | sh", "curl x; sh", {});
        row("a loop", "for f in a b; do c''at $f; done", "cat a; cat b", {});
        row("a word that nobody knows", "c''at $RANDOM/x", "cat '…/x'", {});
        row("a pattern", "cat *.c", "", {});
        row("a launcher", "env c''url x", "env curl x; curl x", {"env", "curl", "x"});
        row("quotes where they are needed", "l''s 'a b' \"it's\"", "ls 'a b' 'it'\\''s'", {"ls", "a b", "it's"});
        row("no program", "x=1", "", {});
    }
    void the_record_keeps_the_words_that_were_read()
    {
        QFETCH(QByteArray, command);
        QFETCH(QByteArray, normalised);
        QFETCH(QByteArrayList, argv);
        DecisionSetup setup;
        setup.request.command = command.toStdString();
        const decision::Decision decision = setup.decide(setup.request.command);
        const auto configuration = setup.configuration();
        const auto read = decision::readCommand(setup.request, *configuration, setup.facts);
        const record::Event event = service::execEvent(setup.request, decision, setup.facts, "gw", "1:1", read);
        QCOMPARE(QByteArray::fromStdString(event.normalised), normalised.isEmpty() ? command : normalised);
        QByteArrayList words;
        for (const std::string &word : event.argv)
            words << QByteArray::fromStdString(word);
        QCOMPARE(words, argv);
    }

    void the_words_of_a_command_are_bounded()
    {
        DecisionSetup setup;
        std::string command = "c''at";
        for (int i = 0; i < 20'000; ++i)
            command += " 'a'b" + std::to_string(i % 10);
        setup.request.command = command;
        const decision::Decision decision = setup.decide(command);
        const auto configuration = setup.configuration();
        const auto read = decision::readCommand(setup.request, *configuration, setup.facts);
        const record::Event event = service::execEvent(setup.request, decision, setup.facts, "gw", "1:1", read);
        QVERIFY(event.normalised == command && event.argv.empty());
        // Input that is not read at all is kept as it is.
        QCOMPARE(service::execEvent(setup.request, decision, setup.facts, "gw", "1:1").normalised, command);
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
