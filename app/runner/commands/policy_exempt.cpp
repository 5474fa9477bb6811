// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_command.h"
#include "app/runner/commands/policy_exempt_words.h"
#include "app/runner/load_options.h"
#include "runner/audit/audit_writer.h"
#include "runner/base/utf8.h"
#include "runner/base/uuid.h"
#include "runner/config/json5.h"
#include "runner/decision/decision_json.h"
#include "runner/policy/policy_edit.h"
#include "runner/policy/tenant_policy.h"
#include "runner/resources/policy_writer.h"
#include "runner/resources/trusted_file.h"
#include "runner/service/engine.h"
#include "ui/text/problem_text.h"

#include <algorithm>
#include <charconv>
#include <pwd.h>
#include <unistd.h>

namespace portcullis::cli {
namespace {

using policy::Exemption;

struct Failure {
    Exit exit = Exit::Internal;
    std::string words;
};

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

/// Who makes the change: the person behind sudo, else the user of this process.
std::string personName()
{
    const char *behindSudo = ::geteuid() == 0 ? ::secure_getenv("SUDO_USER") : nullptr;
    const struct passwd *entry = ::getpwuid(::getuid());
    std::string name = behindSudo ? behindSudo : entry && entry->pw_name ? entry->pw_name : std::to_string(::getuid());
    return firstInvalidUtf8(name) == std::string::npos && !name.empty() ? name : std::to_string(::getuid());
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
std::optional<Failure> objection(const record::Event &event)
{
    const std::optional<Check> check = fromName<Check>(event.check);
    if (event.kind != record::Kind::Exec || event.verdict == Verdict::Allow || !check)
        return Failure{Exit::BadInput, "this row is no refusal"};
    if (!policy::isExemptable(*check) || event.rule.empty())
        return Failure{Exit::BadInput,
                       "no exemption can answer this refusal (" + event.check + "): " + helpFor(*check)};
    const bool inCommand = !event.masks.empty() || event.command.find('\0') != std::string::npos;
    if (inCommand || firstInvalidUtf8(event.command) != std::string::npos)
        return Failure{Exit::BadInput,
                       "the recorded command is not the exact one (a secret in it was masked, or it is not "
                       "text); write the exemption by hand, with program and args"};
    return std::nullopt;
}

/// The edit as a whole, before anything is written.
struct Change {
    std::string path;
    std::optional<std::string> before;
    std::string after;
    Exemption exemption;
    std::shared_ptr<const policy::Configuration> configuration; ///< with the change
};

Result<Change, Failure> readBefore(const policy::Configuration &configuration, const std::string &tenant)
{
    Change change;
    change.path = configuration.paths().policiesDir + '/' + tenant + ".json";
    auto text = resources::readTrustedFile(change.path, resources::maxPolicyBytes);
    if (text)
        change.before = std::move(text->text);
    else if (text.error().code != "not_found")
        return failure(Failure{Exit::Configuration, text::problemLine(text.error()).toStdString()});
    return change;
}

/// Loads everything with the new text, so that a policy is never written that would not load.
Result<void, Failure> loadWith(const Arguments &arguments, const std::string &tenant, Change &change)
{
    auto input = resources::readInput(loadOptions(arguments));
    if (!input)
        return failure(Failure{Exit::Configuration, text::problemLines(input.error())});
    std::erase_if(input->policies, [&](const policy::NamedText &text) { return text.path == change.path; });
    input->policies.push_back({change.path, change.after, tenant});
    auto loaded = policy::Configuration::load(*input);
    if (!loaded)
        return failure(Failure{Exit::Configuration, text::problemLines(loaded.error())});
    if ((*loaded)->isBroken(tenant))
        return failure(Failure{Exit::Configuration, text::problemLines((*loaded)->problems())});
    change.configuration = *loaded;
    return {};
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

Result<Change, Failure> prepare(CommandContext &context, const record::Event &event, std::int64_t expires,
                                const std::string &reason)
{
    if (std::optional<Failure> no = objection(event))
        return failure(std::move(*no));
    const auto configuration = context.configuration();
    if (!configuration)
        return failure(Failure{Exit::Configuration, {}});
    if (!configuration->isKnown(event.tenant) || configuration->isBroken(event.tenant))
        return failure(
            Failure{Exit::Configuration, "the tenant \"" + event.tenant + "\" is unknown or its policy does not load"});
    auto change = readBefore(*configuration, event.tenant);
    if (!change)
        return change;
    change->exemption = exemptionFor(event, configuration->effective(event.tenant, event.agent), expires, reason);
    auto edited = policy::addExemption(change->before.value_or(policy::emptyPolicy(event.tenant)), change->exemption);
    if (!edited)
        return failure(Failure{Exit::Configuration,
                               "the policy cannot be edited without losing something; add the exemption by hand:\n"
                                   + policy::exemptionText(change->exemption, "\n", {})});
    change->after = std::move(*edited);
    if (auto loaded = loadWith(context.arguments(), event.tenant, *change); !loaded)
        return failure(std::move(loaded.error()));
    return change;
}

/// What the recorded request would get with the change.
decision::Decision decideAgain(CommandContext &context, const record::Event &event,
                               const policy::Configuration &configuration)
{
    decision::ExecRequest request;
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
    request.timeUs = CommandContext::nowUs();
    decision::HostFacts facts = context.hostFacts();
    facts.answers = context.answer(decision::questions(request, configuration, facts));
    return decision::decide(request, configuration, facts);
}

/// The change itself is a row of the record. A record that cannot be written is said, the change stays.
void recordEdit(CommandContext &context, const Change &change, const record::Event &refusal)
{
    auto writer = audit::AuditWriter::open({.path = context.auditDb()});
    record::Event event;
    event.id = service::newRequestId();
    event.kind = record::Kind::Edit;
    event.timeUs = CommandContext::nowUs();
    event.gateway = refusal.gateway;
    event.tenant = refusal.tenant;
    event.agent = refusal.agent;
    event.origin = Origin::Operator;
    event.parent = refusal.id;
    event.verdict = Verdict::Allow;
    event.reason = change.exemption.reason;
    event.configDigest = change.configuration->digest();
    event.engine = PORTCULLIS_VERSION;
    event.detailJson = "{\"file\":" + config::quoteJson(change.path) + ",\"by\":"
        + config::quoteJson(change.exemption.by) + ",\"exemption\":" + config::quoteJson(change.exemption.id) + "}";
    if (!writer || !(*writer)->append(event))
        context.err("policy: warning: the change could not be recorded\n");
}

int fail(CommandContext &context, const Failure &failure)
{
    if (!failure.words.empty())
        context.err("policy: " + failure.words + (failure.words.ends_with('\n') ? "" : "\n"));
    return code(failure.exit);
}

int carryOut(CommandContext &context, const Change &change, const record::Event &event)
{
    const bool dryRun = context.arguments().has("dry-run");
    if (!dryRun) {
        if (const auto written = resources::writePolicy(change.path, change.before, change.after); !written)
            return fail(context, {Exit::Configuration, writeFailure(written.error())});
        recordEdit(context, change, event);
    }
    const decision::Decision now = decideAgain(context, event, *change.configuration);
    context.out(context.arguments().has("json") ? exemptJson(change.path, change.exemption, now, dryRun)
                                                : exemptLines(change.path, change.before.value_or(std::string()),
                                                              change.after, change.exemption, now, dryRun));
    return code(Exit::Ok);
}

} // namespace

int policyExempt(CommandContext &context, const FindEvent &findEvent)
{
    const Arguments &arguments = context.arguments();
    const std::string message = arguments.value("message").value_or(std::string());
    const std::optional<std::int64_t> expires =
        expiryUs(arguments.value("expires").value_or("8h"), CommandContext::nowUs());
    if (arguments.operands.size() != 2)
        return fail(context, {Exit::Usage, "usage: policy exempt ID --message TEXT [--expires 8h] [--dry-run]"});
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
