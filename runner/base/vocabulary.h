// SPDX-License-Identifier: Apache-2.0
#pragma once

// The words of the domain as enumerations, each with the stable name that stands in records, JSON and filters.
// Names are part of the contract: never rename one, only add. Texts for people are made in `ui/text`.

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace portcullis {

/// Names of an enumeration's values, in their order. Specialised beside each enumeration.
template <class E>
struct Names;

/// The stable name of a value, e.g. `deny`.
template <class E>
[[nodiscard]] constexpr std::string_view nameOf(E value)
{
    return Names<E>::all.at(static_cast<std::size_t>(value));
}

/// The value with this exact name, or nothing.
template <class E>
[[nodiscard]] constexpr std::optional<E> fromName(std::string_view name)
{
    for (std::size_t i = 0; i < Names<E>::all.size(); ++i) {
        if (Names<E>::all[i] == name)
            return static_cast<E>(i);
    }
    return std::nullopt;
}

/// What policy says, ordered by strictness: of several verdicts the greatest wins.
enum class Verdict { Allow, Ask, Deny };
template <>
struct Names<Verdict> {
    static constexpr std::array<std::string_view, 3> all{"allow", "ask", "deny"};
};

/// Who asks for the command.
enum class Origin { Agent, Subagent, NativeWorker, McpBridge, Operator };
template <>
struct Names<Origin> {
    static constexpr std::array<std::string_view, 5> all{"agent", "subagent", "native_worker", "mcp_bridge",
                                                         "operator"};
};

/// Where the command runs.
enum class Backend { Host, Docker };
template <>
struct Names<Backend> {
    static constexpr std::array<std::string_view, 2> all{"host", "docker"};
};

/// How much of the confinement is enforced, weakest first.
enum class Level { None, Partial, Landlock, Full };
template <>
struct Names<Level> {
    static constexpr std::array<std::string_view, 4> all{"none", "partial", "landlock", "full"};
};

/// The least level that a configuration accepts (`confinement` key).
enum class ConfinementDemand { BestEffort, Required, Full };
template <>
struct Names<ConfinementDemand> {
    static constexpr std::array<std::string_view, 3> all{"best_effort", "required", "full"};
};

/// Whether tenant agents may run on the host, ordered by strictness.
enum class HostPolicy { Allow, Warn, Deny };
template <>
struct Names<HostPolicy> {
    static constexpr std::array<std::string_view, 3> all{"allow", "warn", "deny"};
};

/// Network of a command, ordered by strictness.
enum class Network { Host, None };
template <>
struct Names<Network> {
    static constexpr std::array<std::string_view, 2> all{"host", "none"};
};

/// The 15 deny groups with goclaw's names, then the path guard, which answers as a group of its own.
enum class Group {
    DestructiveOps,
    DataExfiltration,
    ReverseShell,
    CodeInjection,
    PrivilegeEscalation,
    DangerousPaths,
    EnvInjection,
    ContainerEscape,
    CryptoMining,
    FilterBypass,
    NetworkRecon,
    PackageInstall,
    Persistence,
    ProcessControl,
    EnvDump,
    PathGuard
};
inline constexpr std::size_t denyGroupCount = 15;
template <>
struct Names<Group> {
    static constexpr std::array<std::string_view, 16> all{
        "destructive_ops",      "data_exfiltration", "reverse_shell", "code_injection",
        "privilege_escalation", "dangerous_paths",   "env_injection", "container_escape",
        "crypto_mining",        "filter_bypass",     "network_recon", "package_install",
        "persistence",          "process_control",   "env_dump",      "path_guard"};
};

/// The checks of a decision in their order; `Configuration` is the refusal by a broken configuration.
enum class Check {
    Input,
    Readings,
    Credentialed,
    DenyRules,
    PathGuard,
    Backend,
    HostPolicy,
    Confinement,
    Cwd,
    Dynamic,
    Approval,
    Configuration
};
template <>
struct Names<Check> {
    static constexpr std::array<std::string_view, 12> all{"input",      "readings", "credentialed", "deny_rules",
                                                          "path_guard", "backend",  "host_policy",  "confinement",
                                                          "cwd",        "dynamic",  "approval",     "configuration"};
};

/// What a check did in the trace of a decision.
enum class CheckOutcome { Passed, Decided, Noted, NotReached };
template <>
struct Names<CheckOutcome> {
    static constexpr std::array<std::string_view, 4> all{"passed", "decided", "noted", "not_reached"};
};

/// Why the text of a command does not show everything that it will do.
enum class DynamicReason { Program, Option, Script, Loop, Budget, Syntax };
template <>
struct Names<DynamicReason> {
    static constexpr std::array<std::string_view, 6> all{"program", "option", "script", "loop", "budget", "syntax"};
};

/// How a run ended; `Running` until then, `Unfinished` when the runner itself died.
enum class Outcome { NotStarted, Running, Exited, Signalled, TimedOut, Cancelled, Unfinished };
template <>
struct Names<Outcome> {
    static constexpr std::array<std::string_view, 7> all{"not_started", "running",   "exited",    "signalled",
                                                         "timed_out",   "cancelled", "unfinished"};
};

/// The shell language in which a text is read.
enum class Dialect { Bash, Sh };
template <>
struct Names<Dialect> {
    static constexpr std::array<std::string_view, 2> all{"bash", "sh"};
};

/// The shell that is asked for: `auto` is bash where it exists, else /bin/sh.
enum class ShellChoice { Auto, Sh, Bash };
template <>
struct Names<ShellChoice> {
    static constexpr std::array<std::string_view, 3> all{"auto", "sh", "bash"};
};

/// The sandbox switch of one call.
enum class SandboxSwitch { Default, On, Off };
template <>
struct Names<SandboxSwitch> {
    static constexpr std::array<std::string_view, 3> all{"default", "on", "off"};
};

/// Which agents run in the sandbox; non-main is every agent id other than `main` and `default`.
enum class SandboxMode { Off, NonMain, All };
template <>
struct Names<SandboxMode> {
    static constexpr std::array<std::string_view, 3> all{"off", "non-main", "all"};
};

/// What the tenant workspace W is inside the sandbox.
enum class WorkspaceAccess { None, ReadOnly, ReadWrite };
template <>
struct Names<WorkspaceAccess> {
    static constexpr std::array<std::string_view, 3> all{"none", "ro", "rw"};
};

/// Who shares a container; never agents of different tenants.
enum class SandboxScope { Session, Agent, Shared };
template <>
struct Names<SandboxScope> {
    static constexpr std::array<std::string_view, 3> all{"session", "agent", "shared"};
};

/// What happens to a command whose program the text does not show; `backend`: allowed where confined, else refused.
enum class OnDynamic { Allow, Ask, Deny, Backend };
template <>
struct Names<OnDynamic> {
    static constexpr std::array<std::string_view, 4> all{"allow", "ask", "deny", "backend"};
};

/// goclaw's `tools.execApproval.security`: which commands may run at all.
enum class ApprovalSecurity { Deny, Allowlist, Full };
template <>
struct Names<ApprovalSecurity> {
    static constexpr std::array<std::string_view, 3> all{"deny", "allowlist", "full"};
};

/// goclaw's `tools.execApproval.ask`: when a person is asked.
enum class ApprovalAsk { Off, OnMiss, Always };
template <>
struct Names<ApprovalAsk> {
    static constexpr std::array<std::string_view, 3> all{"off", "on-miss", "always"};
};

/// The layer that a value of the effective configuration comes from, strongest last.
enum class Layer { Default, Gateway, GatewayAgent, Tenant, TenantAgent, Environment };
template <>
struct Names<Layer> {
    static constexpr std::array<std::string_view, 6> all{"default", "gateway",      "gateway_agent",
                                                         "tenant",  "tenant_agent", "environment"};
};

} // namespace portcullis
