// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/policy_exemptions.h"

#include "app/runner/commands/policy_change.h"
#include "app/runner/commands/policy_exempt_words.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"
#include "runner/policy/policy_edit.h"
#include "runner/policy/tenant_policy.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <algorithm>
#include <format>

namespace portcullis::cli {
namespace {

using config::quoteJson;
using policy::Exemption;

struct Entry {
    std::string tenant;
    Exemption exemption;
};

/// The exemptions of one tenant or, for an empty name, of all whose policies load.
std::vector<Entry> entriesOf(const policy::Configuration &configuration, const std::string &tenant)
{
    std::vector<Entry> out;
    for (const std::string &slug : configuration.tenants()) {
        if ((!tenant.empty() && slug != tenant) || configuration.isBroken(slug))
            continue;
        for (const Exemption &exemption : configuration.effective(slug, "main").exemptions)
            out.push_back({slug, exemption});
    }
    return out;
}

/// What it lets through.
std::string subjectOf(const Exemption &exemption)
{
    std::string out = exemption.command.empty() ? exemption.program : exemption.command;
    for (const std::string &arg : exemption.args)
        out += ' ' + arg;
    return out;
}

std::string show(std::string_view text)
{
    return text::visibleText(text).toStdString();
}

bool isOver(const Exemption &exemption, std::int64_t nowUs)
{
    return exemption.expiresUs && *exemption.expiresUs <= nowUs;
}

std::string entryLines(const Entry &entry, std::int64_t nowUs)
{
    const Exemption &it = entry.exemption;
    std::string end = it.expiresUs ? "until " + policy::writeTime(*it.expiresUs) : std::string("without an end");
    if (isOver(it, nowUs))
        end = "ENDED " + policy::writeTime(*it.expiresUs);
    std::string out = std::format("{}  {}  {}\n", show(entry.tenant), show(it.id), end);
    out += std::format("  lets    {}\n", show(subjectOf(it)));
    out += std::format("  rule    {} ({})\n", show(it.rule), nameOf(it.check));
    out += std::format("  for     {}{}\n", it.agent.empty() ? "every agent" : "agent " + show(it.agent),
                       it.cwd.empty() ? "" : " in " + show(it.cwd));
    if (!it.by.empty() || !it.reason.empty())
        out += std::format("  by      {}: {}\n", it.by.empty() ? "?" : show(it.by), show(it.reason));
    return out + std::format("  in      {}\n", text::sourceText(it.source).toStdString());
}

std::string entryJson(const Entry &entry, std::int64_t nowUs)
{
    const Exemption &it = entry.exemption;
    std::string args;
    for (const std::string &arg : it.args)
        args += (args.empty() ? "" : ",") + quoteJson(arg);
    return std::format(
        R"({{"tenant":{},"id":{},"check":"{}","rule":{},"command":{},"program":{},"args":[{}],"agent":{},"cwd":{},)"
        R"("expires":{},"in_force":{},"reason":{},"by":{},"file":{},"line":{}}})",
        quoteJson(entry.tenant), quoteJson(it.id), nameOf(it.check), quoteJson(it.rule), quoteJson(it.command),
        quoteJson(it.program), args, quoteJson(it.agent), quoteJson(it.cwd),
        it.expiresUs ? quoteJson(policy::writeTime(*it.expiresUs)) : "null", !isOver(it, nowUs), quoteJson(it.reason),
        quoteJson(it.by), quoteJson(it.source.file), it.source.line);
}

/// The configuration with the tenant that was named, or the exit code; why has then been said.
Result<std::shared_ptr<const policy::Configuration>, int> configurationFor(CommandContext &context,
                                                                           const std::string &tenant)
{
    auto configuration = context.configuration();
    if (!configuration)
        return failure(code(Exit::Configuration));
    if (tenant.empty())
        return configuration;
    if (!configuration->isKnown(tenant) || configuration->isBroken(tenant)) {
        context.reportTenant(tenant);
        return failure(code(Exit::Configuration));
    }
    return configuration;
}

/// Says whose policies cannot be read: what they hold is not in force, and not in the list either.
bool reportUnread(CommandContext &context, const policy::Configuration &configuration)
{
    std::string names;
    for (const std::string &tenant : configuration.tenants()) {
        if (configuration.isBroken(tenant))
            names += (names.empty() ? "" : ", ") + show(tenant);
    }
    if (!names.empty())
        context.err("policy: not listed, since their policies have errors (see policy validate): " + names + '\n');
    return !names.empty();
}

Result<PolicyChange, ChangeFailure> changeWithout(CommandContext &context, const Entry &entry,
                                                  const policy::Configuration &configuration)
{
    auto change = readBefore(configuration, entry.tenant);
    if (!change)
        return change;
    auto edited = policy::removeExemption(change->before.value_or(std::string("{}")), entry.exemption.id);
    if (!edited || *edited == change->before)
        return failure(ChangeFailure{Exit::Configuration,
                                     "the policy cannot be edited without losing something; remove the entry by hand: "
                                         + text::sourceText(entry.exemption.source).toStdString()});
    change->after = std::move(*edited);
    if (auto loaded = loadWith(context.arguments(), *change); !loaded)
        return failure(std::move(loaded.error()));
    return change;
}

int carryOut(CommandContext &context, const Entry &entry, const PolicyChange &change)
{
    const bool dryRun = context.arguments().has("dry-run");
    if (!dryRun) {
        const auto applied = applyEdit(context, change,
                                       {removeExemptionAction,
                                        entry.exemption,
                                        context.arguments().value("message").value_or(std::string()),
                                        personName(),
                                        {},
                                        change.configuration->paths().configFile});
        if (!applied)
            return fail(context, applied.error());
    }
    if (context.arguments().has("json"))
        context.out(std::format(R"({{"file":{},"id":{},"removed":{}}})", quoteJson(change.path),
                                quoteJson(entry.exemption.id), !dryRun)
                    + '\n');
    else
        context.out((dryRun ? "would change " : "changed ") + show(change.path) + '\n'
                    + changedLines(change.before.value_or(std::string()), change.after));
    return code(Exit::Ok);
}

} // namespace

int policyExemptions(CommandContext &context)
{
    const std::string tenant = context.arguments().value("tenant").value_or(std::string());
    if (context.arguments().operands.size() != 1)
        return fail(context, {Exit::Usage, "usage: policy exemptions [--tenant SLUG] [--json]"});
    const auto configuration = configurationFor(context, tenant);
    if (!configuration)
        return configuration.error();
    const std::vector<Entry> entries = entriesOf(**configuration, tenant);
    const std::int64_t now = CommandContext::nowUs();
    std::string out;
    if (context.arguments().has("json")) {
        for (const Entry &entry : entries)
            out += entryJson(entry, now) + '\n';
    } else {
        for (const Entry &entry : entries)
            out += entryLines(entry, now);
    }
    context.out(out);
    const bool unread = tenant.empty() && reportUnread(context, **configuration);
    if (entries.empty() && !unread)
        context.err("policy: there are no exemptions\n");
    return code(unread ? Exit::Configuration : Exit::Ok);
}

int removeExemption(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    const std::string id = arguments.value("remove").value_or(std::string());
    const std::string tenant = arguments.value("tenant").value_or(std::string());
    if (arguments.operands.size() != 1 || id.empty())
        return fail(
            context,
            {Exit::Usage, "usage: policy exempt --remove EXEMPTION [--message TEXT] [--tenant SLUG] [--dry-run]"});
    if (firstInvalidUtf8(arguments.value("message").value_or(std::string())) != std::string::npos)
        return fail(context, {Exit::Usage, "--message takes text in UTF-8"});
    const auto configuration = configurationFor(context, tenant);
    if (!configuration)
        return configuration.error();
    std::vector<Entry> entries = entriesOf(**configuration, tenant);
    std::erase_if(entries, [&](const Entry &entry) { return entry.exemption.id != id; });
    if (entries.empty())
        return fail(context,
                    {Exit::BadInput, "there is no exemption \"" + show(id) + "\"; `policy exemptions` lists them"});
    if (entries.size() > 1)
        return fail(context, {Exit::BadInput, "several tenants have an exemption \"" + show(id) + "\"; give --tenant"});
    const auto change = changeWithout(context, entries.front(), **configuration);
    return change ? carryOut(context, entries.front(), *change) : fail(context, change.error());
}

} // namespace portcullis::cli
