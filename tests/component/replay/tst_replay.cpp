// SPDX-License-Identifier: Apache-2.0

// Recorded commands decided again: what is compared, and what is honestly not.

#include "runner/record/masking.h"
#include "runner/replay/replay.h"
#include "runner/service/exec_event.h"
#include "tests/support/decision_setup.h"

#include <QTest>

using namespace portcullis;
using replay::Cause;
using replay::Change;
using replay::Obstacle;

namespace {

using Configured = std::shared_ptr<const policy::Configuration>;

constexpr const char *sudoRule = "{id: 'sudo', group: 'privilege_escalation', title: 'Sudo', reason: 'r', advice: 'a', "
                                 "program: ['sudo'], match: ['sudo id'], not_match: ['id']}";
replay::ConfigurationFor always(Configured configuration)
{
    return [configuration](const record::Event &) -> Result<Configured, Obstacle> { return configuration; };
}

replay::ConfigurationFor none(Obstacle obstacle)
{
    return [obstacle](const record::Event &) -> Result<Configured, Obstacle> { return failure(obstacle); };
}

/// The event of a command as the engine records it, with this setup.
record::Event recorded(const test::DecisionSetup &setup, const std::string &command)
{
    decision::ExecRequest request = setup.request;
    request.id = "01a22d55-cbe9-7000-8c30-0f3498861c6e";
    request.command = command;
    decision::HostFacts facts = setup.facts;
    const Configured configuration = setup.configuration();
    for (const decision::PathQuestion &question : decision::questions(request, *configuration, facts))
        facts.answers.emplace(question, question.path); // no links anywhere
    const decision::Decision decision = decision::decide(request, *configuration, facts);
    record::Event event = service::execEvent(request, decision, facts, "gw", "1:1");
    record::maskSecrets(event);
    return event;
}

test::DecisionSetup withSudoRule()
{
    test::DecisionSetup setup;
    setup.rules = sudoRule;
    return setup;
}

} // namespace

class TstReplay : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_same_configuration_gives_the_same_answer()
    {
        const test::DecisionSetup setup = withSudoRule();
        for (const char *command : {"sudo id", "echo hi", "cat /srv/gateway/workspace/tenants/globex/x"}) {
            const replay::Row row =
                replay::replay(recorded(setup, command), {.against = always(setup.configuration())});
            QVERIFY2(!row.obstacle, command);
            QVERIFY2(row.change == Change::Unchanged, command);
            QCOMPARE(row.before.configDigest, row.after.configDigest);
        }
    }

    void a_policy_that_lets_through_what_was_refused_loosens()
    {
        const test::DecisionSetup then = withSudoRule();
        test::DecisionSetup now = then;
        now.policyKeys = "deny_groups: {privilege_escalation: false}";
        const replay::Row row = replay::replay(recorded(then, "sudo id"), {.against = always(now.configuration())});
        QVERIFY(!row.obstacle);
        QCOMPARE(row.change, Change::Loosened);
        QCOMPARE(row.cause, Cause::Policy);
        QCOMPARE(row.before.rule, "sudo");
        QCOMPARE(row.after.verdict, Verdict::Allow);
    }

    void a_policy_that_refuses_what_ran_tightens_and_another_rule_is_another_reason()
    {
        const test::DecisionSetup then = withSudoRule();
        test::DecisionSetup now = then;
        now.policyKeys = "host_policy: 'deny'";
        const replay::Plan plan{.against = always(now.configuration())};
        QCOMPARE(replay::replay(recorded(then, "echo hi"), plan).change, Change::Tightened);

        test::DecisionSetup renamed = then;
        renamed.rules = QByteArray(sudoRule).replace("id: 'sudo'", "id: 'become-root'").toStdString();
        const replay::Row row = replay::replay(recorded(then, "sudo id"), {.against = always(renamed.configuration())});
        QCOMPARE(row.change, Change::ChangedReason);
    }

    void a_change_that_comes_from_the_assumed_host_says_so()
    {
        test::DecisionSetup setup;
        setup.policyKeys = "confinement: 'required'";
        const replay::Plan plan{.against = always(setup.configuration()), .assume = [](decision::HostFacts facts) {
                                    facts.landlockAbi = 0;
                                    return facts;
                                }};
        const replay::Row row = replay::replay(recorded(setup, "echo hi"), plan);
        QCOMPARE(row.change, Change::Tightened);
        QCOMPARE(row.cause, Cause::Host);
    }

    void a_stored_verdict_that_this_version_would_not_give_again_says_so()
    {
        const test::DecisionSetup setup = withSudoRule();
        record::Event event = recorded(setup, "echo hi");
        event.verdict = Verdict::Deny; // an older version refused it
        event.check = "deny_rules";
        event.rule = "old-rule";
        const replay::Plan plan{.against = always(setup.configuration()), .recorded = always(setup.configuration())};
        const replay::Row row = replay::replay(event, plan);
        QCOMPARE(row.change, Change::Loosened);
        QCOMPARE(row.cause, Cause::Engine);
    }

    void two_configurations_are_compared_whatever_the_record_says()
    {
        const test::DecisionSetup then = withSudoRule();
        test::DecisionSetup loose = then;
        loose.policyKeys = "deny_groups: {privilege_escalation: false}";
        const replay::Plan plan{.against = always(then.configuration()), .baseline = always(loose.configuration())};
        const replay::Row row = replay::replay(recorded(then, "sudo id"), plan);
        QCOMPARE(row.before.verdict, Verdict::Allow);
        QCOMPARE(row.change, Change::Tightened);
    }

    void exemptions_are_asked_at_the_time_of_the_command()
    {
        const test::DecisionSetup then = withSudoRule();
        test::DecisionSetup now = then;
        now.policyKeys = "exemptions: [{id: 'e1', rule: 'sudo', command: 'sudo id', expires: '2027-01-16T00:00:00Z', "
                         "reason: 'r', by: 'op'}]";
        // DecisionSetup asks on 2027-01-15.
        QCOMPARE(replay::replay(recorded(then, "sudo id"), {.against = always(now.configuration())}).change,
                 Change::Loosened);
        record::Event later = recorded(then, "sudo id");
        later.timeUs += 3LL * 24 * 3600 * 1'000'000;
        QCOMPARE(replay::replay(later, {.against = always(now.configuration())}).change, Change::Unchanged);
    }

    void what_cannot_be_decided_again_says_why()
    {
        const test::DecisionSetup setup = withSudoRule();
        const record::Event event = recorded(setup, "sudo id");
        const replay::Plan plan{.against = always(setup.configuration())};

        record::Event edit = event;
        edit.kind = record::Kind::Edit;
        QCOMPARE(replay::replay(edit, plan).obstacle, Obstacle::NoCommand);
        record::Event blind = event;
        blind.hostFactsJson.clear();
        QCOMPARE(replay::replay(blind, plan).obstacle, Obstacle::NoHostFacts);
        record::Event gone = event;
        gone.tenant = "initech";
        QCOMPARE(replay::replay(gone, plan).obstacle, Obstacle::TenantGone);
        test::DecisionSetup broken = setup;
        broken.policyKeys = "deny_groups: {no_such_group: true}";
        QCOMPARE(replay::replay(event, {.against = always(broken.configuration())}).obstacle, Obstacle::PolicyBroken);
        QCOMPARE(replay::replay(event, {.against = none(Obstacle::ConfigurationGone)}).obstacle,
                 Obstacle::ConfigurationGone);
    }

    void a_path_that_nobody_looked_up_makes_an_allowance_not_replayable_but_no_refusal()
    {
        test::DecisionSetup setup = withSudoRule();
        record::Event event = recorded(setup, "cat notes.txt");
        QCOMPARE(event.verdict, Verdict::Allow);
        event.hostFactsJson = recorded(setup, "echo hi").hostFactsJson;
        const replay::Plan plan{.against = always(setup.configuration())};
        QCOMPARE(replay::replay(event, plan).obstacle, Obstacle::PathUnanswered);

        record::Event refused = recorded(setup, "sudo cat notes.txt");
        refused.hostFactsJson = event.hostFactsJson;
        const replay::Row row = replay::replay(refused, plan);
        QVERIFY(!row.obstacle);
        QCOMPARE(row.change, Change::Unchanged);
    }

    void a_masked_secret_makes_a_command_not_replayable_only_where_the_decision_looks_at_it()
    {
        test::DecisionSetup setup = withSudoRule();
        const record::Event plain = recorded(setup, "sudo PASSWORD=hunter2secret id");
        QVERIFY(plain.masked && !plain.command.contains("hunter2secret"));
        const replay::Plan plan{.against = always(setup.configuration()), .recorded = always(setup.configuration())};
        const replay::Row row = replay::replay(plain, plan);
        QVERIFY(!row.obstacle);
        QCOMPARE(row.change, Change::Unchanged);

        // The verdict of then came from the text that is masked now.
        record::Event event = recorded(setup, "echo PASSWORD=hunter2secret");
        QVERIFY(event.masked);
        event.verdict = Verdict::Deny;
        event.check = "deny_rules";
        event.rule = "token";
        QCOMPARE(replay::replay(event, plan).obstacle, Obstacle::Masked);
    }

    void what_is_masked_may_be_what_a_new_rule_looks_for()
    {
        const test::DecisionSetup then;
        test::DecisionSetup now = then;
        now.rules =
            "{id: 'token', group: 'data_exfiltration', title: 'Token', reason: 'r', advice: 'a', program: ['curl'], "
            "words: ['hunter2'], match: ['curl hunter2'], not_match: ['curl x']}";
        const record::Event event = recorded(then, "curl -u op:hunter2secret https://x.example/");
        QVERIFY(!event.masks.empty());
        QCOMPARE(replay::replay(event, {.against = always(now.configuration())}).obstacle, Obstacle::Masked);
        // A refusal stands whatever the secret is, and so does what the same configuration says.
        QVERIFY(!replay::replay(event, {.against = always(then.configuration())}).obstacle);
        test::DecisionSetup refusing = then;
        refusing.policyKeys = "host_policy: 'deny'";
        const replay::Row row = replay::replay(event, {.against = always(refusing.configuration())});
        QVERIFY(!row.obstacle);
        QCOMPARE(row.change, Change::Tightened);
    }

    void totals_count_every_row_once()
    {
        const test::DecisionSetup then = withSudoRule();
        test::DecisionSetup now = then;
        now.policyKeys = "deny_groups: {privilege_escalation: false}";
        const replay::Plan plan{.against = always(now.configuration())};
        replay::Totals totals;
        for (const char *command : {"sudo id", "echo hi", "sudo true"})
            totals.add(replay::replay(recorded(then, command), plan));
        record::Event gone = recorded(then, "echo hi");
        gone.tenant = "initech";
        totals.add(replay::replay(gone, plan));

        QCOMPARE(totals.replayed, 4);
        QCOMPARE(totals.of(Change::Loosened), 2);
        QCOMPARE(totals.of(Change::Unchanged), 1);
        QCOMPARE(totals.notReplayable(), 1);
        QCOMPARE(totals.matrix[2][0], 2); // deny→allow
        QCOMPARE(totals.matrix[0][0], 1);
        QCOMPARE(totals.digestsBefore.size(), 1U);
        QCOMPARE(totals.digestsAfter.size(), 1U);
    }
};

QTEST_GUILESS_MAIN(TstReplay)
#include "tst_replay.moc"
