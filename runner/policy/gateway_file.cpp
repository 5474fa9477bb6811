// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/gateway_file.h"

#include "runner/base/nearest.h"

#include <algorithm>
#include <array>

namespace portcullis::policy {
namespace {

using config::Json;

constexpr std::string_view approvalPath = "tools.execApproval";
constexpr std::string_view ourObject = "portcullis";

KeyPaths gatewayPaths(std::string KeySpec::*column)
{
    KeyPaths paths;
    for (std::size_t i = 0; i < keys().size(); ++i) {
        if (!(keys()[i].*column).empty())
            paths[keys()[i].*column] = i;
    }
    return paths;
}

/// The last keys of all paths below a folder: candidates for "did you mean".
std::vector<std::string> namesBelow(const KeyPaths &paths, std::string_view parent)
{
    const std::string prefix = std::string(parent) + '.';
    std::vector<std::string> names;
    for (const auto &[path, index] : paths) {
        if (!path.starts_with(prefix))
            continue;
        const std::string rest = path.substr(prefix.size());
        names.push_back(rest.substr(0, rest.find('.')));
    }
    return names;
}

class Reader
{
public:
    Reader(const std::string &file, const std::string &home, std::vector<Problem> &problems)
        : m_home(home), m_problems(problems, file)
    {
    }

    GatewayFile read(const std::string &text);

private:
    void readUnknown(const Json::Member &member, const std::string &path, const std::string &pointer);
    void readAgent(const Json::Member &member, const std::string &pointer);
    void readPathKey(const Json &json, const std::string &pointer, const Json::Member &member,
                     std::optional<Sourced<std::string>> &out);
    void readOldApproval(const Json::Member &member, const std::string &pointer);
    void warnUnknownGroup(const Json::Member &member, const std::string &pointer);
    void refuseUnknownKey(const Json::Member &member, const std::string &path, const std::string &pointer);
    [[nodiscard]] LayerReader layerReader(const KeyPaths &paths, Layer layer);

    const std::string &m_home;
    ProblemSink m_problems;
    TakenNodes m_taken;
    KeyPaths m_paths = gatewayPaths(&KeySpec::gateway);
    KeyPaths m_agentPaths = gatewayPaths(&KeySpec::gatewayAgent);
    GatewayFile m_file;
};

LayerReader Reader::layerReader(const KeyPaths &paths, Layer layer)
{
    return {paths, layer, m_home, m_problems, m_taken, true, {}};
}

GatewayFile Reader::read(const std::string &text)
{
    const auto json = config::readJson5(text);
    if (!json) {
        m_problems.jsonError(json.error());
        return std::move(m_file);
    }
    LayerReader reader = layerReader(m_paths, Layer::Gateway);
    reader.unknown = [this](const Json::Member &member, const std::string &path, const std::string &pointer) {
        readUnknown(member, path, pointer);
    };
    reader.read(*json, {}, {}, m_file.values);
    m_file.taken = prune(*json, m_taken);
    m_file.taken.type = Json::Type::Object;
    return std::move(m_file);
}

void Reader::readUnknown(const Json::Member &member, const std::string &path, const std::string &pointer)
{
    const std::string_view groups = "tools.shellDenyGroups.";
    if (path == "data_dir")
        readPathKey(member.value, pointer, member, m_file.dataDir);
    else if (path == "agents.defaults.workspace")
        readPathKey(member.value, pointer, member, m_file.workspace);
    else if (path == "portcullis.audit_db")
        readPathKey(member.value, pointer, member, m_file.auditDb);
    else if (path == "portcullis.environment_file")
        readPathKey(member.value, pointer, member, m_file.environmentFile);
    else if (path == "tools.exec_approval")
        readOldApproval(member, pointer);
    else if (path.starts_with(groups))
        warnUnknownGroup(member, pointer);
    else if (path.starts_with(std::string(ourObject) + '.'))
        refuseUnknownKey(member, path, pointer);
    else if (path == "agents.list" && member.value.type != Json::Type::Null
             && expectType(member.value, Json::Type::Object, pointer, m_problems))
        std::ranges::for_each(member.value.object,
                              [&](const auto &agent) { readAgent(agent, pointerTo(pointer, agent.key)); });
    else if (pointer.starts_with("/agents/") && std::ranges::count(pointer, '/') == 2 && member.value.isObject())
        readAgent(member, pointer);
}

/// Both places may speak of the same agent; what `agents.list` says wins.
void Reader::readAgent(const Json::Member &member, const std::string &pointer)
{
    LayerReader reader = layerReader(m_agentPaths, Layer::GatewayAgent);
    reader.unknown = [this](const Json::Member &inner, const std::string &path, const std::string &innerPointer) {
        if (path.starts_with("shell_deny_groups."))
            warnUnknownGroup(inner, innerPointer);
    };
    LayerValues values;
    reader.read(member.value, {}, pointer, values);
    LayerValues &agent = m_file.agents[member.key];
    if (pointer.starts_with("/agents/list/")) {
        values.merge(agent);
        agent = std::move(values);
    } else {
        agent.merge(values);
    }
}

void Reader::readPathKey(const Json &json, const std::string &pointer, const Json::Member &member,
                         std::optional<Sourced<std::string>> &out)
{
    if (json.type == Json::Type::Null || (json.isString() && json.string.empty()))
        return;
    m_taken.insert(&json);
    if (!expectType(json, Json::Type::String, pointer, m_problems))
        return;
    if (std::optional<std::string> path = readPath(json.string, m_home, json.place, pointer, m_problems))
        out = {std::move(*path),
               Source{Layer::Gateway, m_problems.file(), member.keyPlace.line, member.keyPlace.column, pointer}};
}

/// The form of an older manual: other words for the same. What refuses more is taken.
void Reader::readOldApproval(const Json::Member &member, const std::string &pointer)
{
    Problem &problem = m_problems.warning(ProblemCode::DeprecatedKey, member.keyPlace, pointer);
    problem.found = member.key;
    problem.hint = approvalPath;
    m_taken.insert(&member.value);
    Json translated = member.value;
    for (Json::Member &inner : translated.object) {
        if (inner.key == "security" && inner.value.string == "none")
            inner.value.string = "deny";
        if (inner.key == "ask" && inner.value.string == "risky")
            inner.value.string = "on-miss";
    }
    TakenNodes ignored;
    LayerReader reader{m_paths, Layer::Gateway, m_home, m_problems, ignored, true, {}};
    LayerValues values;
    reader.read(translated, std::string(approvalPath), pointer, values);
    for (auto &[index, value] : values) {
        const auto present = m_file.values.find(index);
        if (present == m_file.values.end() || present->second.source.pointer.starts_with(pointer))
            m_file.values[index] = std::move(value);
    }
}

void Reader::warnUnknownGroup(const Json::Member &member, const std::string &pointer)
{
    Problem &problem = m_problems.warning(ProblemCode::UnknownGroup, member.keyPlace, pointer);
    problem.found = shown(member.key);
    problem.hint = nearestName(member.key, denyGroupNames());
}

void Reader::refuseUnknownKey(const Json::Member &member, const std::string &path, const std::string &pointer)
{
    const std::string parent = path.substr(0, path.size() - member.key.size() - 1);
    std::vector<std::string> names = namesBelow(m_paths, parent);
    if (parent == ourObject)
        names.insert(names.end(), {"audit_db", "environment_file"});
    const std::vector<std::string_view> views(names.begin(), names.end());
    Problem &problem = m_problems.error(ProblemCode::UnknownKey, member.keyPlace, pointer);
    problem.found = shown(member.key);
    problem.hint = nearestName(member.key, views);
}

} // namespace

GatewayFile readGatewayFile(const NamedText &text, const std::string &home, std::vector<Problem> &problems)
{
    return Reader(text.path, home, problems).read(text.text);
}

Json prune(const Json &json, const TakenNodes &taken)
{
    if (taken.contains(&json))
        return json;
    Json out;
    for (const Json::Member &member : json.object) {
        Json value = prune(member.value, taken);
        if (value.type == Json::Type::Null && !taken.contains(&member.value))
            continue;
        out.type = Json::Type::Object;
        out.object.push_back({member.key, member.keyPlace, std::move(value)});
    }
    return out;
}

} // namespace portcullis::policy
