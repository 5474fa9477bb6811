// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/decision.h"

#include "runner/decision/case_file.h"

#include <algorithm>
#include <array>

namespace portcullis::decision {
namespace {

constexpr std::array checkOrder{Check::Input,     Check::Readings, Check::Credentialed, Check::DenyRules,
                                Check::PathGuard, Check::Backend,  Check::HostPolicy,   Check::Confinement,
                                Check::Cwd,       Check::Dynamic,  Check::Approval};

bool blocks(const Finding &finding)
{
    return finding.entry.outcome == CheckOutcome::Decided && finding.entry.verdict != Verdict::Allow;
}

/// Verdict, blockers and the words of what decided, from the findings in check order.
void conclude(Decision &decision, const Findings &findings)
{
    const Finding *decisive = nullptr;
    decision.trace.reserve(findings.size());
    for (const Finding &finding : findings) {
        decision.trace.push_back(finding.entry);
        if (!blocks(finding))
            continue;
        const TraceEntry &entry = finding.entry;
        decision.blockers.push_back({entry.check, entry.verdict, entry.group, entry.rule, entry.code});
        if (!decisive || entry.verdict > decisive->entry.verdict)
            decisive = &finding;
    }
    decision.verdict = Verdict::Allow;
    if (!decisive)
        return;
    const TraceEntry &entry = decisive->entry;
    decision.verdict = entry.verdict;
    decision.check = entry.check;
    decision.group = entry.group;
    decision.rule = entry.rule;
    decision.code = entry.code;
    decision.detail = entry.detail;
    if (decisive->rule) {
        decision.title = decisive->rule->title;
        decision.reason = decisive->rule->reason;
        decision.advice = decisive->rule->advice;
    }
}

void addNotReached(Findings &findings)
{
    for (const Check check : checkOrder) {
        if (std::ranges::contains(findings, check, [](const Finding &finding) { return finding.entry.check; }))
            continue;
        Finding finding = passed(check);
        finding.entry.outcome = CheckOutcome::NotReached;
        findings.push_back(std::move(finding));
    }
}

/// Nothing can be judged for a tenant whose policy is not known: refused, and nothing runs.
std::optional<Finding> configurationProblem(const ExecRequest &request, const policy::Configuration &configuration)
{
    if (!configuration.isKnown(request.tenant))
        return refused(Check::Configuration, "unknown_tenant", request.tenant);
    if (!configuration.isBroken(request.tenant))
        return std::nullopt;
    Finding finding = refused(Check::Configuration, "broken_policy", request.tenant);
    for (const policy::Problem &problem : configuration.problems()) {
        if (problem.tenant != request.tenant || problem.severity != policy::Problem::Severity::Error)
            continue;
        finding.entry.rule = problem.code;
        finding.entry.source = {Layer::Tenant, problem.file, problem.line, problem.column, problem.pointer};
        break;
    }
    return finding;
}

void setTimeout(Decision &decision, const ExecRequest &request, const policy::Limits &limits)
{
    const int most = std::max(1, limits.timeoutMaxSeconds.value);
    const int asked =
        request.timeoutSeconds && *request.timeoutSeconds > 0 ? *request.timeoutSeconds : limits.timeoutSeconds.value;
    decision.timeoutSeconds = std::clamp(asked, 1, most);
    decision.timeoutClamped = asked > most;
}

void describe(Decision &decision, const CaseFile &file)
{
    decision.backend = file.backend.backend;
    decision.level = file.level.level;
    decision.missing = file.level.missing;
    decision.levelKnown = !file.onHost() || !file.confined || file.facts.isKnown();
    decision.tenantDirUsable = file.tenantDirUsable;
    decision.fsConfinementUnavailable =
        file.onHost() && file.confined && file.facts.isKnown() && !file.facts.landlockWorks();
    decision.hostPolicy = file.effective.hostPolicy.value;
    decision.dialect = file.dialect;
    decision.cwd = file.cwd;
    setTimeout(decision, file.request, file.effective.limits);
}

void append(Findings &all, Findings more)
{
    all.insert(all.end(), std::move_iterator(more.begin()), std::move_iterator(more.end()));
}

Findings runChecks(const CaseFile &file, std::span<const ReadCommand> readings, Decision &decision)
{
    std::vector<shell::DynamicNote> notes;
    Findings all;
    all.reserve(2 * checkOrder.size());
    all.push_back(passed(Check::Input));
    append(all, checkReadings(file, readings));
    decision.obfuscated = all.back().entry.outcome == CheckOutcome::Noted;
    all.push_back(passed(Check::Credentialed));
    append(all, checkRules(file, readings, notes));
    append(all, checkPaths(file, readings, notes));
    append(all, checkBackend(file));
    append(all, checkHostPolicy(file));
    append(all, checkConfinement(file));
    append(all, checkCwd(file));
    append(all, checkDynamic(file, readings.front(), notes, decision.dynamic));
    append(all, checkApproval(file, readings.front()));
    return all;
}

} // namespace

Decision decide(const ExecRequest &request, const policy::Configuration &configuration, const HostFacts &facts,
                ReadCommands read)
{
    Decision decision;
    decision.configDigest = configuration.digest();
    Findings findings;
    if (std::optional<Finding> problem = configurationProblem(request, configuration)) {
        findings.push_back(std::move(*problem));
        addNotReached(findings);
        conclude(decision, findings);
        return decision;
    }
    const CaseFile file(request, configuration, facts);
    describe(decision, file);
    findings = checkInput(request);
    if (blocks(findings.front()))
        addNotReached(findings);
    else
        findings = runChecks(file, read ? *read : *(read = readCommand(file)), decision);
    conclude(decision, findings);
    decision.wouldDeny =
        file.tenantOnHost() && decision.hostPolicy == HostPolicy::Warn && decision.verdict != Verdict::Deny;
    return decision;
}

} // namespace portcullis::decision
