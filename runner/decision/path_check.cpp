// SPDX-License-Identifier: Apache-2.0

// Check 5: the path guard over every reading, with the truth table of who may name what.

#include "runner/base/paths.h"
#include "runner/decision/case_file.h"
#include "runner/decision/path_guard.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

/// Whether the path is the folder of all tenants' workspaces, or a name in it that is no tenant's: what `..` leads to.
bool standsAbove(const CaseFile &file, std::string_view path)
{
    const std::string all = file.paths.workspace + "/tenants";
    if (!hasOwnPlaces(file.configuration, file.request.tenant) || file.paths.workspace.empty()
        || !paths::isWithin(path, all))
        return false;
    std::string_view name = path.substr(std::min(all.size() + 1, path.size()));
    name = name.substr(0, name.find('/'));
    return !file.configuration.isKnown(name);
}

std::string codeFor(ZoneClass zone, std::string_view path, const CaseFile &file)
{
    if (zone == ZoneClass::SharedWrite)
        return "writes_shared";
    if (zone == ZoneClass::OtherTenant && standsAbove(file, path))
        return "above_workspace";
    if (zone != ZoneClass::TenantDir)
        return "names_" + std::string(nameOf(zone));
    if (file.request.origin == Origin::McpBridge)
        return "tenant_dir_bridge";
    return file.backend.disabledForCall ? "tenant_dir_needs_sandbox" : "tenant_dir_unavailable";
}

Finding findingFor(const GuardFinding &guard, const CaseFile &file, const ReadCommand &reading)
{
    Finding finding = refused(Check::PathGuard, codeFor(guard.zone, guard.path, file), guard.path);
    finding.entry.group = Group::PathGuard;
    finding.entry.rule = nameOf(guard.zone);
    if (!guard.target.empty())
        finding.entry.detail += " → " + guard.target;
    finding.entry.spans = reading.rawSpans(guard.spans);
    return finding;
}

} // namespace

Findings checkPaths(const CaseFile &file, std::span<const ReadCommand> readings, std::vector<shell::DynamicNote> &notes)
{
    PathZones zones = file.zones();
    addAliases(zones, file.facts.answers);
    Findings findings;
    for (const ReadCommand &reading : readings) {
        GuardResult result = guardPaths(reading.paths, zones, file.facts.answers);
        for (const GuardFinding &guard : result.findings) {
            const bool known = std::ranges::contains(findings, nameOf(guard.zone),
                                                     [](const Finding &finding) { return finding.entry.rule; });
            if (!known)
                findings.push_back(findingFor(guard, file, reading));
        }
        if (reading.raw)
            notes.insert(notes.end(), std::move_iterator(result.notes.begin()), std::move_iterator(result.notes.end()));
    }
    if (findings.empty())
        findings.push_back(passed(Check::PathGuard));
    return findings;
}

ReadCommands readCommand(const ExecRequest &request, const policy::Configuration &configuration, const HostFacts &facts)
{
    if (!configuration.isKnown(request.tenant) || configuration.isBroken(request.tenant)
        || checkInput(request).front().entry.outcome != CheckOutcome::Passed)
        return nullptr;
    return readCommand(CaseFile(request, configuration, facts));
}

std::vector<PathQuestion> questions(const ExecRequest &request, const policy::Configuration &configuration,
                                    const HostFacts &facts, ReadCommands read)
{
    if (!read)
        read = readCommand(request, configuration, facts);
    if (!read)
        return {};
    const CaseFile file(request, configuration, facts);
    std::vector<PathQuestion> roots;
    for (const std::string &root : file.effective.allowedPaths.value) {
        if (roots.size() < 8)
            roots.push_back({PathQuestion::Kind::Resolve, root});
    }
    std::vector<PathQuestion> all =
        pathQuestions(read->front().paths, protectedRoots(file.paths), maxPathQuestions - roots.size());
    for (PathQuestion &root : roots) {
        if (!std::ranges::contains(all, root))
            all.push_back(std::move(root));
    }
    return all;
}

} // namespace portcullis::decision
