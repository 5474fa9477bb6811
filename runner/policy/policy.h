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
#include <string>
#include <vector>

namespace portcullis::policy {

/// Where a value comes from. Line and column count from 1; 0 when there is no file.
struct Source {
    Layer layer = Layer::Default;
    std::string file;    ///< path, or the name of the environment variable
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
    std::string code;    ///< stable: `syntax`, `unknown_group`, `unknown_key`, `wrong_type`, `bad_value`, `cannot_loosen`, …
    std::string file;
    std::uint32_t line = 0;
    std::uint32_t column = 0;
    std::string pointer;
    std::string found;   ///< the offending value
    std::string hint;    ///< nearest good value, or the allowed values joined by ", "
};

/// An answer to one named rule (or the path guard …) for one command or shape.
struct Exemption {
    std::string id;
    Check check = Check::DenyRules;
    std::string rule;
    std::string command;                 ///< exact command, or
    std::string program;                 ///< program and …
    std::vector<std::string> args;       ///< … exact arguments (globs allowed)
    std::string agent;                   ///< empty: every agent of the tenant
    std::string cwd;                     ///< empty: anywhere
    std::optional<std::int64_t> expiresUs; ///< UTC microseconds
    std::string reason;
    std::string by;
    Source source;
};

struct SandboxSettings {
    Sourced<SandboxMode> mode;
    Sourced<std::string> image{"goclaw-sandbox:bookworm-slim", {}};
    Sourced<WorkspaceAccess> workspaceAccess{WorkspaceAccess::ReadWrite, {}};
    Sourced<bool> agentMayDisable;
    Sourced<Network> network{Network::None, {}};
    Sourced<int> memoryMb{512, {}};
    Sourced<double> cpus{1.0, {}};
    Sourced<int> pids{256, {}};
};

struct Limits {
    Sourced<int> timeoutSeconds{60, {}};      ///< 1–3600 (`timeout_max_seconds` may be larger)
    Sourced<int> timeoutMaxSeconds{3600, {}};
    Sourced<int> processes{512, {}};
    Sourced<int> openFiles{1024, {}};
    Sourced<std::int64_t> fileBytes{4LL << 30, {}};
    Sourced<std::int64_t> dataBytes{4LL << 30, {}};
};

enum class OnDynamic { Allow, Ask, Deny, Backend }; ///< Backend: allow when confined, deny otherwise (default)
struct PolicyTest {
    std::string command;
    Verdict expect = Verdict::Deny;
    std::string agent;
    Source source;
};

/// Everything in force for one tenant and agent. Made by Configuration::effective().
struct Effective {
    std::string tenant;
    std::string agent;
    bool master = false;
    Sourced<HostPolicy> hostPolicy{HostPolicy::Warn, {}};
    Sourced<ConfinementDemand> confinement{ConfinementDemand::BestEffort, {}};
    Sourced<bool> confineMaster;
    Sourced<Network> network{Network::Host, {}};
    Sourced<ShellChoice> shell{ShellChoice::Auto, {}};
    std::array<Sourced<bool>, denyGroupCount> denyGroups; ///< true = refuse
    Sourced<OnDynamic> onDynamic{OnDynamic::Backend, {}};
    Limits limits;
    SandboxSettings sandbox;
    Sourced<std::vector<std::string>> extraRead;
    Sourced<std::vector<std::string>> allowedPaths;
    Sourced<std::vector<std::string>> systemSkills; ///< folder names that are system skills
    Sourced<std::string> runAs;                     ///< user or uid for commands when the runner is root and W is root's
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
    std::string runtimeDir;  ///< shared runtime packages, {data_dir}/.runtime by default
    std::string skillsStore; ///< {data_dir}/skills-store
    std::vector<std::string> sockets;
    std::string home;        ///< of the operator, for `~/.goclaw`

    [[nodiscard]] std::string tenantDir(std::string_view slug) const { return dataDir + "/tenants/" + std::string(slug); }
    [[nodiscard]] std::string tenantWorkspace(std::string_view slug) const { return workspace + "/tenants/" + std::string(slug); }
};

/// `[a-z0-9][a-z0-9._-]{0,63}` or a UUID, and not `master`… which is the operator's own and always known.
[[nodiscard]] bool isSlug(std::string_view text);
inline constexpr std::string_view masterTenant = "master";

/// A file as bytes with its name: the pure core never opens files.
struct NamedText {
    std::string path;
    std::string text;
};

/// All inputs of a configuration, read at the edge.
struct ConfigurationInput {
    std::optional<NamedText> gateway;                 ///< the gateway's config file
    std::vector<NamedText> policies;                  ///< policies/<slug>.json
    std::vector<NamedText> builtinRules;              ///< resources/rules/*.json
    std::map<std::string, std::string> environment;   ///< only GOCLAW_*, GOCLAW_SANDBOX_*, RUNTIME_DIR, PORTCULLIS_*
    std::vector<std::string> tenantFolders;           ///< names below {data}/tenants and {workspace}/tenants
    GatewayPaths overrides;                           ///< from the command line; empty fields are not set
    std::string home;
};

/// Everything a decision depends on except the request and the host. Immutable; share by shared_ptr.
class Configuration
{
public:
    /// Reads everything. A broken tenant policy makes that tenant broken, not the gateway: see problems() and
    /// isBroken(). Fails only when the gateway file or an environment value is unusable.
    [[nodiscard]] static Result<std::shared_ptr<const Configuration>, std::vector<Problem>> load(const ConfigurationInput &input);
    ~Configuration();

    [[nodiscard]] const GatewayPaths &paths() const;
    [[nodiscard]] const std::vector<std::string> &tenants() const; ///< known slugs, sorted, without master
    [[nodiscard]] bool isKnown(std::string_view tenant) const;     ///< folder or policy exists, or master
    [[nodiscard]] bool isBroken(std::string_view tenant) const;    ///< its policy file does not load
    [[nodiscard]] const std::vector<Problem> &problems() const;
    [[nodiscard]] Effective effective(std::string_view tenant, std::string_view agent) const;
    [[nodiscard]] const rules::RuleSet &builtinRules() const;
    [[nodiscard]] const std::string &digest() const;               ///< `sha256:<64 hex digits>`
    [[nodiscard]] const std::string &canonicalText() const;        ///< what the digest is of; kept once in the record

private:
    struct Private;
    explicit Configuration(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace portcullis::policy
