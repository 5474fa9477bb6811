// SPDX-License-Identifier: Apache-2.0
#include "runner/service/exec_event.h"

#include "runner/base/slog.h"
#include "runner/base/utf8.h"
#include "runner/decision/command_words.h"
#include "runner/decision/decision_json.h"
#include "runner/record/masking.h"

#include <algorithm>
#include <array>
#include <format>

namespace portcullis::service {
namespace {

using decision::Decision;
using decision::ExecRequest;

/// As much of a command as a log line carries; goclaw cuts its attribute at the same length.
constexpr std::size_t prefixBytes = 80;

template <class Range, class Name>
std::string joined(const Range &range, Name name)
{
    std::string out;
    for (const auto &each : range)
        out += (out.empty() ? "" : ",") + std::string(name(each));
    return out;
}

const decision::TraceEntry *decisiveEntry(const Decision &decision)
{
    const auto it = std::ranges::find_if(decision.trace, [&](const decision::TraceEntry &entry) {
        return entry.outcome == CheckOutcome::Decided && decision.check == entry.check && entry.rule == decision.rule
            && entry.verdict == decision.verdict;
    });
    return it == decision.trace.end() ? nullptr : &*it;
}

void describeRequest(record::Event &event, const ExecRequest &request)
{
    event.id = request.id;
    event.timeUs = request.timeUs;
    event.tenant = request.tenant;
    event.agent = request.agent;
    event.session = request.session;
    event.parent = request.parent;
    event.origin = request.origin;
    event.command = request.command;
    event.timeoutSeconds = request.timeoutSeconds;
    event.sandbox = request.sandbox;
    event.shellAsked = request.shell;
    event.wantsStdin = request.wantsStdin;
}

void describeDecision(record::Event &event, const Decision &decision)
{
    event.cwd = decision.cwd;
    event.shell = nameOf(decision.dialect);
    event.verdict = decision.verdict;
    if (decision.check)
        event.check = nameOf(*decision.check);
    if (decision.group)
        event.group = nameOf(*decision.group);
    event.rule = decision.rule;
    event.title = decision.title;
    event.code = decision.code;
    event.reason = decision.reason;
    event.advice = decision.advice;
    event.blockersJson = decision::blockersJson(decision.blockers);
    event.traceJson = decision::traceJson(decision.trace, record::maxTraceBytes);
    if (const decision::TraceEntry *entry = decisiveEntry(decision))
        event.spans = entry->spans;
    event.wouldDeny = decision.wouldDeny;
    event.obfuscated = decision.obfuscated;
    event.dynamic = joined(decision.dynamic, [](DynamicReason reason) { return nameOf(reason); });
    event.mode = nameOf(decision.hostPolicy);
    event.backend = nameOf(decision.backend);
    event.level = decision.levelKnown ? nameOf(decision.level) : std::string_view();
    event.missing = joined(decision.missing, [](const std::string &what) { return what; });
    event.configDigest = decision.configDigest;
}

} // namespace

record::Event execEvent(const ExecRequest &request, const Decision &decision, const decision::HostFacts &facts,
                        const std::string &gateway, const std::string &runner, const decision::ReadCommands &read)
{
    record::Event event;
    describeRequest(event, request);
    decision::CommandWords words = decision::commandWords(request, read);
    event.normalised = std::move(words.normalised);
    event.argv = std::move(words.argv);
    describeDecision(event, decision);
    event.outcome = decision.verdict == Verdict::Allow ? Outcome::Running : Outcome::NotStarted;
    if (event.outcome == Outcome::Running)
        event.detailJson = std::format(R"({{"limit_seconds":{}}})", decision.timeoutSeconds);
    event.gateway = gateway;
    event.runner = runner;
    event.engine = PORTCULLIS_VERSION;
    event.hostFactsJson = decision::hostFactsJson(facts);
    // Not masked here: the writer does it, and keeps the secrets for the output that comes later.
    return event;
}

std::vector<std::string> securityEvents(const ExecRequest &request, const Decision &decision)
{
    if (decision.verdict != Verdict::Deny && !decision.wouldDeny)
        return {};
    // Secrets do not belong into a log either.
    record::Event masked;
    masked.command = request.command;
    masked.shell = nameOf(decision.dialect);
    record::maskSecrets(masked);
    const std::string prefix(utf8Head(masked.command, prefixBytes));
    const std::string group = decision.group ? std::string(nameOf(*decision.group)) : std::string();
    const std::string check = decision.check ? std::string(nameOf(*decision.check)) : std::string();

    std::vector<std::string> lines;
    const auto add = [&](std::string_view message, std::initializer_list<LogAttribute> more) {
        std::vector<LogAttribute> attributes{{"agent_id", request.agent}, {"tenant_id", request.tenant}};
        attributes.insert(attributes.end(), more);
        attributes.emplace_back("command_prefix", prefix);
        attributes.emplace_back("id", request.id);
        lines.push_back(slogLine(request.timeUs, LogLevel::Warn, message, attributes));
    };
    if (decision.verdict == Verdict::Deny && decision.check == Check::Backend)
        add("security.sandbox_unavailable", {});
    if (decision.verdict == Verdict::Deny)
        add("security.exec_denied", {{"check", check}, {"group", group}, {"rule", decision.rule}});
    if (decision.wouldDeny && decision.verdict == Verdict::Allow)
        add("security.exec_tenant_host_would_deny", {{"host_policy", nameOf(decision.hostPolicy)}});
    return lines;
}

} // namespace portcullis::service
