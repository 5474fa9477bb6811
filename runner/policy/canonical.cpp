// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/canonical.h"

#include "runner/base/paths.h"

#include <QCryptographicHash>

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::policy {
namespace {

using config::Json;

constexpr int canonicalFormat = 1;

using PathMember = std::pair<std::string_view, std::string GatewayPaths::*>;
constexpr std::array<PathMember, 11> pathMembers{{
    {"audit_db", &GatewayPaths::auditDb},
    {"config_file", &GatewayPaths::configFile},
    {"data_dir", &GatewayPaths::dataDir},
    {"database", &GatewayPaths::database},
    {"environment_file", &GatewayPaths::environmentFile},
    {"home", &GatewayPaths::home},
    {"policies_dir", &GatewayPaths::policiesDir},
    {"runtime_dir", &GatewayPaths::runtimeDir},
    {"skills_store", &GatewayPaths::skillsStore},
    {"state_dir", &GatewayPaths::stateDir},
    {"workspace", &GatewayPaths::workspace},
}};

Json text(std::string value)
{
    Json json;
    json.type = Json::Type::String;
    json.string = std::move(value);
    return json;
}

Json texts(const std::vector<std::string> &values)
{
    Json json;
    json.type = Json::Type::Array;
    std::ranges::transform(values, std::back_inserter(json.array), text);
    return json;
}

Json object()
{
    Json json;
    json.type = Json::Type::Object;
    return json;
}

Json array()
{
    Json json;
    json.type = Json::Type::Array;
    return json;
}

void put(Json &target, std::string key, Json value)
{
    target.object.push_back({std::move(key), {}, std::move(value)});
}

/// Variables that set paths are left out: the paths themselves are part of the text.
Json writeEnvironment(const std::map<std::string, std::string> &environment)
{
    Json out = object();
    for (const KeySpec &key : keys()) {
        const auto found = environment.find(key.environment);
        if (!key.environment.empty() && found != environment.end() && !found->second.empty())
            put(out, found->first, text(found->second));
    }
    return out;
}

/// Examples are checked when rules load and play no part in decisions.
void dropExamples(Json &owner)
{
    for (Json::Member &member : owner.object) {
        if (member.key != "rules")
            continue;
        for (Json &rule : member.value.array)
            std::erase_if(rule.object,
                          [](const Json::Member &part) { return part.key == "match" || part.key == "not_match"; });
    }
}

Json writePaths(const GatewayPaths &paths)
{
    Json out = object();
    for (const auto &[name, member] : pathMembers)
        put(out, std::string(name), text(paths.*member));
    put(out, "sockets", texts(paths.sockets));
    return out;
}

Json writeRules(const std::vector<NamedText> &files)
{
    Json out = object();
    for (const NamedText &file : files) {
        auto json = config::readJson5(file.text);
        if (!json)
            continue; // such a configuration does not load at all
        dropExamples(*json);
        put(out, std::string(paths::baseName(file.path)), std::move(*json));
    }
    return out;
}

std::optional<std::string> stringAt(const Json &json, std::string_view key)
{
    const Json *found = json.find(key);
    return found && found->isString() ? std::optional(found->string) : std::nullopt;
}

bool readPaths(const Json &json, ConfigurationInput &input)
{
    for (const auto &[name, member] : pathMembers) {
        const std::optional<std::string> path = stringAt(json, name);
        if (!path)
            return false;
        input.overrides.*member = *path;
    }
    const Json *sockets = json.find("sockets");
    if (!sockets || !sockets->isArray())
        return false;
    for (const Json &socket : sockets->array)
        input.overrides.sockets.push_back(socket.string);
    input.home = input.overrides.home;
    return true;
}

} // namespace

std::string writeCanonical(const CanonicalParts &parts)
{
    Json out = object();
    Json format;
    format.type = Json::Type::Number;
    format.number = canonicalFormat;
    put(out, "format", std::move(format));
    put(out, "environment", writeEnvironment(parts.input.environment));
    put(out, "gateway", parts.input.gateway ? parts.gateway.taken : Json());
    put(out, "paths", writePaths(parts.paths));
    if (!parts.input.bundledSkills.empty())
        put(out, "bundled_skills", texts(parts.input.bundledSkills));
    put(out, "rules", writeRules(parts.input.builtinRules));
    Json policies = object();
    Json broken = array();
    for (const TenantPolicy &policy : parts.policies) {
        Json taken = policy.taken;
        dropExamples(taken);
        if (policy.broken)
            broken.array.push_back(text(policy.slug));
        else
            put(policies, policy.slug, std::move(taken));
    }
    put(out, "policies", std::move(policies));
    put(out, "broken", std::move(broken));
    return config::writeJson(out, true);
}

std::optional<ConfigurationInput> readCanonical(std::string_view canonical)
{
    const auto json = config::readJson5(canonical);
    if (!json)
        return std::nullopt;
    const auto part = [&json](std::string_view key, Json::Type type) {
        const Json *found = json->find(key);
        return found && found->type == type ? found : nullptr;
    };
    const Json *format = part("format", Json::Type::Number);
    const Json *environment = part("environment", Json::Type::Object);
    const Json *paths = part("paths", Json::Type::Object);
    const Json *rules = part("rules", Json::Type::Object);
    const Json *policies = part("policies", Json::Type::Object);
    const Json *broken = part("broken", Json::Type::Array);
    ConfigurationInput input;
    if (!format || format->number != canonicalFormat || !environment || !paths || !rules || !policies || !broken
        || !readPaths(*paths, input))
        return std::nullopt;
    for (const Json::Member &variable : environment->object)
        input.environment[variable.key] = variable.value.string;
    if (const Json *gateway = part("gateway", Json::Type::Object))
        input.gateway = NamedText{input.overrides.configFile, config::writeJson(*gateway), {}};
    if (const Json *skills = part("bundled_skills", Json::Type::Array))
        std::ranges::transform(skills->array, std::back_inserter(input.bundledSkills), &Json::string);
    for (const Json::Member &file : rules->object)
        input.builtinRules.push_back({file.key, config::writeJson(file.value), {}});
    for (const Json::Member &policy : policies->object)
        input.policies.push_back({policy.key + ".json", config::writeJson(policy.value), policy.key});
    for (const Json &slug : broken->array)
        input.policies.push_back({slug.string + ".json", {}, slug.string});
    return input;
}

std::string digestOf(std::string_view canonical)
{
    const QByteArrayView bytes(canonical.data(), static_cast<qsizetype>(canonical.size()));
    return "sha256:" + QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex().toStdString();
}

} // namespace portcullis::policy
