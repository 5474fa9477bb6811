// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/replay_source.h"

#include "app/runner/commands/record_access.h"
#include "app/runner/load_options.h"
#include "runner/base/nearest.h"
#include "runner/config/json5.h"
#include "runner/policy/tenant_policy.h"
#include "runner/resources/config_loader.h"
#include "runner/resources/trusted_file.h"
#include "ui/text/problem_text.h"

#include <algorithm>
#include <array>
#include <set>

namespace portcullis::cli {
namespace {

using policy::Configuration;
using policy::ConfigurationInput;
using policy::NamedText;
using Loaded = Result<std::shared_ptr<const Configuration>, int>;

struct Form {
    std::string_view prefix;
    ReplaySource::Kind kind;
};
constexpr std::array forms{
    Form{"policies:", ReplaySource::Kind::Policies},
    Form{"policy:", ReplaySource::Kind::Policy},
    Form{"tenant:", ReplaySource::Kind::Tenant},
    Form{"revision:", ReplaySource::Kind::Revision},
};

std::unexpected<int> invalid(CommandContext &context, const std::string &words, Exit exit = Exit::Configuration)
{
    context.err(words + (words.ends_with('\n') ? "" : "\n"));
    return failure(code(exit));
}

/// Everybody who has a folder or a policy, and the operator.
std::set<std::string> tenantsOf(const ConfigurationInput &input)
{
    std::set<std::string> tenants{std::string(policy::masterTenant)};
    for (const std::string &folder : input.tenantFolders) {
        if (policy::isSlug(folder))
            tenants.insert(folder);
    }
    for (const NamedText &text : input.policies)
        tenants.insert(policy::slugOf(text));
    for (const policy::Problem &refused : input.refusedPolicies)
        tenants.insert(refused.tenant);
    return tenants;
}

/// The same policy for another tenant.
std::string forTenant(const std::string &text, const std::string &tenant)
{
    auto json = config::readJson5(text);
    if (!json || !json->isObject())
        return text; // does not load, and its problems say why
    for (config::Json::Member &member : json->object) {
        if (member.key == "tenant")
            member.value.string = tenant;
    }
    return config::writeJson(*json);
}

/// `text` as the policy of these tenants, whatever they had.
void putPolicy(ConfigurationInput &input, const NamedText &text, const std::set<std::string> &tenants)
{
    std::erase_if(input.policies, [&](const NamedText &each) { return tenants.contains(policy::slugOf(each)); });
    std::erase_if(input.refusedPolicies, [&](const policy::Problem &each) { return tenants.contains(each.tenant); });
    for (const std::string &tenant : tenants)
        input.policies.push_back({text.path, tenants.size() > 1 ? forTenant(text.text, tenant) : text.text, tenant});
}

Loaded load(CommandContext &context, const ConfigurationInput &input)
{
    auto loaded = Configuration::load(input);
    if (!loaded)
        return invalid(context, text::problemLines(loaded.error()));
    return std::move(*loaded);
}

/// A policy that does not load would make every answer "policy broken": say why instead.
Loaded loadChecked(CommandContext &context, const ConfigurationInput &input, const std::string &tenant)
{
    auto loaded = load(context, input);
    if (!loaded || !(*loaded)->isBroken(tenant))
        return loaded;
    std::vector<policy::Problem> own;
    std::ranges::copy_if((*loaded)->problems(), std::back_inserter(own),
                         [&](const policy::Problem &problem) { return problem.tenant == tenant; });
    return invalid(context, text::problemLines(own));
}

/// The places stay those of the gateway: a policies folder is itself a protected place, and nobody asked then where the
/// other one leads.
Loaded loadPolicies(CommandContext &context, ConfigurationInput input, const std::string &folder)
{
    auto files = resources::readPolicies(folder);
    if (!files)
        return invalid(context, text::problemLine(files.error()).toStdString(), Exit::BadInput);
    input.policies = std::move(files->texts);
    input.refusedPolicies = std::move(files->refused);
    auto loaded = load(context, input);
    if (loaded) // a tenant whose policy is broken there is not replayable; say why
        context.err(text::problemLines((*loaded)->problems()));
    return loaded;
}

/// A draft decides nothing that runs, so it may belong to anybody and have any name.
Loaded loadPolicy(CommandContext &context, ConfigurationInput input, const std::string &file)
{
    auto text = resources::readOwnFile(file, resources::maxPolicyBytes);
    if (!text)
        return invalid(context, text::problemLine(text.error()).toStdString(), Exit::BadInput);
    const std::string tenant = tenantIn(text->text);
    const std::string slug = tenant.empty() ? policy::slugOf(*text) : tenant;
    putPolicy(input, *text, {slug});
    return loadChecked(context, input, slug);
}

Loaded loadTenant(CommandContext &context, ConfigurationInput input, const std::string &tenant)
{
    const std::set<std::string> known = tenantsOf(input);
    if (!known.contains(tenant)) {
        const std::vector<std::string_view> names(known.begin(), known.end());
        const std::string_view near = nearestName(tenant, names);
        return invalid(context,
                       context.arguments().command + ": there is no tenant \"" + tenant + '"'
                           + (near.empty() ? "" : "; did you mean " + std::string(near) + "?"));
    }
    const auto own = std::ranges::find(input.policies, tenant, &policy::slugOf);
    if (own == input.policies.end()) // what the gateway says, for everybody
        input.policies.clear();
    else
        putPolicy(input, NamedText(*own), known);
    return loadChecked(context, input, tenant);
}

Loaded loadRevision(CommandContext &context, ConfigurationInput input, const std::string &id,
                    audit::AuditReader *reader)
{
    if (!reader)
        return invalid(context, context.arguments().command + ": revision:" + id + " needs the record that keeps it");
    const auto revision = reader->revision(id);
    if (!revision)
        return revision.error().code == audit::AuditError::Code::NotFound
            ? invalid(context,
                      context.arguments().command + ": the record keeps no revision " + id
                          + "; policy revisions lists them",
                      Exit::BadInput)
            : Loaded(failure(reportRecord(context, revision.error())));
    putPolicy(input, {"revision " + id, revision->content, revision->tenant}, {revision->tenant});
    return loadChecked(context, input, revision->tenant);
}

} // namespace

std::string tenantIn(const std::string &policyText)
{
    const auto json = config::readJson5(policyText);
    const config::Json *tenant = json && json->isObject() ? json->find("tenant") : nullptr;
    return tenant && tenant->isString() ? tenant->string : std::string();
}

std::optional<ReplaySource> parseReplaySource(std::string_view text)
{
    if (text == "recorded")
        return ReplaySource{ReplaySource::Kind::Recorded, {}};
    if (text == "current")
        return ReplaySource{ReplaySource::Kind::Current, {}};
    for (const auto &[prefix, kind] : forms) {
        if (text.starts_with(prefix) && text.size() > prefix.size())
            return ReplaySource{kind, std::string(text.substr(prefix.size()))};
    }
    return std::nullopt;
}

bool hasBrokenPolicy(const ReplaySource &source, const policy::Configuration &configuration)
{
    const bool wholeSet = source.kind == ReplaySource::Kind::Current || source.kind == ReplaySource::Kind::Policies;
    return wholeSet
        && (configuration.isBroken(policy::masterTenant)
            || std::ranges::any_of(configuration.tenants(),
                                   [&](const std::string &tenant) { return configuration.isBroken(tenant); }));
}

Loaded loadReplaySource(CommandContext &context, const ReplaySource &source, audit::AuditReader *reader)
{
    if (source.kind == ReplaySource::Kind::Current) {
        auto current = context.configuration();
        if (current && hasBrokenPolicy(source, *current))
            context.err(text::problemLines(current->problems()));
        return current ? Loaded(std::move(current)) : Loaded(failure(code(Exit::Configuration)));
    }
    auto input = resources::readInput(loadOptions(context.arguments()));
    if (!input)
        return invalid(context, text::problemLines(input.error()));
    switch (source.kind) {
    case ReplaySource::Kind::Policies:
        return loadPolicies(context, std::move(*input), source.value);
    case ReplaySource::Kind::Policy:
        return loadPolicy(context, std::move(*input), source.value);
    case ReplaySource::Kind::Tenant:
        return loadTenant(context, std::move(*input), source.value);
    default:
        return loadRevision(context, std::move(*input), source.value, reader);
    }
}

} // namespace portcullis::cli
