// SPDX-License-Identifier: Apache-2.0
#include "runner/base/uuid.h"
#include "runner/policy/canonical.h"
#include "runner/policy/gateway_places.h"
#include "runner/policy/merge.h"
#include "runner/policy/policy.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace portcullis::policy {
namespace {

using Problems = std::vector<Problem>;

constexpr std::array<std::string_view, 9> pathVariables{
    "GOCLAW_DATA_DIR",     "GOCLAW_WORKSPACE",          "GOCLAW_SQLITE_PATH",
    "RUNTIME_DIR",         "GOCLAW_BUNDLED_SKILLS_DIR", "PORTCULLIS_AUDIT_DB",
    "PORTCULLIS_POLICIES", "PORTCULLIS_STATE_DIR",      "PORTCULLIS_ENVIRONMENT_FILE"};

/// All files in one rule set; a mistake in a shipped file is a broken installation, so nothing loads.
std::shared_ptr<const rules::RuleSet> readBuiltinRules(const ConfigurationInput &input, Problems &problems)
{
    std::vector<rules::Rule> all;
    std::map<std::string, std::string, std::less<>> fileOf;
    for (const NamedText &file : input.builtinRules) {
        auto read = rules::parseRules(file.text);
        if (!read) {
            ProblemSink(problems, file.path).ruleError(read.error());
            continue;
        }
        for (rules::Rule &rule : *read) {
            fileOf.emplace(rule.id, file.path);
            all.push_back(std::move(rule));
        }
    }
    // Of several rules that match, the first one is shown as the reason: in the order of the groups, from what a
    // command destroys or gives away to what it prints, and not in the order of file names.
    std::ranges::stable_sort(all, {}, [](const rules::Rule &rule) { return rule.group.value_or(Group::PathGuard); });
    auto compiled = rules::RuleSet::compile(std::move(all), input.checkExamples);
    if (compiled)
        return *compiled;
    for (const rules::RuleError &error : compiled.error()) {
        const auto file = fileOf.find(error.rule);
        ProblemSink(problems, file == fileOf.end() ? std::string() : file->second).ruleError(error);
    }
    return nullptr;
}

} // namespace

struct Configuration::Private {
    GatewayPaths paths;
    GatewayFile gateway;
    LayerValues environment;
    std::shared_ptr<const rules::RuleSet> builtin;
    std::map<std::string, TenantPolicy, std::less<>> policies;
    std::vector<std::string> tenants;
    std::vector<std::string> bundledSkills;
    Problems problems;
    std::string canonical;
    std::string digest;

    mutable std::mutex mutex;
    mutable std::map<std::pair<std::string, std::string>, std::unique_ptr<const Effective>>
        effective; ///< tenant, agent

    void readPolicies(const ConfigurationInput &input);
    void checkLoosening(const TenantPolicy &policy);
    void collectTenants(const std::vector<std::string> &folders);
    void seal(const ConfigurationInput &input);
    [[nodiscard]] const TenantPolicy *usablePolicy(std::string_view tenant) const;
    [[nodiscard]] Layers layers(const TenantPolicy *policy, std::string_view agent) const;
    [[nodiscard]] std::unique_ptr<const Effective> make(const std::string &tenant, const std::string &agent) const;
};

Configuration::Configuration(std::unique_ptr<Private> p) : d(std::move(p)) { }

Configuration::~Configuration() = default;

void Configuration::Private::readPolicies(const ConfigurationInput &input)
{
    for (const NamedText &text : input.policies) {
        const std::string slug = slugOf(text);
        ProblemSink sink(problems, text.path, slug);
        const config::Place nowhere{.line = 0, .column = 0};
        if (!isSlug(slug)) {
            sink.error(ProblemCode::BadSlug, nowhere, {}).found = shown(slug);
            continue;
        }
        TenantPolicy policy = readTenantPolicy(text, paths.home, *builtin, problems);
        const auto [place, fresh] = policies.try_emplace(slug, std::move(policy));
        if (!fresh) {
            sink.error(ProblemCode::DuplicatePolicy, nowhere, {}).found = slug;
            place->second.broken = true;
        }
    }
    for (const Problem &refused : input.refusedPolicies) {
        problems.push_back(refused);
        TenantPolicy policy;
        policy.slug = refused.tenant;
        policy.file = refused.file;
        if (isSlug(policy.slug))
            policies.try_emplace(policy.slug, std::move(policy)).first->second.broken = true;
    }
    for (const auto &[slug, policy] : policies)
        checkLoosening(policy);
}

void Configuration::Private::checkLoosening(const TenantPolicy &policy)
{
    ProblemSink sink(problems, policy.file, policy.slug);
    warnOfLoosening(layers(&policy, {}), false, sink);
    for (const auto &[agent, values] : policy.agents)
        warnOfLoosening(layers(&policy, agent), true, sink);
}

void Configuration::Private::collectTenants(const std::vector<std::string> &folders)
{
    std::set<std::string, std::less<>> all;
    std::ranges::copy_if(folders, std::inserter(all, all.end()), isSlug);
    for (const auto &[slug, policy] : policies)
        all.insert(slug);
    all.erase(std::string(masterTenant));
    tenants.assign(all.begin(), all.end());
}

void Configuration::Private::seal(const ConfigurationInput &input)
{
    std::vector<TenantPolicy> sorted;
    sorted.reserve(policies.size());
    for (const auto &[slug, policy] : policies)
        sorted.push_back(policy);
    canonical = writeCanonical({input, paths, gateway, sorted});
    digest = digestOf(canonical);
}

const TenantPolicy *Configuration::Private::usablePolicy(std::string_view tenant) const
{
    const auto found = policies.find(tenant);
    return found == policies.end() || found->second.broken ? nullptr : &found->second;
}

Layers Configuration::Private::layers(const TenantPolicy *policy, std::string_view agent) const
{
    Layers out{.gateway = &gateway.values, .environment = &environment};
    if (const auto found = gateway.agents.find(agent); found != gateway.agents.end())
        out.gatewayAgent = &found->second;
    if (policy) {
        out.tenant = &policy->values;
        if (const auto found = policy->agents.find(agent); found != policy->agents.end())
            out.tenantAgent = &found->second;
    }
    return out;
}

std::unique_ptr<const Effective> Configuration::Private::make(const std::string &tenant, const std::string &agent) const
{
    auto out = std::make_unique<Effective>();
    out->tenant = tenant;
    out->agent = agent;
    out->master = tenant == masterTenant;
    const TenantPolicy *policy = usablePolicy(tenant);
    out->systemSkills.value = bundledSkills;
    merge(layers(policy, agent), *out);
    if (policy) {
        out->exemptions = policy->exemptions;
        out->tests = policy->tests;
        out->tenantRules = policy->rules;
    }
    return out;
}

Result<std::shared_ptr<const Configuration>, Problems> Configuration::load(const ConfigurationInput &input)
{
    auto d = std::make_unique<Private>();
    if (input.gateway)
        d->gateway = readGatewayFile(*input.gateway, input.home, d->problems);
    d->environment = readEnvironment(input.environment, d->problems);
    d->paths = resolvePlaces(input, d->gateway, d->problems);
    d->builtin = readBuiltinRules(input, d->problems);
    if (hasErrors(d->problems) || !d->builtin)
        return failure(std::move(d->problems));
    d->readPolicies(input);
    d->collectTenants(input.tenantFolders);
    d->bundledSkills = input.bundledSkills;
    d->seal(input);
    return std::shared_ptr<const Configuration>(new Configuration(std::move(d)));
}

Result<std::shared_ptr<const Configuration>, Problems>
Configuration::loadCanonical(std::string_view text, const std::vector<std::string> &tenantFolders)
{
    std::optional<ConfigurationInput> input = readCanonical(text);
    if (!input) {
        Problems problems;
        ProblemSink(problems, {}).error(ProblemCode::Syntax, {}, {});
        return failure(std::move(problems));
    }
    input->tenantFolders = tenantFolders;
    return load(*input);
}

const GatewayPaths &Configuration::paths() const
{
    return d->paths;
}

const std::vector<std::string> &Configuration::tenants() const
{
    return d->tenants;
}

bool Configuration::isKnown(std::string_view tenant) const
{
    return tenant == masterTenant || std::ranges::binary_search(d->tenants, tenant);
}

bool Configuration::isBroken(std::string_view tenant) const
{
    const auto found = d->policies.find(tenant);
    return found != d->policies.end() && found->second.broken;
}

const std::vector<Problem> &Configuration::problems() const
{
    return d->problems;
}

const Effective &Configuration::effective(std::string_view tenant, std::string_view agent) const
{
    // Only names that the files speak of become keys: requests cannot make this grow without bound.
    const TenantPolicy *policy = d->usablePolicy(tenant);
    const bool named = d->gateway.agents.contains(agent) || (policy && policy->agents.contains(agent));
    std::pair key(isKnown(tenant) ? std::string(tenant) : std::string(), named ? std::string(agent) : std::string());
    const std::scoped_lock lock(d->mutex);
    std::unique_ptr<const Effective> &slot = d->effective[key];
    if (!slot)
        slot = d->make(key.first, key.second);
    return *slot;
}

const rules::RuleSet &Configuration::builtinRules() const
{
    return *d->builtin;
}

const std::string &Configuration::digest() const
{
    return d->digest;
}

const std::string &Configuration::canonicalText() const
{
    return d->canonical;
}

bool isSlug(std::string_view text)
{
    const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); };
    if (isUuid(text))
        return true;
    return !text.empty() && text.size() <= 64 && plain(text.front())
        && std::ranges::all_of(text, [&](char c) { return plain(c) || c == '.' || c == '_' || c == '-'; });
}

bool isExemptable(Check check)
{
    switch (check) {
    case Check::Readings:
    case Check::Credentialed:
    case Check::DenyRules:
    case Check::Dynamic:
    case Check::Approval:
        return true;
    case Check::Input:
    case Check::PathGuard:
    case Check::Backend:
    case Check::HostPolicy:
    case Check::Confinement:
    case Check::Cwd:
    case Check::Configuration:
        break;
    }
    return false;
}

std::span<const std::string_view> environmentNames()
{
    static const std::vector<std::string_view> names = [] {
        std::vector<std::string_view> out(pathVariables.begin(), pathVariables.end());
        for (const KeySpec &key : keys()) {
            if (!key.environment.empty())
                out.push_back(key.environment);
        }
        return out;
    }();
    return names;
}

Result<GatewayPaths, Problems> gatewayPaths(const ConfigurationInput &input)
{
    Problems problems;
    const GatewayFile file = input.gateway ? readGatewayFile(*input.gateway, input.home, problems) : GatewayFile();
    GatewayPaths paths = resolvePlaces(input, file, problems);
    if (hasErrors(problems))
        return failure(std::move(problems));
    return paths;
}

} // namespace portcullis::policy
