// SPDX-License-Identifier: Apache-2.0
#pragma once

// Everything about one request that several checks need, worked out once. Internal to the decision.

#include "runner/decision/decision.h"
#include "runner/decision/levels.h"
#include "runner/decision/path_candidates.h"
#include "runner/decision/path_zones.h"
#include "runner/decision/readings.h"

#include <span>
#include <string>
#include <utility>
#include <vector>

namespace portcullis::decision {

/// How the backend was chosen.
struct BackendChoice {
    Backend backend = Backend::Host;
    bool configured = false; ///< the sandbox is on for this agent
    bool disabledForCall = false; ///< … and was switched off for this call by somebody who may
    bool switchIgnored = false; ///< … or by somebody who may not
    bool refusedForBridge = false; ///< … or for the bridge, which never runs on the host instead
    policy::Source source; ///< the key that decided
};

struct CaseFile {
    CaseFile(const ExecRequest &request, const policy::Configuration &configuration, const HostFacts &facts);

    const ExecRequest &request;
    const policy::Configuration &configuration;
    const HostFacts &facts;
    const policy::Effective &effective;
    const policy::GatewayPaths &paths;

    bool master = false;
    BackendChoice backend;
    bool confined = true; ///< host runs of this tenant are confined where the host can
    LevelAnswer level;
    bool tenantDirUsable = false;
    std::string cwd;
    Dialect dialect = Dialect::Bash;
    bool dialectUnknown = false;

    [[nodiscard]] bool onHost() const { return backend.backend == Backend::Host; }
    [[nodiscard]] bool tenantOnHost() const { return onHost() && !master; }
    [[nodiscard]] shell::EvaluationContext evaluationContext() const;
    [[nodiscard]] CandidateContext candidateContext(std::string_view text) const;
    [[nodiscard]] PathZones zones() const;
};

/// One reading of the command with what it means.
struct ReadCommand {
    DerivedText derived; ///< empty origin for the raw reading
    shell::Evaluation evaluation;
    PathCandidates paths;
    bool raw = true;

    [[nodiscard]] std::vector<Span> rawSpans(const std::vector<Span> &spans) const
    {
        return raw ? spans : derived.rawSpans(spans);
    }
    [[nodiscard]] std::string_view text(const ExecRequest &request) const
    {
        return raw ? std::string_view(request.command) : std::string_view(derived.text);
    }
};

/// The raw reading first, then the additional ones.
[[nodiscard]] ReadCommands readCommand(const CaseFile &file);

/// A trace entry with the rule behind it, whose words the decision takes over.
struct Finding {
    TraceEntry entry;
    const rules::Rule *rule = nullptr;
};
using Findings = std::vector<Finding>;

/// Entries of the common shapes.
[[nodiscard]] Finding passed(Check check);
[[nodiscard]] Finding noted(Check check, std::string code, std::string detail = {});
[[nodiscard]] Finding refused(Check check, std::string code, std::string detail = {});

// The checks, each in a file of its own or with its family. None looks at another's result.
[[nodiscard]] Findings checkInput(const ExecRequest &request);
[[nodiscard]] Findings checkReadings(const CaseFile &file, std::span<const ReadCommand> readings);
[[nodiscard]] Findings checkRules(const CaseFile &file, std::span<const ReadCommand> readings,
                                  std::vector<shell::DynamicNote> &notes);
[[nodiscard]] Findings checkPaths(const CaseFile &file, std::span<const ReadCommand> readings,
                                  std::vector<shell::DynamicNote> &notes);
[[nodiscard]] Findings checkBackend(const CaseFile &file);
[[nodiscard]] Findings checkHostPolicy(const CaseFile &file);
[[nodiscard]] Findings checkConfinement(const CaseFile &file);
[[nodiscard]] Findings checkCwd(const CaseFile &file);
[[nodiscard]] Findings checkDynamic(const CaseFile &file, const ReadCommand &raw,
                                    const std::vector<shell::DynamicNote> &notes, std::vector<DynamicReason> &reasons);
[[nodiscard]] Findings checkApproval(const CaseFile &file, const ReadCommand &raw);

/// The exemption that answers this finding, or an empty string.
[[nodiscard]] std::string exemptionFor(const CaseFile &file, Check check, std::string_view rule,
                                       std::span<const Span> spans, const ReadCommand &reading);
/// Of a rule's hit.
[[nodiscard]] std::string exemptionFor(const CaseFile &file, const rules::RuleHit &hit, const ReadCommand &reading);

/// The directories in which a command of this request may start.
[[nodiscard]] std::vector<std::string> permittedRoots(const CaseFile &file);

} // namespace portcullis::decision
