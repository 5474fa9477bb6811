// SPDX-License-Identifier: Apache-2.0

// Checks 6 to 9: where the command would run, whether it may run there, how well it would be confined, and the
// directory in which it starts.

#include "runner/base/paths.h"
#include "runner/decision/case_file.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

std::string joined(const std::vector<std::string> &parts)
{
    std::string out;
    for (const std::string &part : parts)
        out += (out.empty() ? "" : ",") + part;
    return out;
}

/// A root in its own spelling and, where the host answered, in the one without links.
std::vector<std::string> spellings(const CaseFile &file, const std::string &root)
{
    std::vector<std::string> out{root};
    for (const std::string *base : {&root, &file.paths.workspace, &file.paths.dataDir}) {
        if (!paths::isWithin(root, *base))
            continue;
        const auto answer = file.facts.answers.find({PathQuestion::Kind::Resolve, *base});
        if (answer != file.facts.answers.end() && !answer->second.empty())
            out.push_back(answer->second + root.substr(base->size()));
    }
    return out;
}

bool isPermitted(const CaseFile &file, std::string_view directory)
{
    return std::ranges::any_of(permittedRoots(file), [&](const std::string &root) {
        return std::ranges::any_of(spellings(file, root),
                                   [&](const std::string &spelling) { return paths::isWithin(directory, spelling); });
    });
}

std::optional<Finding> tooWeak(const CaseFile &file)
{
    const policy::Sourced<ConfinementDemand> &demand = file.effective.confinement;
    const Level level = file.level.level;
    std::optional<Finding> finding;
    if (demand.value == ConfinementDemand::Full && level != Level::Full)
        finding = refused(Check::Confinement, "confinement_full_required", joined(file.level.missing));
    else if (demand.value == ConfinementDemand::Required && level < Level::Landlock)
        finding = refused(Check::Confinement, "confinement_required", joined(file.level.missing));
    else if (!file.facts.commandUidNonZero && level != Level::Full)
        return refused(Check::Confinement, "would_run_as_root");
    if (finding)
        finding->entry.source = demand.source;
    return finding;
}

} // namespace

Findings checkBackend(const CaseFile &file)
{
    Findings findings;
    const BackendChoice &choice = file.backend;
    if (choice.refusedForBridge)
        findings.push_back(refused(Check::Backend, "bridge_needs_sandbox"));
    if (choice.backend == Backend::Docker) {
        if (file.facts.engine == EngineState::ImageMissing)
            findings.push_back(refused(Check::Backend, "sandbox_image_missing", file.effective.sandbox.image.value));
        else if (file.facts.engine != EngineState::Up)
            findings.push_back(refused(Check::Backend, "sandbox_unavailable"));
    }
    if (choice.switchIgnored)
        findings.push_back(noted(Check::Backend, "sandbox_switch_ignored"));
    if (choice.disabledForCall)
        findings.push_back(noted(Check::Backend, "sandbox_disabled_for_call"));
    if (findings.empty())
        findings.push_back(passed(Check::Backend));
    for (Finding &finding : findings)
        finding.entry.source = choice.source;
    return findings;
}

Findings checkHostPolicy(const CaseFile &file)
{
    Finding finding = passed(Check::HostPolicy);
    if (file.tenantOnHost()) {
        if (file.effective.hostPolicy.value == HostPolicy::Deny)
            finding = refused(Check::HostPolicy, "host_policy_deny");
        else if (file.effective.hostPolicy.value == HostPolicy::Warn)
            finding = noted(Check::HostPolicy, "host_policy_warn");
        finding.entry.source = file.effective.hostPolicy.source;
    }
    return {finding};
}

Findings checkConfinement(const CaseFile &file)
{
    if (!file.onHost())
        return {passed(Check::Confinement)};
    if (!file.confined)
        return {noted(Check::Confinement, "master_not_confined")};
    if (!file.facts.isKnown())
        return {noted(Check::Confinement, "confinement_unknown", file.facts.unknownStep)};
    Findings findings;
    if (!file.facts.landlockWorks())
        findings.push_back(noted(Check::Confinement, "fs_confinement_unavailable"));
    if (std::optional<Finding> weak = tooWeak(file))
        findings.push_back(std::move(*weak));
    if (findings.empty() && file.level.level != Level::Full)
        findings.push_back(
            noted(Check::Confinement, "level_" + std::string(nameOf(file.level.level)), joined(file.level.missing)));
    if (findings.empty())
        findings.push_back(passed(Check::Confinement));
    return findings;
}

std::vector<std::string> permittedRoots(const CaseFile &file)
{
    std::vector<std::string> roots;
    if (!file.paths.workspace.empty())
        roots.push_back(workspaceOf(file.configuration, file.request.tenant));
    if (file.tenantDirUsable && !file.paths.dataDir.empty())
        roots.push_back(file.paths.tenantDir(file.request.tenant));
    for (const std::string &path : file.effective.allowedPaths.value)
        roots.push_back(path);
    return roots;
}

Findings checkCwd(const CaseFile &file)
{
    if (!file.request.cwd.empty() && !file.request.cwd.starts_with('/'))
        return {refused(Check::Cwd, "cwd_not_absolute", file.request.cwd)};
    if (!isPermitted(file, file.cwd))
        return {refused(Check::Cwd, "cwd_outside", file.cwd)};
    const auto answer = file.facts.answers.find({PathQuestion::Kind::Resolve, file.cwd});
    if (answer != file.facts.answers.end() && !answer->second.empty() && !isPermitted(file, answer->second))
        return {refused(Check::Cwd, "cwd_leads_outside", file.cwd + " → " + answer->second)};
    return {passed(Check::Cwd)};
}

} // namespace portcullis::decision
