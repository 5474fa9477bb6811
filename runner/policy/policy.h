// SPDX-License-Identifier: Apache-2.0
#pragma once

// The configuration as values: gateway file, tenant policies, environment, and what follows from them for one tenant
// and agent, each value with the place that it comes from.

#include "runner/base/result.h"
#include "runner/base/vocabulary.h"
#include "runner/rules/rule.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::policy {

/// Where a value comes from. Line and column count from 1; 0 when there is no file.
struct Source {
    Layer layer = Layer::Default;
    std::string file; ///< path, or the name of the environment variable
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string pointer; ///< JSON pointer of the key, e.g. `/deny_groups/package_install`
};

template <class T>
struct Sourced {
    T value{};
    Source source;
};

/// What is wrong in a configuration file, or what deserves a look.
struct Problem {
    enum class Severity { Warning, Error };
    Severity severity = Severity::Error;
    std::string code; ///< stable; the table of words is ui/text/problem_text.cpp
    std::string tenant; ///< whose policy; empty for the gateway
    std::string file; ///< path, or the name of an environment variable
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string pointer;
    std::string found; ///< the offending value, at most 80 bytes
    std::string hint; ///< one nearest good value ("did you mean …"), or empty
    std::vector<std::string> allowed; ///< all good values where they are few
    friend bool operator==(const Problem &, const Problem &) = default;
};

/// An answer to one finding of a named rule, for one command or shape.
struct Exemption {
    std::string id;
    Check check = Check::DenyRules; ///< an exemptable one, see isExemptable()
    std::string rule; ///< rule id; for check `dynamic` the reason
    std::string command; ///< exact command, or
    std::string program; ///< base name of the program and …
    std::vector<std::string> args; ///< … all of its arguments in order (globs; a last `**` stands for any rest)
    std::string agent; ///< empty: every agent of the tenant
    std::string cwd; ///< empty: anywhere
    std::optional<std::int64_t> expiresUs; ///< UTC microseconds
    std::string reason;
    std::string by;
    Source source;
};

struct SandboxSettings {
    Sourced<SandboxMode> mode;
    Sourced<SandboxScope> scope;
    Sourced<std::string> image{"goclaw-sandbox:bookworm-slim", {}};
    Sourced<WorkspaceAccess> workspaceAccess{WorkspaceAccess::ReadWrite, {}};
    Sourced<bool> agentMayDisable;
    Sourced<Network> network{Network::None, {}};
    Sourced<int> memoryMb{512, {}};
    Sourced<double> cpus{1.0, {}};
    Sourced<int> pids{256, {}};
};

struct Limits {
    Sourced<int> timeoutSeconds{60, {}}; ///< 1–3600 (`timeout_max_seconds` may be larger)
    Sourced<int> timeoutMaxSeconds{3600, {}};
    Sourced<int> processes{512, {}};
    Sourced<int> openFiles{1024, {}};
    Sourced<std::int64_t> fileBytes{4LL << 30, {}};
    /// In practice none: AddressSanitizer maps 15 TiB that it does not fill, and the data segment counts them.
    Sourced<std::int64_t> dataBytes{1LL << 50, {}};
    Sourced<std::int64_t> memoryBytes{4LL << 30, {}}; ///< all processes of a run together
    /// What a run must leave free on the file systems that it may write to; 0: nothing.
    Sourced<std::int64_t> freeBytes{128LL << 20, {}};
};

/// goclaw's approval keys; `security: deny` refuses every command, `ask: always` asks for every one.
struct ApprovalSettings {
    Sourced<ApprovalSecurity> security{ApprovalSecurity::Full, {}};
    Sourced<ApprovalAsk> ask;
    Sourced<std::vector<std::string>> allowlist; ///< globs on the base name or the whole command
};

struct PolicyTest {
    std::string command;
    Verdict expect = Verdict::Deny;
    std::string agent;
    Source source;
};

[[nodiscard]] constexpr std::array<Sourced<bool>, denyGroupCount> allGroupsRefused()
{
    std::array<Sourced<bool>, denyGroupCount> groups;
    for (Sourced<bool> &group : groups)
        group.value = true;
    return groups;
}

/// Everything in force for one tenant and agent. Made by Configuration::effective().
struct Effective {
    std::string tenant; ///< empty when the tenant is not known
    std::string agent; ///< empty when nothing is said about this agent by name
    bool master = false;
    Sourced<HostPolicy> hostPolicy{HostPolicy::Warn, {}};
    Sourced<ConfinementDemand> confinement{ConfinementDemand::BestEffort, {}};
    Sourced<bool> confineMaster;
    Sourced<Network> network{Network::Host, {}};
    Sourced<ShellChoice> shell{ShellChoice::Auto, {}};
    std::array<Sourced<bool>, denyGroupCount> denyGroups = allGroupsRefused(); ///< true = refuse
    Sourced<OnDynamic> onDynamic{OnDynamic::Backend, {}};
    ApprovalSettings approval;
    Limits limits;
    SandboxSettings sandbox;
    Sourced<std::vector<std::string>> extraRead;
    Sourced<std::vector<std::string>> allowedPaths;
    Sourced<std::vector<std::string>> systemSkills; ///< folder names; when none are named, those of the bundled skills
    Sourced<std::string> runAs; ///< user or uid for commands when the runner is root and W is root's
    std::vector<Exemption> exemptions;
    std::vector<PolicyTest> tests;
    std::shared_ptr<const rules::RuleSet> tenantRules; ///< may be null
};

/// The places of a gateway, absolute and without a trailing slash.
struct GatewayPaths {
    std::string configFile;
    std::string environmentFile;
    std::string dataDir;
    std::string workspace;
    std::string database;
    std::string auditDb;
    std::string policiesDir;
    std::string stateDir;
    std::string runtimeDir; ///< shared runtime packages, {data_dir}/.runtime by default
    std::string skillsStore; ///< {data_dir}/skills-store
    std::string
        bundledSkillsDir; ///< what the gateway fills its store from; empty: not said. Not part of canonicalText()
    std::vector<std::string> sockets;
    std::string home; ///< of the operator, for `~/.goclaw`

    [[nodiscard]] std::string tenantDir(std::string_view slug) const
    {
        return dataDir + "/tenants/" + std::string(slug);
    }
    [[nodiscard]] std::string tenantWorkspace(std::string_view slug) const
    {
        return workspace + "/tenants/" + std::string(slug);
    }
};

/// `[a-z0-9][a-z0-9._-]{0,63}` or a UUID. The reserved `master` has the form of a slug; `.` and `..` have not.
[[nodiscard]] bool isSlug(std::string_view text);
inline constexpr std::string_view masterTenant = "master";

/// Whether an exemption may answer this check. Never: input, path guard, backend, host policy, confinement, working
/// directory (`allowed_paths` is for that), configuration.
[[nodiscard]] bool isExemptable(Check check);

/// A file as bytes with its name: the pure core never opens files.
struct NamedText {
    std::string path;
    std::string text;
    std::string tenant{}; ///< of a policy; empty: the file's name without `.json`
    friend bool operator==(const NamedText &, const NamedText &) = default;
};

/// All inputs of a configuration, read at the edge.
struct ConfigurationInput {
    std::optional<NamedText> gateway; ///< the gateway's config file
    std::vector<NamedText> policies; ///< policies/<slug>.json
    std::vector<Problem> refusedPolicies; ///< policy files that may not be used (owner, mode): their tenants are broken
    std::vector<NamedText> builtinRules; ///< resources/rules/*.json
    std::map<std::string, std::string> environment; ///< names of environmentNames(); others are ignored
    std::vector<std::string> tenantFolders; ///< names below {data}/tenants and {workspace}/tenants
    std::vector<std::string> bundledSkills; ///< names of the gateway's bundled skills: its system skills by default
    GatewayPaths overrides; ///< from the command line; empty fields are not set
    GatewayPaths defaults; ///< by role of the process: audit database, state, sockets
    std::string home;
    bool checkExamples = false; ///< run the examples of the built-in rules too (those of tenants always are)
};

/// The environment variables that a configuration reads. None of them holds a secret.
[[nodiscard]] std::span<const std::string_view> environmentNames();

/// The paths alone, before policies can be looked for: what Configuration::paths() will be.
[[nodiscard]] Result<GatewayPaths, std::vector<Problem>> gatewayPaths(const ConfigurationInput &input);

/// Everything a decision depends on except the request and the host. Immutable; share by shared_ptr.
class Configuration
{
public:
    /// Reads everything. A broken tenant policy makes that tenant broken, not the gateway: see problems() and
    /// isBroken(). Fails only when the gateway file or an environment value is unusable.
    [[nodiscard]] static Result<std::shared_ptr<const Configuration>, std::vector<Problem>>
    load(const ConfigurationInput &input);
    /// Reads a canonicalText() again, for replays of a record. Digest, paths and effective values are those of the
    /// original; places in files are not kept. Folders are facts of the host and come from outside.
    [[nodiscard]] static Result<std::shared_ptr<const Configuration>, std::vector<Problem>>
    loadCanonical(std::string_view text, const std::vector<std::string> &tenantFolders);
    ~Configuration();
    Configuration(const Configuration &) = delete;
    Configuration &operator=(const Configuration &) = delete;

    [[nodiscard]] const GatewayPaths &paths() const;
    [[nodiscard]] const std::vector<std::string> &tenants() const; ///< known slugs, sorted, without master
    [[nodiscard]] bool isKnown(std::string_view tenant) const; ///< folder or policy exists, or master
    [[nodiscard]] bool isBroken(std::string_view tenant) const; ///< its policy file does not load
    [[nodiscard]] const std::vector<Problem> &problems() const;
    /// What is in force; computed once. The reference lives as long as this object. For a tenant that is not known the
    /// gateway's values with an empty `tenant`; for a broken one the gateway's values. Any thread.
    [[nodiscard]] const Effective &effective(std::string_view tenant, std::string_view agent) const;
    [[nodiscard]] const rules::RuleSet &builtinRules() const;
    [[nodiscard]] const std::string &digest() const; ///< `sha256:<64 hex digits>`
    [[nodiscard]] const std::string &canonicalText() const; ///< what the digest is of; kept once in the record

private:
    struct Private;
    explicit Configuration(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace portcullis::policy
