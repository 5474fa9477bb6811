// SPDX-License-Identifier: Apache-2.0
#include "runner/replay/recorded_decision.h"

#include "runner/decision/decision_json.h"

#include <algorithm>
#include <string_view>

namespace portcullis::replay {

namespace {

/// Calls `each` for every part of a list joined by commas.
template <class F>
void forEachPart(std::string_view list, F each)
{
    while (!list.empty()) {
        const std::size_t comma = std::min(list.find(','), list.size());
        if (comma > 0)
            each(list.substr(0, comma));
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
}

template <class E>
void take(E &into, std::string_view name)
{
    if (const std::optional<E> value = fromName<E>(name))
        into = *value;
}

/// What the decisive entry was about: the row keeps it in the trace only.
std::string detailOf(const decision::Decision &decision)
{
    const auto found = std::ranges::find_if(decision.trace, [&](const decision::TraceEntry &entry) {
        return entry.outcome == CheckOutcome::Decided && decision.check == entry.check && entry.rule == decision.rule;
    });
    return found == decision.trace.end() ? std::string() : found->detail;
}

} // namespace

decision::Decision recordedDecision(const record::Event &event)
{
    decision::Decision decision;
    decision.verdict = event.verdict;
    decision.check = fromName<Check>(event.check);
    decision.group = fromName<Group>(event.group);
    decision.rule = event.rule;
    decision.title = event.title;
    decision.code = event.code;
    decision.reason = event.reason;
    decision.advice = event.advice;
    decision.blockers = decision::readBlockers(event.blockersJson).value_or(std::vector<decision::Blocker>{});
    decision.trace = decision::readTrace(event.traceJson).value_or(std::vector<decision::TraceEntry>{});
    decision.detail = detailOf(decision);
    forEachPart(event.dynamic, [&](std::string_view name) {
        if (const auto reason = fromName<DynamicReason>(name))
            decision.dynamic.push_back(*reason);
    });
    forEachPart(event.missing, [&](std::string_view what) { decision.missing.emplace_back(what); });
    take(decision.backend, event.backend);
    take(decision.level, event.level);
    decision.levelKnown = !event.missing.starts_with("unknown:");
    take(decision.hostPolicy, event.mode);
    take(decision.dialect, event.shell);
    decision.wouldDeny = event.wouldDeny;
    decision.obfuscated = event.obfuscated;
    decision.cwd = event.cwd;
    decision.timeoutSeconds = event.timeoutSeconds.value_or(decision.timeoutSeconds);
    decision.configDigest = event.configDigest;
    return decision;
}

} // namespace portcullis::replay
