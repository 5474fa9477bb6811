// SPDX-License-Identifier: Apache-2.0

// Exemptions as the decision applies them: one rule of one shape, and nothing else.

#include "tests/support/decision_setup.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::decision;
using namespace portcullis::test;

class TstExemptions : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void an_exemption_answers_its_rule_and_is_named_in_the_trace();
    void an_exemption_does_not_reach_further_data();
    void an_exemption_does_not_reach_further();
    void an_exemption_for_a_launcher_answers_the_launchers_own_rule_data();
    void an_exemption_for_a_launcher_answers_the_launchers_own_rule();
    void paths_of_an_exemption_are_not_left_data();
    void paths_of_an_exemption_are_not_left();
    void every_other_blocker_still_holds();
    void a_group_that_is_off_does_not_refuse_and_says_so();
    void a_tenants_rule_is_not_switched_off_by_groups();
    void a_rule_that_asks_leads_to_approval();
    void what_is_hidden_in_an_exempted_command_is_still_refused();
    void unknown_programs_follow_on_dynamic_data();
    void unknown_programs_follow_on_dynamic();
    void an_exemption_answers_an_unknown_program_by_exact_command();
    void notes_do_not_refuse_whatever_on_dynamic_says();
    void approval_settings_are_held_data();
    void approval_settings_are_held();
    void time_limits_are_clamped_data();
    void time_limits_are_clamped();
    void decisions_carry_the_digest_of_their_configuration();
};

namespace {

constexpr const char *twoRules = R"(
  {"id": "no-rm", "group": "destructive_ops", "title": "Recursive delete", "reason": "R.", "advice": "A.",
   "program": ["rm"], "match": ["rm x"], "not_match": ["ls"]},
  {"id": "no-sudo", "group": "privilege_escalation", "title": "Sudo", "reason": "R.", "advice": "A.",
   "program": ["sudo"], "match": ["sudo id"], "not_match": ["ls"]})";

std::string exemption(const std::string &members)
{
    return R"("exemptions": [{"id": "E1", "check": "deny_rules", "rule": "no-rm", "reason": "build", "by": "op", )"
        + members + "}]";
}

DecisionSetup exempted(const std::string &members)
{
    DecisionSetup setup;
    setup.rules = twoRules;
    setup.policyKeys = exemption(members);
    return setup;
}

} // namespace

void TstExemptions::an_exemption_answers_its_rule_and_is_named_in_the_trace()
{
    for (const char *members : {R"("command": "rm -rf build")", R"("program": "rm", "args": ["-rf", "build"])"}) {
        const Decision decision = exempted(members).decide("rm -rf build");
        QCOMPARE(summary(decision), "allow");
        const TraceEntry entry = entryOf(decision, Check::DenyRules);
        QCOMPARE(entry.outcome, CheckOutcome::Noted);
        QCOMPARE(entry.rule, std::string("no-rm"));
        QCOMPARE(entry.exemption, std::string("E1"));
    }
}

void TstExemptions::an_exemption_does_not_reach_further_data()
{
    QTest::addColumn<QByteArray>("members");
    QTest::addColumn<QByteArray>("command");
    const QByteArray shape = R"("program": "rm", "args": ["-rf", "build"])";
    QTest::newRow("another argument") << shape << QByteArray("rm -rf src");
    QTest::newRow("the same and another") << shape << QByteArray("rm -rf build; rm -rf src");
    QTest::newRow("inside of it") << shape << QByteArray("rm -rf build \"$(rm -rf src)\"");
    QTest::newRow("an exact command with more")
        << QByteArray(R"("command": "rm -rf build")") << QByteArray("rm -rf build ");
    QTest::newRow("another agent") << shape + R"(, "agent": "build")" << QByteArray("rm -rf build");
    QTest::newRow("another directory") << shape + R"(, "cwd": "/srv/gateway/workspace/tenants/acme/x")"
                                       << QByteArray("rm -rf build");
    QTest::newRow("expired") << shape + R"(, "expires": "2020-01-01T00:00:00Z")" << QByteArray("rm -rf build");
}

void TstExemptions::an_exemption_does_not_reach_further()
{
    QFETCH(QByteArray, members);
    QFETCH(QByteArray, command);
    QCOMPARE(summary(exempted(members.toStdString()).decide(command.toStdString())), "deny deny_rules no-rm");
}

void TstExemptions::an_exemption_for_a_launcher_answers_the_launchers_own_rule_data()
{
    QTest::addColumn<QByteArray>("args");
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("answer");
    const QByteArray denied = "deny deny_rules no-sudo";
    QTest::newRow("exactly") << QByteArray(R"("id")") << QByteArray("sudo id") << QByteArray("allow");
    QTest::newRow("any") << QByteArray(R"("**")") << QByteArray("sudo id") << QByteArray("allow");
    QTest::newRow("with options") << QByteArray(R"("-u", "db", "**")") << QByteArray("sudo -u db psql x")
                                  << QByteArray("allow");
    QTest::newRow("inside a shell") << QByteArray(R"("id")") << QByteArray("sh -c 'sudo id'") << QByteArray("allow");
    QTest::newRow("behind another launcher, whose arguments nobody has allowed")
        << QByteArray(R"("id")") << QByteArray("timeout 5 sudo id") << denied;
    QTest::newRow("another command") << QByteArray(R"("id")") << QByteArray("sudo reboot") << denied;
    QTest::newRow("another user") << QByteArray(R"("-u", "db", "**")") << QByteArray("sudo -u root psql x") << denied;
    QTest::newRow("a second one") << QByteArray(R"("id")") << QByteArray("sudo id; sudo reboot") << denied;
    QTest::newRow("a second one in the same shell")
        << QByteArray(R"("id")") << QByteArray("sh -c 'sudo id; sudo reboot'") << denied;
    QTest::newRow("one inside the other")
        << QByteArray(R"("sh", "-c", "**")") << QByteArray("sudo sh -c 'sudo reboot'") << denied;
    QTest::newRow("what it starts is judged by itself")
        << QByteArray(R"("**")") << QByteArray("sudo rm -rf build") << QByteArray("deny deny_rules no-rm");
}

void TstExemptions::an_exemption_for_a_launcher_answers_the_launchers_own_rule()
{
    QFETCH(QByteArray, args);
    QFETCH(QByteArray, command);
    DecisionSetup setup;
    setup.rules = twoRules;
    setup.policyKeys = R"("exemptions": [{"id": "E1", "rule": "no-sudo", "reason": "r", "by": "op", "program": "sudo",
                           "args": [)"
        + args.toStdString() + "]}]";
    QTEST(summary(setup.decide(command.toStdString())), "answer");
}

void TstExemptions::paths_of_an_exemption_are_not_left_data()
{
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<bool>("answered");
    QTest::newRow("in the folder") << QByteArray("rm -rf build/x") << true;
    QTest::newRow("from the folder") << QByteArray("cd build && rm -rf ../build/x") << false;
    QTest::newRow("from inside") << QByteArray("cd build && rm -rf x") << true;
    QTest::newRow("upwards") << QByteArray("rm -rf build/../..") << false;
    QTest::newRow("a variable that is not set") << QByteArray("rm -rf build/$X") << false;
    QTest::newRow("deeper") << QByteArray("rm -rf build/x/y") << false;
    QTest::newRow("elsewhere") << QByteArray("cd /; rm -rf build/x") << false;
    QTest::newRow("through a link of the same command") << QByteArray("ln -s / build/x; rm -rf build/x/") << false;
    QTest::newRow("through a link on the way") << QByteArray("ln -s /opt build; rm -rf build/x") << false;
}

void TstExemptions::paths_of_an_exemption_are_not_left()
{
    QFETCH(QByteArray, command);
    const Decision decision = exempted(R"("program": "rm", "args": ["-rf", "build/*"])").decide(command.toStdString());
    QTEST(entryOf(decision, Check::DenyRules).exemption == "E1", "answered");
}

void TstExemptions::every_other_blocker_still_holds()
{
    const DecisionSetup setup = exempted(R"("program": "rm", "args": ["**"])");
    QCOMPARE(summary(setup.decide("rm -rf build; sudo id")), "deny deny_rules no-sudo");
    QCOMPARE(summary(setup.decide("rm -rf /srv/gateway/data")), "deny path_guard data_dir");
}

void TstExemptions::a_group_that_is_off_does_not_refuse_and_says_so()
{
    DecisionSetup setup;
    setup.rules = twoRules;
    setup.policyKeys = R"("deny_groups": {"destructive_ops": false})";
    const Decision decision = setup.decide("rm -rf build");
    QCOMPARE(summary(decision), "allow");
    const TraceEntry entry = entryOf(decision, Check::DenyRules, "group_off");
    QCOMPARE(entry.rule, std::string("no-rm"));
    QCOMPARE(entry.source.layer, Layer::Tenant);
    QCOMPARE(summary(setup.decide("rm x; sudo id")), "deny deny_rules no-sudo");
}

void TstExemptions::a_tenants_rule_is_not_switched_off_by_groups()
{
    DecisionSetup setup;
    setup.policyKeys = R"("rules": [{"id": "no-prod", "title": "Production", "verdict": "deny", "program": ["psql"],
        "reason": "Off limits.", "advice": "Use the replica.", "match": ["psql"], "not_match": ["ls"]}],
        "deny_groups": {"destructive_ops": false})";
    const Decision decision = setup.decide("psql -h prod app");
    QCOMPARE(summary(decision), "deny deny_rules no-prod");
    QCOMPARE(decision.reason, std::string("Off limits."));
    QCOMPARE(decision.advice, std::string("Use the replica."));
    QCOMPARE(entryOf(decision, Check::DenyRules).source.layer, Layer::Tenant);
    QVERIFY(!decision.group);
}

void TstExemptions::a_rule_that_asks_leads_to_approval()
{
    DecisionSetup setup;
    setup.rules = twoRules;
    setup.policyKeys = R"("rules": [{"id": "ask-deploy", "title": "Deploy", "verdict": "ask", "program": ["deploy"],
        "reason": "R.", "advice": "A.", "match": ["deploy"], "not_match": ["ls"]}])";
    QCOMPARE(summary(setup.decide("deploy prod")), "ask deny_rules ask-deploy");
    const Decision both = setup.decide("deploy prod; sudo id");
    QCOMPARE(summary(both), "deny deny_rules no-sudo");
    QCOMPARE(both.blockers.size(), std::size_t(2));
}

void TstExemptions::what_is_hidden_in_an_exempted_command_is_still_refused()
{
    const DecisionSetup setup = exempted(R"("program": "rm", "args": ["**"])");
    const Decision decision = setup.decide("rm build; r\xE2\x80\x8Bm src");
    QVERIFY(decision.obfuscated);
    QCOMPARE(summary(decision), "allow"); // the rule is the exempted one, in its raw reading
    QCOMPARE(summary(setup.decide("rm build; su\xE2\x80\x8B"
                                  "do id")),
             "deny deny_rules no-sudo");
}

void TstExemptions::unknown_programs_follow_on_dynamic_data()
{
    QTest::addColumn<QByteArray>("key");
    QTest::addColumn<int>("abi");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("default, confined") << QByteArray() << 7 << QByteArray("allow");
    QTest::newRow("default, unconfined") << QByteArray() << 0 << QByteArray("deny dynamic program");
    QTest::newRow("deny, confined") << QByteArray("deny") << 7 << QByteArray("deny dynamic program");
    QTest::newRow("ask") << QByteArray("ask") << 7 << QByteArray("ask dynamic program");
    QTest::newRow("allow, unconfined") << QByteArray("allow") << 0 << QByteArray("allow");
}

void TstExemptions::unknown_programs_follow_on_dynamic()
{
    QFETCH(QByteArray, key);
    QFETCH(int, abi);
    QFETCH(QByteArray, expected);
    DecisionSetup setup(landlockAlone(abi));
    if (!key.isEmpty())
        setup.policyKeys = "\"on_dynamic\": \"" + key.toStdString() + "\"";
    const Decision decision = setup.decide("$(some-tool) x");
    QCOMPARE(summary(decision), expected);
    QVERIFY(std::ranges::contains(decision.dynamic, DynamicReason::Program));
}

void TstExemptions::an_exemption_answers_an_unknown_program_by_exact_command()
{
    DecisionSetup setup(noLandlock());
    setup.policyKeys = R"("exemptions": [{"id": "E2", "check": "dynamic", "rule": "program", "reason": "r", "by": "op",
                           "command": "$(some-tool) x"}])";
    QCOMPARE(summary(setup.decide("$(some-tool) x")), "allow");
    QCOMPARE(summary(setup.decide("$(some-tool) y")), "deny dynamic program");
}

void TstExemptions::notes_do_not_refuse_whatever_on_dynamic_says()
{
    DecisionSetup setup(noLandlock());
    setup.policyKeys = R"("on_dynamic": "deny")";
    const Decision decision = setup.decide("make all");
    QCOMPARE(summary(decision), "allow");
    QCOMPARE(decision.dynamic, std::vector{DynamicReason::Script});
}

void TstExemptions::approval_settings_are_held_data()
{
    QTest::addColumn<QByteArray>("settings");
    QTest::addColumn<QByteArray>("command");
    QTest::addColumn<QByteArray>("expected");
    const auto row = [](const char *what, const char *settings, const char *command, const char *expected) {
        QTest::newRow(what) << QByteArray(settings) << QByteArray(command) << QByteArray(expected);
    };
    row("full asks nothing", "security: 'full'", "ls", "allow");
    row("deny refuses everything", "security: 'deny'", "ls", "deny approval approval_refuses_all");
    row("always asks", "ask: 'always'", "ls", "ask approval approval_always");
    row("a listed program", "security: 'allowlist', allowlist: ['ls', 'git*']", "git status | ls", "allow");
    row("one that is not listed", "security: 'allowlist', allowlist: ['ls']", "ls; wc x",
        "deny approval approval_not_listed");
    row("asks on a miss", "ask: 'on-miss', allowlist: ['ls']", "wc x", "ask approval approval_not_listed");
    row("a whole command is listed", "security: 'allowlist', allowlist: ['make test*']", "make test-all", "allow");
}

void TstExemptions::approval_settings_are_held()
{
    QFETCH(QByteArray, settings);
    QFETCH(QByteArray, command);
    QFETCH(QByteArray, expected);
    ConfigurationBuilder builder;
    builder.gateway("{data_dir: '/srv/gateway/data', tools: {execApproval: {" + settings.toStdString() + "}}}");
    builder.policy("acme");
    const auto configuration = builder.load();
    QVERIFY(configuration);
    DecisionSetup setup;
    setup.request.command = command.toStdString();
    QCOMPARE(summary(decide(setup.request, *configuration, setup.facts)), expected);
}

void TstExemptions::time_limits_are_clamped_data()
{
    QTest::addColumn<int>("asked");
    QTest::addColumn<int>("given");
    QTest::addColumn<bool>("clamped");
    QTest::newRow("nothing asked") << 0 << 60 << false;
    QTest::newRow("asked") << 120 << 120 << false;
    QTest::newRow("the most") << 3600 << 3600 << false;
    QTest::newRow("milliseconds by mistake") << 180000 << 3600 << true;
}

void TstExemptions::time_limits_are_clamped()
{
    QFETCH(int, asked);
    QFETCH(int, given);
    QFETCH(bool, clamped);
    DecisionSetup setup;
    if (asked > 0)
        setup.request.timeoutSeconds = asked;
    const Decision decision = setup.decide("true");
    QCOMPARE(decision.timeoutSeconds, given);
    QCOMPARE(decision.timeoutClamped, clamped);
}

void TstExemptions::decisions_carry_the_digest_of_their_configuration()
{
    const DecisionSetup setup;
    QCOMPARE(setup.decide("true").configDigest, setup.configuration()->digest());
    DecisionSetup other;
    other.policyKeys = R"("on_dynamic": "deny")";
    QVERIFY(other.decide("true").configDigest != setup.decide("true").configDigest);
}

QTEST_APPLESS_MAIN(TstExemptions)
#include "tst_exemptions.moc"
