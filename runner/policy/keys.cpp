// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/keys.h"

#include "runner/config/json5.h"

#include <algorithm>
#include <array>
#include <type_traits>

namespace portcullis::policy {
namespace {

/// Reads and writes one member of Effective, given as a path of member pointers.
template <auto... Path>
struct Field {
    static auto &of(Effective &effective) { return (effective.*....*Path); }
    static const auto &of(const Effective &effective) { return (effective.*....*Path); }
    using Value = std::remove_reference_t<decltype(of(std::declval<Effective &>()).value)>;

    static void store(Effective &effective, const KeyValue &value, const Source &source)
    {
        auto &member = of(effective);
        if constexpr (std::is_enum_v<Value>)
            member.value = fromName<Value>(std::get<std::string>(value)).value_or(member.value);
        else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
            member.value = static_cast<Value>(std::get<double>(value));
        else
            member.value = std::get<Value>(value);
        member.source = source;
    }

    static Sourced<KeyValue> load(const Effective &effective)
    {
        const auto &member = of(effective);
        if constexpr (std::is_enum_v<Value>)
            return {std::string(nameOf(member.value)), member.source};
        else if constexpr (std::is_arithmetic_v<Value> && !std::is_same_v<Value, bool>)
            return {static_cast<double>(member.value), member.source};
        else
            return {member.value, member.source};
    }
};

template <auto... Path>
KeySpec key(std::string name, KeySpec::Kind kind)
{
    using F = Field<Path...>;
    KeySpec spec;
    spec.name = std::move(name);
    spec.kind = kind;
    spec.store = &F::store;
    spec.load = &F::load;
    if constexpr (std::is_enum_v<typename F::Value>)
        spec.words.assign(Names<typename F::Value>::all.begin(), Names<typename F::Value>::all.end());
    return spec;
}

template <auto... Path>
KeySpec number(std::string name, double least, double greatest, KeySpec::Kind kind = KeySpec::Kind::Integer)
{
    KeySpec spec = key<Path...>(std::move(name), kind);
    spec.least = least;
    spec.greatest = greatest;
    return spec;
}

template <std::size_t Index>
KeySpec groupKey()
{
    constexpr std::string_view group = Names<Group>::all[Index];
    KeySpec spec;
    spec.name = "deny_groups." + std::string(group);
    spec.gateway = "tools.shellDenyGroups." + std::string(group);
    spec.gatewayAgent = "shell_deny_groups." + std::string(group);
    spec.store = [](Effective &effective, const KeyValue &value, const Source &source) {
        effective.denyGroups[Index] = {std::get<bool>(value), source};
    };
    spec.load = [](const Effective &effective) {
        return Sourced<KeyValue>{effective.denyGroups[Index].value, effective.denyGroups[Index].source};
    };
    return spec;
}

template <std::size_t... Index>
void addGroups(std::vector<KeySpec> &out, std::index_sequence<Index...>)
{
    (out.push_back(groupKey<Index>()), ...);
}

using Kind = KeySpec::Kind;
using E = Effective;
constexpr double longestSeconds = 7 * 24 * 3600;
constexpr double mostBytes = 1LL << 50;

void addGeneral(std::vector<KeySpec> &out)
{
    const auto add = [&out](KeySpec spec, std::string gateway, std::string environment = {}) -> KeySpec & {
        spec.gateway = std::move(gateway);
        spec.environment = std::move(environment);
        return out.emplace_back(std::move(spec));
    };
    add(key<&E::hostPolicy>("host_policy", Kind::Word), "tools.exec.tenant_host_policy",
        "GOCLAW_EXEC_TENANT_HOST_POLICY")
        .strictest = true;
    add(key<&E::confinement>("confinement", Kind::Word), "portcullis.confinement", "PORTCULLIS_CONFINEMENT").strictest =
        true;
    add(key<&E::network>("network", Kind::Word), "portcullis.network", "PORTCULLIS_NETWORK").strictest = true;
    add(key<&E::shell>("shell", Kind::Word), "tools.exec.shell");
    add(key<&E::onDynamic>("on_dynamic", Kind::Word), "portcullis.on_dynamic");
    add(key<&E::extraRead>(std::string(extraReadKey), Kind::Paths), "portcullis.extra_read");
    add(key<&E::allowedPaths>("allowed_paths", Kind::Paths), "agents.defaults.allowed_paths").gatewayAgent =
        "allowed_paths";
    add(key<&E::confineMaster>("confine_master", Kind::Bool), "portcullis.confine_master").gatewayOnly = true;
    add(key<&E::systemSkills>("system_skills", Kind::Names), "portcullis.system_skills").gatewayOnly = true;
    add(key<&E::runAs>("run_as", Kind::Text), "portcullis.run_as").gatewayOnly = true;
    add(key<&E::approval, &ApprovalSettings::security>("approval.security", Kind::Word), "tools.execApproval.security")
        .gatewayOnly = true;
    add(key<&E::approval, &ApprovalSettings::ask>("approval.ask", Kind::Word), "tools.execApproval.ask").gatewayOnly =
        true;
    add(key<&E::approval, &ApprovalSettings::allowlist>("approval.allowlist", Kind::Names),
        "tools.execApproval.allowlist")
        .gatewayOnly = true;
}

void addLimits(std::vector<KeySpec> &out)
{
    const auto add = [&out](KeySpec spec, std::string gateway) {
        spec.gateway = std::move(gateway);
        out.push_back(std::move(spec));
    };
    add(number<&E::limits, &Limits::timeoutSeconds>("limits.timeout_seconds", 1, longestSeconds),
        "tools.exec.timeout_seconds");
    add(number<&E::limits, &Limits::timeoutMaxSeconds>("limits.timeout_max_seconds", 1, longestSeconds),
        "portcullis.limits.timeout_max_seconds");
    add(number<&E::limits, &Limits::processes>("limits.processes", 8, 1 << 20), "portcullis.limits.processes");
    add(number<&E::limits, &Limits::openFiles>("limits.open_files", 32, 1 << 20), "portcullis.limits.open_files");
    add(number<&E::limits, &Limits::fileBytes>("limits.file_bytes", 1 << 20, mostBytes),
        "portcullis.limits.file_bytes");
    add(number<&E::limits, &Limits::dataBytes>("limits.data_bytes", 64 << 20, mostBytes),
        "portcullis.limits.data_bytes");
    add(number<&E::limits, &Limits::memoryBytes>("limits.memory_bytes", 64 << 20, mostBytes),
        "portcullis.limits.memory_bytes");
    add(number<&E::limits, &Limits::freeBytes>("limits.free_bytes", 0, mostBytes), "portcullis.limits.free_bytes");
}

void addSandbox(std::vector<KeySpec> &out)
{
    using S = SandboxSettings;
    const auto add = [&out](KeySpec spec, const std::string &gateway,
                            const std::string &environment = {}) -> KeySpec & {
        spec.gateway = "agents.defaults.sandbox." + gateway;
        spec.gatewayAgent = "sandbox." + gateway;
        spec.environment = environment;
        return out.emplace_back(std::move(spec));
    };
    add(key<&E::sandbox, &S::mode>("sandbox.mode", Kind::Word), "mode", "GOCLAW_SANDBOX_MODE");
    add(key<&E::sandbox, &S::scope>("sandbox.scope", Kind::Word), "scope", "GOCLAW_SANDBOX_SCOPE");
    add(key<&E::sandbox, &S::image>("sandbox.image", Kind::Text), "image", "GOCLAW_SANDBOX_IMAGE");
    add(key<&E::sandbox, &S::workspaceAccess>("sandbox.workspace_access", Kind::Word), "workspace_access",
        "GOCLAW_SANDBOX_WORKSPACE_ACCESS");
    KeySpec &network =
        add(key<&E::sandbox, &S::network>("sandbox.network", Kind::Word), "network_enabled", "GOCLAW_SANDBOX_NETWORK");
    network.strictest = true;
    network.flag = true;
    add(number<&E::sandbox, &S::memoryMb>("sandbox.memory_mb", 16, 1 << 20), "memory_mb", "GOCLAW_SANDBOX_MEMORY_MB");
    add(number<&E::sandbox, &S::cpus>("sandbox.cpus", 0.01, 1024, Kind::Number), "cpus", "GOCLAW_SANDBOX_CPUS");
    add(number<&E::sandbox, &S::pids>("sandbox.pids", 8, 1 << 20), "pids_limit");
    KeySpec &disable = add(key<&E::sandbox, &S::agentMayDisable>("sandbox.agent_may_disable", Kind::Bool), "");
    disable.gateway = "portcullis.sandbox.agent_may_disable";
    disable.gatewayAgent.clear();
}

} // namespace

const std::vector<KeySpec> &keys()
{
    static const std::vector<KeySpec> table = [] {
        std::vector<KeySpec> out;
        addGeneral(out);
        addGroups(out, std::make_index_sequence<denyGroupCount>());
        addLimits(out);
        addSandbox(out);
        return out;
    }();
    return table;
}

std::size_t strictness(const KeySpec &key, const KeyValue &value)
{
    const auto found = std::ranges::find(key.words, std::get<std::string>(value));
    return static_cast<std::size_t>(found - key.words.begin());
}

std::string toJson(const KeyValue &value)
{
    struct Writer {
        std::string operator()(bool v) const { return v ? "true" : "false"; }
        std::string operator()(double v) const { return config::writeJsonNumber(v); }
        std::string operator()(const std::string &v) const { return config::quoteJson(v); }
        std::string operator()(const std::vector<std::string> &list) const
        {
            std::string out = "[";
            for (const std::string &item : list)
                out += (out.size() > 1 ? "," : "") + config::quoteJson(item);
            return out + "]";
        }
    };
    return std::visit(Writer{}, value);
}

std::optional<Group> denyGroup(std::string_view name)
{
    const std::optional<Group> group = fromName<Group>(name);
    return group == Group::PathGuard ? std::nullopt : group;
}

std::span<const std::string_view> denyGroupNames()
{
    return std::span(Names<Group>::all).first(denyGroupCount);
}

} // namespace portcullis::policy
