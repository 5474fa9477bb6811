// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/difference.h"

#include "runner/config/json5.h"
#include "runner/policy/keys.h"

#include <algorithm>
#include <map>
#include <set>

namespace portcullis::policy {
namespace {

using config::Json;
using Effect = Difference::Effect;

/// Entries of a list by what names them.
using Entries = std::map<std::string, std::string, std::less<>>;

/// A configuration with its canonical text read again: what Effective does not tell (rules, agents' names).
struct Side {
    explicit Side(const Configuration &given) : configuration(given)
    {
        if (auto read = config::readJson5(given.canonicalText()))
            canonical = std::move(*read);
    }
    [[nodiscard]] const Json *policy(const std::string &tenant) const
    {
        const Json *policies = canonical.find("policies");
        return policies ? policies->find(tenant) : nullptr;
    }
    const Configuration &configuration;
    Json canonical;
};

Entries entriesOf(const Json *list, std::string_view name)
{
    Entries entries;
    if (!list || !list->isArray())
        return entries;
    for (const Json &entry : list->array) {
        const Json *named = entry.find(name);
        entries[named ? named->string : std::string()] = config::writeJson(entry, true);
    }
    return entries;
}

Entries policyEntries(const Side &side, const std::string &tenant, std::string_view list, std::string_view name)
{
    const Json *policy = side.policy(tenant);
    return entriesOf(policy ? policy->find(list) : nullptr, name);
}

/// Shipped rules of all files.
Entries shippedRules(const Side &side)
{
    Entries all;
    const Json *files = side.canonical.find("rules");
    if (!files)
        return all;
    for (const Json::Member &file : files->object)
        all.merge(entriesOf(file.value.find("rules"), "id"));
    return all;
}

/// What it means that an entry came or went; a changed one has to be read.
struct Meaning {
    Effect added = Effect::Other;
    Effect removed = Effect::Other;
};

void compareEntries(const Entries &before, const Entries &after, const Difference &form, const Meaning &meaning,
                    std::vector<Difference> &out)
{
    std::set<std::string, std::less<>> names;
    for (const Entries *side : {&before, &after}) {
        for (const auto &[name, entry] : *side)
            names.insert(name);
    }
    for (const std::string &name : names) {
        const auto was = before.find(name);
        const auto is = after.find(name);
        Difference difference = form;
        difference.name = name;
        difference.before = was == before.end() ? std::string() : was->second;
        difference.after = is == after.end() ? std::string() : is->second;
        if (difference.before == difference.after)
            continue;
        difference.effect = was == before.end() ? meaning.added : is == after.end() ? meaning.removed : Effect::Other;
        out.push_back(std::move(difference));
    }
}

bool isSubset(const std::vector<std::string> &small, const std::vector<std::string> &large)
{
    return std::ranges::all_of(small, [&](const std::string &each) { return std::ranges::contains(large, each); });
}

/// More paths that a command may use, or fewer.
Effect effectOfPaths(const std::vector<std::string> &before, const std::vector<std::string> &after)
{
    if (isSubset(before, after))
        return Effect::Loosens;
    return isSubset(after, before) ? Effect::Tightens : Effect::Other;
}

Effect effectOf(const KeySpec &key, const KeyValue &before, const KeyValue &after)
{
    if (key.name.starts_with("deny_groups.") || key.name == "confine_master")
        return std::get<bool>(before) ? Effect::Loosens : Effect::Tightens;
    if (key.name == "sandbox.agent_may_disable")
        return std::get<bool>(after) ? Effect::Loosens : Effect::Tightens;
    if (key.strictest)
        return strictness(key, after) < strictness(key, before) ? Effect::Loosens : Effect::Tightens;
    if (key.kind == KeySpec::Kind::Paths)
        return effectOfPaths(std::get<std::vector<std::string>>(before), std::get<std::vector<std::string>>(after));
    return Effect::Other;
}

void compareValues(const Effective &before, const Effective &after, const Difference &form,
                   std::vector<Difference> &out)
{
    for (const KeySpec &key : keys()) {
        const KeyValue was = key.load(before).value;
        const KeyValue is = key.load(after).value;
        if (was == is)
            continue;
        Difference difference = form;
        difference.name = key.name;
        difference.before = toJson(was);
        difference.after = toJson(is);
        difference.effect = effectOf(key, was, is);
        out.push_back(std::move(difference));
    }
}

/// Agents that either side names, in the gateway's file or in the tenant's policy.
std::set<std::string> agentsOf(const Side &side, const std::string &tenant)
{
    std::set<std::string> agents;
    const auto take = [&agents](const Json *object) {
        if (!object || !object->isObject())
            return;
        for (const Json::Member &agent : object->object)
            agents.insert(agent.key);
    };
    if (const Json *policy = side.policy(tenant))
        take(policy->find("agents"));
    const Json *gateway = side.canonical.find("gateway");
    const Json *gatewayAgents = gateway ? gateway->find("agents") : nullptr;
    take(gatewayAgents ? gatewayAgents->find("list") : nullptr);
    return agents;
}

void compareTenantValues(const Side &before, const Side &after, const std::string &tenant, std::vector<Difference> &out)
{
    Difference form;
    form.tenant = tenant;
    form.what = "value";
    std::vector<Difference> general;
    compareValues(before.configuration.effective(tenant, {}), after.configuration.effective(tenant, {}), form, general);
    out.insert(out.end(), general.begin(), general.end());
    std::set<std::string> agents = agentsOf(before, tenant);
    agents.merge(agentsOf(after, tenant));
    for (const std::string &agent : agents) {
        std::vector<Difference> own;
        compareValues(before.configuration.effective(tenant, agent), after.configuration.effective(tenant, agent), form,
                      own);
        for (Difference &difference : own) {
            if (std::ranges::contains(general, difference))
                continue; // it has that from its tenant
            difference.agent = agent;
            out.push_back(std::move(difference));
        }
    }
}

/// Whether the tenant is there and its policy loads, on both sides; else that is the difference.
bool areComparable(const Side &before, const Side &after, const std::string &tenant, std::vector<Difference> &out)
{
    const auto stateOf = [&tenant](const Configuration &configuration) -> std::string {
        if (!configuration.isKnown(tenant))
            return {};
        return configuration.isBroken(tenant) ? R"("broken")" : R"("known")";
    };
    const std::string was = stateOf(before.configuration);
    const std::string is = stateOf(after.configuration);
    if (was != is)
        out.push_back({tenant, {}, was.empty() || is.empty() ? "tenant" : "policy", tenant, was, is, Effect::Other});
    return was == is && was == R"("known")";
}

void compareTenant(const Side &before, const Side &after, const std::string &tenant, std::vector<Difference> &out)
{
    if (!areComparable(before, after, tenant, out))
        return;
    compareTenantValues(before, after, tenant, out);
    struct List {
        std::string_view list;
        std::string_view name;
        std::string what;
        Meaning meaning;
    };
    for (const List &each : {List{"rules", "id", "rule", {Effect::Tightens, Effect::Loosens}},
                             List{"exemptions", "id", "exemption", {Effect::Loosens, Effect::Tightens}},
                             List{"tests", "command", "test", {}}}) {
        Difference form;
        form.tenant = tenant;
        form.what = each.what;
        compareEntries(policyEntries(before, tenant, each.list, each.name),
                       policyEntries(after, tenant, each.list, each.name), form, each.meaning, out);
    }
}

} // namespace

std::vector<Difference> differences(const Configuration &before, const Configuration &after)
{
    std::vector<Difference> out;
    if (before.digest() == after.digest() && before.tenants() == after.tenants())
        return out;
    const Side old(before);
    const Side fresh(after);
    Difference form;
    form.what = "rule";
    compareEntries(shippedRules(old), shippedRules(fresh), form, {Effect::Tightens, Effect::Loosens}, out);
    std::set<std::string> tenants(before.tenants().begin(), before.tenants().end());
    tenants.insert(after.tenants().begin(), after.tenants().end());
    tenants.insert(std::string(masterTenant));
    for (const std::string &tenant : tenants)
        compareTenant(old, fresh, tenant, out);
    return out;
}

} // namespace portcullis::policy
