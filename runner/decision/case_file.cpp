// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/case_file.h"

#include "runner/base/paths.h"
#include "runner/policy/exemption.h"

namespace portcullis::decision {
namespace {

/// Each check looks at each program that a command starts. No everyday command comes near, and what goes as far is
/// still decided in a twentieth of a second.
constexpr shell::EvaluationLimits readingLimits{.steps = 4'000'000, .invocations = 5'000};

/// Agents that the mode `non-main` leaves on the host.
bool isMainAgent(std::string_view agent)
{
    return agent == "main" || agent == "default";
}

bool sandboxConfigured(SandboxMode mode, std::string_view agent)
{
    switch (mode) {
    case SandboxMode::Off:
        return false;
    case SandboxMode::NonMain:
        return !isMainAgent(agent);
    case SandboxMode::All:
        return true;
    }
    return true;
}

/// The switch of one call can tighten; loosening is for a person or where the policy lets agents do it.
BackendChoice chooseBackend(const ExecRequest &request, const policy::SandboxSettings &sandbox)
{
    BackendChoice choice;
    choice.source = sandbox.mode.source;
    choice.configured = sandboxConfigured(sandbox.mode.value, request.agent);
    const bool wanted = choice.configured || request.sandbox == SandboxSwitch::On;
    choice.backend = wanted ? Backend::Docker : Backend::Host;
    if (request.sandbox != SandboxSwitch::Off || !choice.configured)
        return choice;
    if (request.origin == Origin::McpBridge) {
        choice.refusedForBridge = true;
    } else if (request.origin == Origin::Operator || sandbox.agentMayDisable.value) {
        choice.disabledForCall = true;
        choice.backend = Backend::Host;
    } else {
        choice.switchIgnored = true;
    }
    return choice;
}

Dialect dialectOf(ShellChoice choice, const HostFacts &facts, bool onHost)
{
    switch (choice) {
    case ShellChoice::Sh:
        return Dialect::Sh;
    case ShellChoice::Bash:
        return Dialect::Bash;
    case ShellChoice::Auto:
        break;
    }
    return facts.bashPresent || !onHost ? Dialect::Bash : Dialect::Sh;
}

policy::Finding subjectOf(const CaseFile &file, Check check, std::string_view rule, std::span<const Span> spans,
                          const ReadCommand &reading)
{
    policy::Finding finding{check,
                            rule,
                            spans,
                            file.request.command,
                            reading.raw ? &reading.evaluation : nullptr,
                            file.request.agent,
                            file.cwd,
                            file.request.timeUs};
    if (file.onHost()) {
        finding.resolve = [&answers = file.facts.answers](const std::string &path) {
            const auto answer = answers.find({PathQuestion::Kind::Resolve, path});
            return answer == answers.end() || answer->second.empty() ? std::nullopt : std::optional(answer->second);
        };
    }
    return finding;
}

std::string answeredBy(const CaseFile &file, const policy::Finding &finding)
{
    for (const policy::Exemption &exemption : file.effective.exemptions) {
        if (policy::answers(exemption, finding))
            return exemption.id;
    }
    return {};
}

} // namespace

CaseFile::CaseFile(const ExecRequest &r, const policy::Configuration &c, const HostFacts &f)
    : request(r)
    , configuration(c)
    , facts(f)
    , effective(c.effective(r.tenant, r.agent))
    , paths(c.paths())
    , master(r.tenant == policy::masterTenant)
    , backend(chooseBackend(r, effective.sandbox))
    , confined(!master || effective.confineMaster.value)
{
    if (onHost())
        level = levelFor(facts, confined, effective.network.value);
    else if (facts.engine == EngineState::Up)
        level.level = Level::Full; // the container holds everything that the walls hold
    // Where nobody knows what the host can give nothing starts, and a lack of walls is no reason to refuse.
    const bool walls = facts.landlockWorks() || !facts.isKnown();
    if (hasOwnPlaces(c, r.tenant))
        tenantDirUsable = onHost() ? walls && request.origin != Origin::McpBridge : true;
    cwd = paths::normalised(request.cwd.empty() ? workspaceOf(configuration, request.tenant) : request.cwd);
    const ShellChoice shell = request.shell.value_or(effective.shell.value);
    dialect = dialectOf(shell, facts, onHost());
    // Which shells an image has is not known.
    dialectUnknown = !onHost() && shell == ShellChoice::Auto;
}

shell::EvaluationContext CaseFile::evaluationContext() const
{
    const Placement placement{backend.backend, level.level, tenantDirUsable};
    return {dialect, dialectUnknown, cwd, commandEnvironment(request, configuration, placement)};
}

CandidateContext CaseFile::candidateContext(std::string_view text) const
{
    return {text, cwd, workspaceOf(configuration, request.tenant), paths.home};
}

PathZones CaseFile::zones() const
{
    return {paths,
            effective.systemSkills.value,
            {request.tenant, hasOwnPlaces(configuration, request.tenant), tenantDirUsable,
             request.origin == Origin::McpBridge, !onHost()}};
}

ReadCommands readCommand(const CaseFile &file)
{
    const shell::EvaluationContext context = file.evaluationContext();
    std::vector<DerivedText> texts = additionalTexts(file.request.command);
    texts.insert(texts.begin(), DerivedText{});
    auto readings = std::make_shared<std::vector<ReadCommand>>();
    for (DerivedText &derived : texts) {
        ReadCommand read{std::move(derived), {}, {}, readings->empty()};
        read.evaluation = shell::evaluate(read.text(file.request), context, readingLimits);
        read.paths = pathCandidates(read.evaluation, file.candidateContext(read.text(file.request)));
        readings->push_back(std::move(read));
    }
    return readings;
}

Finding passed(Check check)
{
    Finding finding;
    finding.entry.check = check;
    return finding;
}

Finding noted(Check check, std::string code, std::string detail)
{
    Finding finding = passed(check);
    finding.entry.outcome = CheckOutcome::Noted;
    finding.entry.code = std::move(code);
    finding.entry.detail = std::move(detail);
    return finding;
}

Finding refused(Check check, std::string code, std::string detail)
{
    Finding finding = noted(check, std::move(code), std::move(detail));
    finding.entry.outcome = CheckOutcome::Decided;
    finding.entry.verdict = Verdict::Deny;
    return finding;
}

std::string exemptionFor(const CaseFile &file, Check check, std::string_view rule, std::span<const Span> spans,
                         const ReadCommand &reading)
{
    return answeredBy(file, subjectOf(file, check, rule, spans, reading));
}

std::string exemptionFor(const CaseFile &file, const rules::RuleHit &hit, const ReadCommand &reading)
{
    policy::Finding finding = subjectOf(file, Check::DenyRules, hit.rule->id, hit.spans, reading);
    finding.invocations = hit.invocations;
    finding.complete = hit.complete;
    return answeredBy(file, finding);
}

} // namespace portcullis::decision
