// SPDX-License-Identifier: Apache-2.0
#pragma once

// The decision: a pure function of request, configuration and host facts. Run, explain, replay and policy tests all
// call this one.

#include "runner/base/span.h"
#include "runner/base/vocabulary.h"
#include "runner/decision/facts.h"
#include "runner/decision/request.h"
#include "runner/policy/policy.h"
#include "runner/shell/evaluation.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// One entry of the trace: a check, or one rule of a check.
struct TraceEntry {
    Check check = Check::Input;
    CheckOutcome outcome = CheckOutcome::Passed;
    Verdict verdict = Verdict::Allow;
    std::optional<Group> group;
    std::string rule; ///< rule id or protected path class (`data_dir`, `other_tenant`, …), or empty
    std::string title; ///< of the rule (data, English source), or empty
    std::string code; ///< stable reason code for `ui/text`, e.g. `names_data_dir`, `host_policy_deny`
    std::string detail; ///< the path, program or value concerned
    std::vector<Span> spans; ///< in the raw command
    std::string exemption; ///< id of the exemption that answered this entry
    policy::Source source; ///< the key that decided
};

struct Blocker {
    Check check = Check::DenyRules;
    Verdict verdict = Verdict::Deny;
    std::optional<Group> group;
    std::string rule;
    std::string code;
    friend bool operator==(const Blocker &, const Blocker &) = default;
};

/// The answer of policy. `verdict` is the strictest of all blockers; `decisive` is the first of that strictness.
struct Decision {
    Verdict verdict = Verdict::Deny;
    std::optional<Check> check; ///< what decided; nothing when allowed
    std::optional<Group> group;
    std::string rule;
    std::string title; ///< of the rule (data, English source)
    std::string code; ///< reason code when no rule decided
    std::string detail; ///< the path, program or value that `code` is about
    std::string reason; ///< of the rule; empty when `code` says it
    std::string advice; ///< of the rule
    std::vector<Blocker> blockers;
    std::vector<TraceEntry> trace;
    std::vector<DynamicReason> dynamic; ///< distinct, in enum order
    Backend backend = Backend::Host;
    Level level = Level::None;
    /// False: what the host can give was not found out (`HostFacts::unknownStep`). Then `level` says nothing, no
    /// command is refused for it, and none starts.
    bool levelKnown = true;
    std::vector<std::string> missing; ///< what is missing from a full level: `view:<step>`, `signals`, `network` …
    bool wouldDeny = false;
    bool obfuscated = false;
    bool tenantDirUsable = false; ///< T is in the grants of this run
    bool fsConfinementUnavailable = false;
    HostPolicy hostPolicy = HostPolicy::Warn;
    Dialect dialect = Dialect::Bash;
    std::string cwd; ///< effective working directory
    int timeoutSeconds = 60;
    bool timeoutClamped = false;
    std::string configDigest;
};

/// What the command of a request means, which `questions` and `decide` both need. Opaque; made by readCommand.
struct ReadCommand;
using ReadCommands = std::shared_ptr<const std::vector<ReadCommand>>;

/// Reads and evaluates the command. Pure. Null where there is nothing to evaluate: refused input, unknown tenant.
[[nodiscard]] ReadCommands readCommand(const ExecRequest &request, const policy::Configuration &configuration,
                                       const HostFacts &facts);

/// The path questions whose answers `decide` may look at. Pure; at most maxPathQuestions. `read`: of the same request,
/// configuration and facts, or null to have it read here.
[[nodiscard]] std::vector<PathQuestion> questions(const ExecRequest &request,
                                                  const policy::Configuration &configuration, const HostFacts &facts,
                                                  ReadCommands read = {});

/// Total and without I/O. An unknown or broken tenant gives verdict deny by check `configuration`. `read`: as above;
/// the facts may have got answers since.
[[nodiscard]] Decision decide(const ExecRequest &request, const policy::Configuration &configuration,
                              const HostFacts &facts, ReadCommands read = {});

/// Where and how a run takes place, as far as its environment depends on it.
struct Placement {
    Backend backend = Backend::Host;
    Level level = Level::None;
    bool tenantDirUsable = false;
};
[[nodiscard]] inline Placement placementOf(const Decision &decision)
{
    return {decision.backend, decision.level, decision.tenantDirUsable};
}

/// The whole environment that a run of this request gives its command (also what the evaluator takes as known
/// variables). Built from nothing, never inherited. No value points into T unless the tenant directory is usable.
/// TMPDIR: `/tmp` in the private view, in a container and for a master run without places of its own; else the tenant's
/// own temporary directory (tenantTmp) with Landlock alone, `W/.tmp` for the bridge and without Landlock.
[[nodiscard]] std::map<std::string, std::string, std::less<>>
commandEnvironment(const ExecRequest &request, const policy::Configuration &configuration, const Placement &placement);

/// Whether the tenant has T and W of its own, which nobody else may name. The master tenant has where it is confined:
/// around its usual place, which holds the workspaces of all others, no wall could stand.
[[nodiscard]] bool hasOwnPlaces(const policy::Configuration &configuration, std::string_view tenant);

/// W: `{workspace}/tenants/{slug}`; the main workspace itself for a master tenant without places of its own.
[[nodiscard]] std::string workspaceOf(const policy::Configuration &configuration, std::string_view tenant);

/// The tenant's own temporary directory, outside T: `{data_dir}/.portcullis/tmp/{slug}`.
[[nodiscard]] std::string tenantTmp(const policy::GatewayPaths &paths, std::string_view tenant);

} // namespace portcullis::decision
