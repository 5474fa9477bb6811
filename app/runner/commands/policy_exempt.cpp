// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_change.h"
#include "app/runner/commands/policy_command.h"
#include "app/runner/commands/policy_exempt_words.h"
#include "app/runner/commands/policy_exemptions.h"
#include "runner/base/utf8.h"
#include "runner/base/uuid.h"
#include "runner/decision/decision_json.h"
#include "runner/policy/policy_edit.h"
#include "runner/policy/tenant_policy.h"
#include "runner/replay/replay.h"

#include <algorithm>
#include <charconv>

namespace portcullis::cli {
namespace {

using policy::Exemption;

/// `30m`, `8h`, `2d` from now, or a time with its zone; microseconds.
std::optional<std::int64_t> expiryUs(std::string_view text, std::int64_t nowUs)
{
    if (const std::optional<std::int64_t> time = policy::parseTime(text))
        return *time > nowUs ? time : std::nullopt;
    constexpr std::int64_t second = 1'000'000;
    std::int64_t number = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    const std::string_view unit(parsed.ptr, static_cast<std::size_t>(text.data() + text.size() - parsed.ptr));
    const std::int64_t factor = unit == "m" ? 60 : unit == "h" ? 3600 : unit == "d" ? 86400 : 0;
    constexpr std::int64_t longest = 3660; // ten years in days, in any unit: no overflow
    if (parsed.ec != std::errc() || factor == 0 || number < 1 || number > longest * 86400 / factor)
        return std::nullopt;
    return nowUs + number * factor * second;
}

/// A name that no other exemption of the tenant has.
std::string freshId(const record::Event &event, const policy::Effective &effective)
{
    const std::string base = event.rule + '-' + std::string(shortId(event.id));
    std::string id = base;
    for (int n = 2; std::ranges::contains(effective.exemptions, id, &Exemption::id); ++n)
        id = base + '-' + std::to_string(n);
    return id;
}

/// Why this row gives no exemption, or nothing.
std::optional<ChangeFailure> objection(const record::Event &event)
{
    const std::optional<Check> check = fromName<Check>(event.check);
    if (event.kind != record::Kind::Exec || event.verdict == Verdict::Allow || !check)
        return ChangeFailure{Exit::BadInput, "this row is no refusal"};
    if (!policy::isExemptable(*check) || event.rule.empty())
        return ChangeFailure{Exit::BadInput,
                             "no exemption can answer this refusal (" + event.check + "): " + helpFor(*check)};
    const bool inCommand = !event.masks.empty() || event.command.find('\0') != std::string::npos;
    if (inCommand || firstInvalidUtf8(event.command) != std::string::npos)
        return ChangeFailure{Exit::BadInput,
                             "the recorded command is not the exact one (a secret in it was masked, or it is not "
                             "text); write the exemption by hand, with program and args"};
    return std::nullopt;
}

struct Change {
    PolicyChange policy;
    Exemption exemption;
    bool present = false; ///< such an exemption is in force already: nothing to write
};

/// An exemption in force that lets exactly this command of this agent through the same rule.
const Exemption *presentFor(const record::Event &event, const policy::Effective &effective, std::int64_t nowUs)
{
    const auto found = std::ranges::find_if(effective.exemptions, [&](const Exemption &each) {
        return nameOf(each.check) == event.check && each.rule == event.rule && each.command == event.command
            && each.agent == event.agent && each.cwd.empty() && (!each.expiresUs || *each.expiresUs > nowUs);
    });
    return found == effective.exemptions.end() ? nullptr : &*found;
}

Exemption exemptionFor(const record::Event &event, const policy::Effective &effective, std::int64_t expires,
                       const std::string &reason)
{
    Exemption out;
    out.id = freshId(event, effective);
    out.check = fromName<Check>(event.check).value_or(Check::DenyRules);
    out.rule = event.rule;
    out.command = event.command;
    out.agent = event.agent;
    out.expiresUs = expires;
    out.reason = reason;
    out.by = personName();
    return out;
}

Result<Change, ChangeFailure> prepare(CommandContext &context, const record::Event &event, std::int64_t expires,
                                      const std::string &reason)
{
    if (std::optional<ChangeFailure> no = objection(event))
        return failure(std::move(*no));
    const auto configuration = context.configuration();
    if (!configuration)
        return failure(ChangeFailure{Exit::Configuration, {}});
    if (!configuration->isKnown(event.tenant) || configuration->isBroken(event.tenant)) {
        if (configuration->isKnown(event.tenant))
            context.err("policy: the policy of \"" + event.tenant + "\" does not load, so nothing was changed:\n");
        context.reportTenant(event.tenant);
        return failure(ChangeFailure{Exit::Configuration, {}});
    }
    const policy::Effective effective = configuration->effective(event.tenant, event.agent);
    if (const Exemption *present = presentFor(event, effective, CommandContext::nowUs())) {
        PolicyChange none;
        none.path = present->source.file;
        none.configuration = configuration;
        return Change{none, *present, true};
    }
    auto before = readBefore(*configuration, event.tenant);
    if (!before)
        return failure(std::move(before.error()));
    Change change{std::move(*before), exemptionFor(event, effective, expires, reason), false};
    auto edited =
        policy::addExemption(change.policy.before.value_or(policy::emptyPolicy(event.tenant)), change.exemption);
    if (!edited)
        return failure(
            ChangeFailure{Exit::Configuration,
                          "the policy cannot be edited without losing something; add the exemption by hand:\n"
                              + policy::exemptionText(change.exemption, "\n", {})});
    change.policy.after = std::move(*edited);
    if (auto loaded = loadWith(context.arguments(), change.policy); !loaded)
        return failure(std::move(loaded.error()));
    return change;
}

/// What the recorded request would get with the change.
decision::Decision decideAgain(CommandContext &context, const record::Event &event,
                               const policy::Configuration &configuration)
{
    decision::ExecRequest request = replay::requestOf(event);
    request.timeUs = CommandContext::nowUs();
    decision::HostFacts facts = context.hostFacts();
    const decision::ReadCommands read = decision::readCommand(request, configuration, facts);
    facts.answers = context.answer(decision::questions(request, configuration, facts, read));
    return decision::decide(request, configuration, facts, read);
}

int carryOut(CommandContext &context, const Change &change, const record::Event &event)
{
    const bool dryRun = context.arguments().has("dry-run");
    const bool writes = !dryRun && !change.present;
    if (writes) {
        const auto applied = applyEdit(context, change.policy,
                                       {addExemptionAction, change.exemption, change.exemption.reason,
                                        change.exemption.by, event.id, event.gateway});
        if (!applied)
            return fail(context, applied.error());
    }
    const decision::Decision now = decideAgain(context, event, *change.policy.configuration);
    if (context.arguments().has("json"))
        context.out(exemptJson(change.policy.path, change.exemption, now, !writes));
    else if (change.present)
        context.out(presentLines(change.exemption, now));
    else
        context.out(exemptLines(change.policy.path, change.policy.before.value_or(std::string()), change.policy.after,
                                change.exemption, now, dryRun));
    return code(Exit::Ok);
}

} // namespace

int policyExempt(CommandContext &context, const FindEvent &findEvent)
{
    const Arguments &arguments = context.arguments();
    if (arguments.has("remove"))
        return removeExemption(context);
    const std::string message = arguments.value("message").value_or(std::string());
    const std::optional<std::int64_t> expires =
        expiryUs(arguments.value("expires").value_or("8h"), CommandContext::nowUs());
    if (arguments.operands.size() != 2)
        return fail(context,
                    {Exit::Usage,
                     "usage: policy exempt ID --message TEXT [--expires 8h] [--dry-run], or policy exempt --remove "
                     "EXEMPTION [--message TEXT] [--tenant SLUG] [--dry-run]"});
    if (message.empty() || firstInvalidUtf8(message) != std::string::npos)
        return fail(context, {Exit::Usage, "--message says why, for those who read the policy later"});
    if (!expires)
        return fail(context, {Exit::Usage, "--expires takes 30m, 8h, 2d or a later time such as 2026-12-01T08:00:00Z"});
    const auto event = findEvent(context, arguments.operands[1]);
    if (!event)
        return code(event.error());
    const auto change = prepare(context, *event, *expires, message);
    return change ? carryOut(context, *change, *event) : fail(context, change.error());
}

} // namespace portcullis::cli
