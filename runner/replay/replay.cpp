// SPDX-License-Identifier: Apache-2.0
#include "runner/replay/replay.h"

#include "runner/decision/decision_json.h"
#include "runner/record/secret_finder.h"

#include <algorithm>
#include <numeric>

namespace portcullis::replay {

namespace {

using decision::Decision;
using decision::ExecRequest;
using decision::HostFacts;
using policy::Configuration;

template <class E>
std::string nameOrNothing(const std::optional<E> &value)
{
    return value ? std::string(nameOf(*value)) : std::string();
}

/// What of a recorded command is decided again.
struct Subject {
    ExecRequest request;
    HostFacts recorded;
    HostFacts facts;
    const std::vector<Span> &masks;
};

bool touches(const std::vector<Span> &spans, const std::vector<Span> &masks)
{
    return std::ranges::any_of(spans, [&](const Span &span) {
        return std::ranges::any_of(
            masks, [&](const Span &mask) { return span.start < mask.end() && mask.start < span.end(); });
    });
}

/// Whether what was found stands on a mark: the text below it may say something else.
bool restsOnMark(const Decision &decision, const std::vector<Span> &masks)
{
    return !masks.empty() && std::ranges::any_of(decision.trace, [&](const decision::TraceEntry &entry) {
        return entry.outcome != CheckOutcome::Passed && touches(entry.spans, masks);
    });
}

/// A question that nobody asked then cannot make an answer stricter: a refusal stands without it, an allowance does
/// not.
bool lacksAnswer(const ExecRequest &request, const Configuration &configuration, const HostFacts &facts,
                 const Decision &decision, const decision::ReadCommands &read)
{
    return decision.verdict != Verdict::Deny
        && std::ranges::any_of(
               decision::questions(request, configuration, facts, read),
               [&](const decision::PathQuestion &question) { return !facts.answers.contains(question); });
}

Result<Decision, Obstacle> decideWith(const Subject &subject, const HostFacts &facts,
                                      const Configuration &configuration)
{
    const std::string &tenant = subject.request.tenant;
    if (!configuration.isKnown(tenant))
        return failure(Obstacle::TenantGone);
    if (configuration.isBroken(tenant))
        return failure(Obstacle::PolicyBroken);
    const decision::ReadCommands read = decision::readCommand(subject.request, configuration, facts);
    Decision decision = decision::decide(subject.request, configuration, facts, read);
    if (restsOnMark(decision, subject.masks))
        return failure(Obstacle::Masked);
    if (lacksAnswer(subject.request, configuration, facts, decision,
                    read)) // a path with a mark in it was not asked for
        return failure(subject.masks.empty() ? Obstacle::PathUnanswered : Obstacle::Masked);
    return decision;
}

/// A rule that does not match may have matched what is masked. A refusal stands all the same, and so does an answer of
/// the configuration that decided the original.
bool mayDependOnMark(const record::Event &event, const Decision &decision)
{
    const bool marked = !event.masks.empty() || (event.masked && event.command.contains(record::markStart));
    return marked && decision.verdict != Verdict::Deny && decision.configDigest != event.configDigest;
}

Result<Side, Obstacle> sideBy(const ConfigurationFor &configurationFor, const record::Event &event,
                              const Subject &subject, const HostFacts &facts)
{
    const auto configuration = configurationFor(event);
    if (!configuration)
        return failure(configuration.error());
    const auto decision = decideWith(subject, facts, **configuration);
    if (!decision)
        return failure(decision.error());
    if (mayDependOnMark(event, *decision))
        return failure(Obstacle::Masked);
    return sideOf(*decision);
}

/// Whether the configuration and the machine of then give another answer today. Where a secret was masked, it may have
/// been the secret that decided.
bool decidedOtherwiseToday(const Plan &plan, const record::Event &event, const Subject &subject)
{
    const auto today = plan.recorded ? sideBy(plan.recorded, event, subject, subject.recorded)
                                     : Result<Side, Obstacle>(failure(Obstacle::ConfigurationGone));
    return today && compare(recordedSide(event), *today) != Change::Unchanged;
}

Cause causeOf(const Plan &plan, const record::Event &event, const Subject &subject, const Side &before)
{
    if (plan.assume) {
        const auto asThen = sideBy(plan.against, event, subject, subject.recorded);
        if (asThen && compare(before, *asThen) == Change::Unchanged)
            return Cause::Host;
    }
    return !plan.baseline && decidedOtherwiseToday(plan, event, subject) ? Cause::Engine : Cause::Policy;
}

/// Fills both sides, or says why not.
std::optional<Obstacle> fill(Row &row, const Plan &plan)
{
    if (row.event.kind != record::Kind::Exec)
        return Obstacle::NoCommand;
    auto recorded = decision::readHostFacts(row.event.hostFactsJson);
    if (!recorded)
        return Obstacle::NoHostFacts;
    HostFacts facts = plan.assume ? plan.assume(*recorded) : *recorded;
    const Subject subject{requestOf(row.event), std::move(*recorded), std::move(facts), row.event.masks};
    if (row.event.masked && decidedOtherwiseToday(plan, row.event, subject))
        return Obstacle::Masked;
    const auto after = sideBy(plan.against, row.event, subject, subject.facts);
    if (!after)
        return after.error();
    if (plan.baseline) {
        const auto before = sideBy(plan.baseline, row.event, subject, subject.facts);
        if (!before)
            return before.error();
        row.before = *before;
    } else {
        row.before = recordedSide(row.event);
    }
    row.after = *after;
    row.change = compare(row.before, row.after);
    if (row.change != Change::Unchanged)
        row.cause = causeOf(plan, row.event, subject, row.before);
    return std::nullopt;
}

} // namespace

Side sideOf(const Decision &decision)
{
    return {
        decision.verdict, nameOrNothing(decision.check), nameOrNothing(decision.group), decision.rule, decision.title,
        decision.code,    decision.configDigest};
}

Side recordedSide(const record::Event &event)
{
    return {event.verdict, event.check, event.group, event.rule, event.title, event.code, event.configDigest};
}

Change compare(const Side &before, const Side &after)
{
    if (after.verdict != before.verdict)
        return after.verdict < before.verdict ? Change::Loosened : Change::Tightened;
    const bool sameReason =
        before.check == after.check && before.rule == after.rule && (!before.rule.empty() || before.code == after.code);
    return sameReason ? Change::Unchanged : Change::ChangedReason;
}

ExecRequest requestOf(const record::Event &event)
{
    ExecRequest request;
    request.id = event.id;
    request.command = event.command;
    request.tenant = event.tenant;
    request.agent = event.agent;
    request.session = event.session;
    request.parent = event.parent;
    request.origin = event.origin;
    request.cwd = event.cwd;
    request.timeoutSeconds = event.timeoutSeconds;
    request.sandbox = event.sandbox;
    request.shell = event.shellAsked;
    request.wantsStdin = event.wantsStdin;
    request.timeUs = event.timeUs;
    return request;
}

Row replay(record::Event event, const Plan &plan)
{
    Row row;
    row.event = std::move(event);
    row.obstacle = fill(row, plan);
    return row;
}

void Totals::add(const Row &row)
{
    ++replayed;
    oldestUs = oldestUs == 0 ? row.event.timeUs : std::min(oldestUs, row.event.timeUs);
    newestUs = std::max(newestUs, row.event.timeUs);
    if (row.obstacle) {
        ++obstacles[*row.obstacle];
        return;
    }
    ++changes.at(static_cast<std::size_t>(row.change));
    ++matrix.at(static_cast<std::size_t>(row.before.verdict)).at(static_cast<std::size_t>(row.after.verdict));
    if (row.change != Change::Unchanged) {
        byHost += row.cause == Cause::Host ? 1 : 0;
        byEngine += row.cause == Cause::Engine ? 1 : 0;
    }
    digestsBefore.insert(row.before.configDigest);
    digestsAfter.insert(row.after.configDigest);
}

std::int64_t Totals::notReplayable() const
{
    return std::accumulate(obstacles.begin(), obstacles.end(), std::int64_t{0},
                           [](std::int64_t sum, const auto &each) { return sum + each.second; });
}

} // namespace portcullis::replay
