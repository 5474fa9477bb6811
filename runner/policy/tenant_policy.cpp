// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/tenant_policy.h"

#include "runner/base/nearest.h"
#include "runner/base/paths.h"
#include "runner/policy/gateway_file.h"

#include <algorithm>
#include <array>
#include <memory>

namespace portcullis::policy {
namespace {

using config::Json;

const KeyPaths &policyPaths()
{
    static const KeyPaths paths = [] {
        KeyPaths out;
        for (std::size_t i = 0; i < keys().size(); ++i) {
            if (!keys()[i].gatewayOnly)
                out[keys()[i].name] = i;
        }
        return out;
    }();
    return paths;
}

/// The names that may stand in the object at `path`.
std::vector<std::string> namesAt(std::string_view path, bool inAgent)
{
    const std::string prefix = path.empty() ? std::string() : std::string(path) + '.';
    std::vector<std::string> names;
    for (const auto &[name, index] : policyPaths()) {
        if (name.starts_with(prefix))
            names.push_back(name.substr(prefix.size(), name.find('.', prefix.size()) - prefix.size()));
    }
    if (path.empty() && !inAgent)
        names.insert(names.end(), structuralKeys.begin(), structuralKeys.end());
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

std::string_view lastName(std::string_view path)
{
    return path.substr(path.rfind('.') + 1);
}

/// The path of the key in a policy that has this name in another place; empty when there is none.
std::string placeInPolicy(std::string_view name)
{
    if (std::ranges::contains(structuralKeys, name))
        return std::string(name);
    for (const auto &[path, index] : policyPaths()) {
        if (lastName(path) == name || path == name)
            return path;
        if (path.starts_with(name) && path[name.size()] == '.')
            return std::string(name);
    }
    return {};
}

/// The path in the gateway's file of what somebody may take for a key of a policy; empty when there is none.
std::string placeInGatewayFile(std::string_view name)
{
    constexpr std::array<std::string_view, 4> places{"data_dir", "agents.defaults.workspace", "portcullis.audit_db",
                                                     "portcullis.environment_file"};
    const auto place = std::ranges::find(places, name, lastName);
    if (place != places.end())
        return std::string(*place);
    for (const KeySpec &key : keys()) {
        if (!key.gateway.empty() && (lastName(key.gateway) == name || key.name == name))
            return key.gateway;
        if (key.gateway.starts_with(name) && key.gateway[name.size()] == '.')
            return std::string(name);
        if (key.gatewayOnly && key.name.starts_with(name) && key.name[name.size()] == '.')
            return key.gateway.substr(0, key.gateway.rfind('.'));
    }
    return {};
}

/// The shortest name that has `word` as whole words at its beginning: `timeout_seconds` of `timeout`.
std::string_view longerName(std::string_view word, const std::vector<std::string> &names)
{
    std::string_view shortest;
    for (const std::string_view name : names) {
        const bool begins = name.size() > word.size() && name.starts_with(word) && name[word.size()] == '_';
        if (begins && (shortest.empty() || name.size() < shortest.size()))
            shortest = name;
    }
    return shortest;
}

/// The example of a rule that an error is about; null for errors of another kind.
const Json *findExample(const Json &rules, const rules::RuleError &error)
{
    using Code = rules::RuleError::Code;
    if (error.code != Code::ExampleMissed && error.code != Code::ExampleHit)
        return nullptr;
    for (const Json &rule : rules.array) {
        const Json *id = rule.find("id");
        const Json *examples = rule.find(error.key);
        if (!id || id->string != error.rule || !examples)
            continue;
        const auto found = std::ranges::find(examples->array, error.detail, &Json::string);
        return found == examples->array.end() ? examples : &*found;
    }
    return nullptr;
}

class Reader
{
public:
    Reader(const NamedText &text, const std::string &home, const rules::RuleSet &builtin,
           std::vector<Problem> &problems)
        : m_home(home), m_builtin(builtin), m_problems(problems, text.path, slugOf(text))
    {
        m_policy.slug = slugOf(text);
        m_policy.file = text.path;
    }

    TenantPolicy read(std::string_view text);

private:
    void readTop(const Json &json);
    void readLayer(const Json &json, const std::string &pointer, Layer layer, LayerValues &out);
    void unknownKey(const Json::Member &member, const std::string &path, const std::string &pointer, bool inAgent);
    void checkVersion(const Json &json);
    void checkTenant(const Json &json);
    void readAgents(const Json &agents);
    void readRules(const Json &list);
    std::shared_ptr<const rules::RuleSet> compileRules(std::vector<rules::Rule> read, const Json &list);
    void readTests(const Json &list);
    void readTest(const Json &json, const std::string &pointer);
    [[nodiscard]] std::vector<std::string_view> ruleIds() const;

    const std::string &m_home;
    const rules::RuleSet &m_builtin;
    ProblemSink m_problems;
    TakenNodes m_taken;
    TenantPolicy m_policy;
};

TenantPolicy Reader::read(std::string_view text)
{
    const auto json = config::readJson5(text);
    if (!json)
        m_problems.jsonError(json.error());
    else if (expectType(*json, Json::Type::Object, {}, m_problems))
        readTop(*json);
    return std::move(m_policy);
}

void Reader::readTop(const Json &json)
{
    checkVersion(json);
    checkTenant(json);
    readLayer(json, {}, Layer::Tenant, m_policy.values);
    if (const Json *agents = json.find("agents"))
        readAgents(*agents);
    if (const Json *rules = json.find("rules"))
        readRules(*rules);
    if (const Json *exemptions = json.find("exemptions")) {
        m_taken.insert(exemptions);
        m_policy.exemptions = readExemptions(*exemptions, "/exemptions", ruleIds(), m_problems);
    }
    if (const Json *tests = json.find("tests"))
        readTests(*tests);
    m_policy.taken = prune(json, m_taken);
}

void Reader::readLayer(const Json &json, const std::string &pointer, Layer layer, LayerValues &out)
{
    const bool inAgent = layer == Layer::TenantAgent;
    LayerReader reader{policyPaths(), layer, m_home, m_problems, m_taken, false, {}};
    reader.unknown = [&](const Json::Member &member, const std::string &path, const std::string &memberPointer) {
        const bool structural =
            !inAgent && path == member.key && std::ranges::find(structuralKeys, member.key) != structuralKeys.end();
        if (!structural)
            unknownKey(member, path, memberPointer, inAgent);
    };
    reader.read(json, {}, pointer, out);
}

/// A key that is nearly a known one, or stands in the wrong place, is a mistake that would silently weaken the policy:
/// an error. Others may be notes or keys of a later version: a warning.
void Reader::unknownKey(const Json::Member &member, const std::string &path, const std::string &pointer, bool inAgent)
{
    const std::string parent = path == member.key ? std::string() : path.substr(0, path.size() - member.key.size() - 1);
    const std::vector<std::string> names = namesAt(parent, inAgent);
    const std::string_view nearest = nearestName(member.key, std::vector<std::string_view>(names.begin(), names.end()));
    const bool isGroup = parent == "deny_groups";
    const std::string elsewhere = isGroup ? std::string() : placeInPolicy(member.key);
    const std::string gateway = isGroup || !elsewhere.empty() ? std::string() : placeInGatewayFile(member.key);
    std::string_view hint = elsewhere.empty() ? gateway : elsewhere;
    const ProblemCode code = isGroup ? ProblemCode::UnknownGroup
        : !elsewhere.empty()         ? ProblemCode::MisplacedKey
        : !gateway.empty()           ? ProblemCode::GatewayKey
                                     : ProblemCode::UnknownKey;
    if (hint.empty())
        hint = nearest.empty() ? longerName(member.key, names) : nearest;
    const bool harmless = hint.empty() && !isGroup;
    Problem &problem = m_problems.add(harmless ? Problem::Severity::Warning : Problem::Severity::Error, code,
                                      member.keyPlace, pointer);
    problem.found = shown(member.key);
    problem.hint = hint;
}

void Reader::checkVersion(const Json &json)
{
    const Json *version = json.find("version");
    if (!version) {
        m_problems.error(ProblemCode::MissingKey, json.place, {}).hint = "version";
    } else if (expectType(*version, Json::Type::Number, "/version", m_problems) && version->number != policyVersion) {
        Problem &problem = m_problems.error(ProblemCode::UnsupportedVersion, version->place, "/version");
        problem.found = shown(version->string);
        problem.allowed = {std::to_string(policyVersion)};
    }
    if (version)
        m_taken.insert(version);
}

void Reader::checkTenant(const Json &json)
{
    const Json *tenant = json.find("tenant");
    if (!tenant) {
        m_problems.error(ProblemCode::MissingKey, json.place, {}).hint = "tenant";
    } else if (expectType(*tenant, Json::Type::String, "/tenant", m_problems) && tenant->string != m_policy.slug) {
        Problem &problem = m_problems.error(ProblemCode::TenantMismatch, tenant->place, "/tenant");
        problem.found = shown(tenant->string);
        problem.hint = m_policy.slug;
    }
    if (tenant)
        m_taken.insert(tenant);
}

void Reader::readAgents(const Json &agents)
{
    if (!expectType(agents, Json::Type::Object, "/agents", m_problems))
        return;
    for (const Json::Member &agent : agents.object)
        readLayer(agent.value, pointerTo("/agents", agent.key), Layer::TenantAgent, m_policy.agents[agent.key]);
}

void Reader::readRules(const Json &list)
{
    m_taken.insert(&list);
    if (!expectType(list, Json::Type::Array, "/rules", m_problems))
        return;
    if (list.array.size() > maxPolicyRules) {
        Problem &problem = m_problems.error(ProblemCode::OutOfRange, list.place, "/rules");
        problem.found = std::to_string(list.array.size());
        problem.allowed = {"0", std::to_string(maxPolicyRules)};
        return;
    }
    std::vector<rules::Rule> read;
    bool good = true;
    for (const Json &json : list.array) {
        auto rule = rules::readRule(json);
        good = good && rule;
        if (!rule)
            m_problems.ruleError(rule.error());
        else
            read.push_back(std::move(*rule));
    }
    for (const rules::Rule &rule : read) {
        const auto same = std::ranges::find(m_builtin.rules(), rule.id, &rules::Rule::id);
        if (same == m_builtin.rules().end())
            continue;
        good = false;
        m_problems.ruleError({rules::RuleError::Code::DuplicateId, rule.id, "id", rule.id, rule.line, rule.column});
    }
    const auto compiled = compileRules(std::move(read), list);
    if (good)
        m_policy.rules = compiled;
}

/// Null when a rule has a mistake. Rules that cannot be compiled do not keep the examples of the others from being
/// tried.
std::shared_ptr<const rules::RuleSet> Reader::compileRules(std::vector<rules::Rule> read, const Json &list)
{
    bool good = true;
    while (!read.empty()) {
        auto compiled = rules::RuleSet::compile(read, true);
        if (compiled)
            return good ? *compiled : nullptr;
        good = false;
        const std::size_t before = read.size();
        for (rules::RuleError error : compiled.error()) {
            const Json *example = findExample(list, error);
            if (example) {
                error.line = example->place.line;
                error.column = example->place.column;
            } else {
                std::erase_if(read, [&](const rules::Rule &rule) { return rule.id == error.rule; });
            }
            m_problems.ruleError(error);
        }
        if (read.size() == before)
            break;
    }
    return nullptr;
}

void Reader::readTests(const Json &list)
{
    if (!expectType(list, Json::Type::Array, "/tests", m_problems))
        return;
    for (std::size_t i = 0; i < list.array.size(); ++i)
        readTest(list.array[i], pointerTo("/tests", i));
}

void Reader::readTest(const Json &json, const std::string &pointer)
{
    if (!expectType(json, Json::Type::Object, pointer, m_problems))
        return;
    PolicyTest test;
    test.source = {Layer::Tenant, m_problems.file(), json.place.line, json.place.column, pointer};
    for (const Json::Member &member : json.object) {
        const std::string memberPointer = pointerTo(pointer, member.key);
        if (std::ranges::find(testKeys, member.key) == testKeys.end()) {
            Problem &problem = m_problems.warning(ProblemCode::UnknownKey, member.keyPlace, memberPointer);
            problem.found = shown(member.key);
            problem.hint = nearestName(member.key, testKeys);
        } else if (expectType(member.value, Json::Type::String, memberPointer, m_problems)) {
            const std::string &value = member.value.string;
            if (member.key == "command")
                test.command = value;
            else if (member.key == "agent")
                test.agent = value;
            else if (const std::optional<Verdict> verdict = fromName<Verdict>(value))
                test.expect = *verdict;
            else {
                Problem &problem = m_problems.error(ProblemCode::BadValue, member.value.place, memberPointer);
                problem.found = shown(value);
                problem.hint = nearestName(value, Names<Verdict>::all);
                problem.allowed = asStrings(Names<Verdict>::all);
            }
        }
    }
    for (const std::string_view key : {testKeys[0], testKeys[1]}) {
        if (!json.find(key))
            m_problems.error(ProblemCode::MissingKey, json.place, pointer).hint = key;
    }
    m_policy.tests.push_back(std::move(test));
}

std::vector<std::string_view> Reader::ruleIds() const
{
    std::vector<std::string_view> ids;
    for (const rules::Rule &rule : m_builtin.rules())
        ids.push_back(rule.id);
    if (m_policy.rules) {
        for (const rules::Rule &rule : m_policy.rules->rules())
            ids.push_back(rule.id);
    }
    return ids;
}

} // namespace

std::string slugOf(const NamedText &text)
{
    if (!text.tenant.empty())
        return text.tenant;
    std::string_view name = text.path;
    name = name.substr(name.rfind('/') + 1);
    if (name.ends_with(".json"))
        name.remove_suffix(5);
    return std::string(name);
}

TenantPolicy readTenantPolicy(const NamedText &text, const std::string &home, const rules::RuleSet &builtin,
                              std::vector<Problem> &problems)
{
    const std::size_t before = problems.size();
    TenantPolicy policy = Reader(text, home, builtin, problems).read(text.text);
    policy.broken = hasErrors(std::span(problems).subspan(before));
    return policy;
}

} // namespace portcullis::policy
