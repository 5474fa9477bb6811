// SPDX-License-Identifier: Apache-2.0
#include "runner/plan/exec_plan.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <set>

namespace portcullis::plan {
namespace {

using decision::Decision;
using decision::ExecRequest;
using decision::HostFacts;
using paths::isWithin;
using policy::Effective;
using policy::GatewayPaths;

/// Landlock rules and mounts that one run may need; a split that wants more is refused rather than slow.
constexpr std::size_t maxGrants = 768;

/// The user for commands when nobody better is named: `nobody` on every Linux.
constexpr std::uint32_t nobodyId = 65534;

constexpr std::array<std::string_view, 5> systemFolders{"/usr", "/bin", "/sbin", "/lib", "/lib64"};

Grant readGrant(const std::string &path, Access access)
{
    Grant grant;
    grant.path = path;
    grant.access = access;
    return grant;
}

/// What the gateway has for all tenants: it may belong to the user who owns D.
Grant sharedGrant(const std::string &path, const GatewayPaths &gateway)
{
    Grant grant = readGrant(path, Access::ReadExecute);
    grant.root = gateway.dataDir;
    return grant;
}

/// A folder of the tenant's own, made when it is missing; `root` is the operator's folder above it.
Grant tenantGrant(const std::string &path, const std::string &root)
{
    Grant grant;
    grant.path = path;
    grant.root = root;
    grant.access = Access::All;
    grant.owner = Owner::Tenant;
    grant.optional = false;
    grant.create = true;
    return grant;
}

using Resolved = std::map<std::string, std::string, std::less<>>;

std::string_view resolvedOf(const Resolved &resolved, std::string_view path)
{
    const auto it = resolved.find(path);
    return it == resolved.end() || it->second.empty() ? path : std::string_view(it->second);
}

/// Protected paths in the spelling of the configuration and as they really are.
std::vector<std::string> allProtected(const GatewayPaths &gateway, const Resolved &resolved)
{
    std::set<std::string> all;
    for (const std::string &path : protectedPaths(gateway)) {
        all.insert(path);
        all.emplace(resolvedOf(resolved, path));
    }
    return {all.begin(), all.end()};
}

bool containsAny(std::string_view folder, const std::vector<std::string> &inner)
{
    return std::ranges::any_of(inner, [&](const std::string &path) { return isWithin(path, folder); });
}

bool isInsideAny(std::string_view path, const std::vector<std::string> &folders)
{
    return std::ranges::any_of(folders, [&](const std::string &folder) { return isWithin(path, folder); });
}

/// Folders on the way from `folder` down to each protected path below it.
void collectSplits(const std::string &folder, const std::vector<std::string> &forbidden, std::set<std::string> &out)
{
    for (const std::string &path : forbidden) {
        if (!isWithin(path, folder) || path == folder)
            continue;
        for (std::string step = paths::parentOf(path); isWithin(step, folder); step = paths::parentOf(step)) {
            if (!isInsideAny(step, forbidden)) // what lies in a protected folder goes with it
                out.insert(step);
            if (step == folder || step == "/")
                break;
        }
    }
}

/// The read grants that are real: a link whose target another grant covers is left to the view, which copies links.
std::vector<std::string> distinctReadPaths(const Effective &effective, const Resolved &resolved)
{
    std::vector<std::string> out;
    for (const std::string &path : systemReadPaths(effective)) {
        std::string real(resolvedOf(resolved, path));
        const bool covered = std::ranges::any_of(out, [&](const std::string &other) { return isWithin(real, other); });
        if (!covered)
            out.push_back(std::move(real));
    }
    return out;
}

const std::vector<std::string> *listingOf(const PlanFacts &facts, std::string_view folder)
{
    const auto it = std::ranges::find(facts.listings, folder, &std::pair<std::string, std::vector<std::string>>::first);
    return it == facts.listings.end() ? nullptr : &it->second;
}

/// Adds `folder`, or its children without the protected paths where it contains some.
Result<void, PlanError> addReadGrant(ExecPlan &plan, const std::string &root, const std::vector<std::string> &forbidden,
                                     const PlanFacts &facts)
{
    std::vector<std::string> todo{root};
    while (!todo.empty()) {
        const std::string folder = std::move(todo.back());
        todo.pop_back();
        if (isInsideAny(folder, forbidden))
            continue;
        if (!containsAny(folder, forbidden)) {
            plan.grants.push_back(readGrant(folder, Access::ReadExecute));
            continue;
        }
        const std::vector<std::string> *names = listingOf(facts, folder);
        if (names == nullptr)
            return failure(PlanError{PlanError::Code::NotListed, folder});
        for (const std::string &name : *names)
            todo.push_back((folder == "/" ? "" : folder) + '/' + name);
        if (todo.size() + plan.grants.size() > maxGrants)
            return failure(PlanError{PlanError::Code::TooManyGrants, root});
    }
    return {};
}

/// Who the command runs as: the owner of W, `run_as`, or nobody at level full. Never uid 0.
Result<void, PlanError> chooseUser(ExecPlan &plan, const PlanFacts &facts, const std::string &workspace)
{
    plan.switchUser = facts.runnerUid == 0;
    if (!plan.switchUser) {
        plan.uid = facts.runnerUid;
        plan.gid = facts.runnerGid;
        return {};
    }
    if (facts.workspaceExists && facts.workspaceUid != 0) {
        plan.uid = facts.workspaceUid;
        plan.gid = facts.workspaceGid != 0 ? facts.workspaceGid : nobodyId;
    } else if (facts.runAsUid != 0) {
        plan.uid = facts.runAsUid;
        plan.gid = facts.runAsGid != 0 ? facts.runAsGid : nobodyId;
    } else if (plan.level == Level::Full || !facts.workspaceExists) {
        plan.uid = nobodyId;
        plan.gid = nobodyId;
    } else {
        return failure(PlanError{PlanError::Code::NoUser, workspace});
    }
    return {};
}

/// Python finds shared packages behind the tenant's own by a path file among these (docs.python.org/3/library/site).
/// PYTHONPATH would come first, in virtual environments too. Without a tenant directory the user base is that of HOME.
void addSharedPackages(ExecPlan &plan, const GatewayPaths &gateway, std::string_view tenant, bool tenantDirUsable,
                       const PlanFacts &facts)
{
    const std::string folder = tenantDirUsable ? gateway.tenantDir(tenant) : gateway.tenantWorkspace(tenant);
    const std::string userBase = tenantDirUsable ? ".runtime/pip" : ".local";
    const std::string shared = gateway.runtimeDir + "/pip";
    for (const std::string &version : facts.pythonVersions) {
        const std::string sitePackages = "/lib/python" + version + "/site-packages";
        plan.files.push_back({.folder = folder,
                              .name = userBase + sitePackages + "/portcullis-shared.pth",
                              .content = shared + '\n' + shared + sitePackages + '\n'});
    }
}

/// A temporary directory in the workspace, which is then the only place for one, has to be made.
void addTemporaryDirectory(ExecPlan &plan, const GatewayPaths &gateway, std::string_view tenant)
{
    const auto named = std::ranges::find(plan.environment, "TMPDIR", &std::pair<std::string, std::string>::first);
    if (named != plan.environment.end() && isWithin(named->second, gateway.tenantWorkspace(tenant)))
        plan.grants.push_back(tenantGrant(named->second, gateway.workspace));
}

Result<void, PlanError> addTenantGrants(ExecPlan &plan, const ExecRequest &request, const Decision &decision,
                                        const GatewayPaths &gateway, const PlanFacts &facts,
                                        const std::vector<std::string> &forbidden)
{
    std::vector<Grant> own;
    if (decision.tenantDirUsable)
        own.push_back(tenantGrant(gateway.tenantDir(request.tenant), gateway.dataDir));
    own.push_back(tenantGrant(gateway.tenantWorkspace(request.tenant), gateway.workspace));
    for (Grant &grant : own) {
        // The tenant's own folder may hold its other folder, but nothing that belongs to the gateway or to others.
        for (const std::string &path : forbidden) {
            if (isWithin(path, grant.path))
                return failure(PlanError{PlanError::Code::TenantOverlaps, path});
        }
        plan.grants.push_back(std::move(grant));
    }
    addSharedPackages(plan, gateway, request.tenant, decision.tenantDirUsable, facts);
    plan.dataDir = gateway.dataDir;
    if (request.origin != Origin::McpBridge) {
        plan.privateTmp = decision::tenantTmp(gateway, request.tenant);
        plan.privateTmpRoot = gateway.dataDir;
    }
    return {};
}

/// Java, node and others size themselves by the limits of the control groups that they are in. A run gets a namespace
/// of such groups: in the view its own folder is what a hierarchy begins with, as in a container. Only the limits can
/// be read there; who else is in a group, and what groups there are, cannot.
void addOwnLimits(ExecPlan &plan, const PlanFacts &facts)
{
    for (const bool second : {false, true}) {
        const bool limited = std::ranges::any_of(facts.cgroups, [&](const Cgroup &group) {
            return group.second == second && !group.machines && !group.limits.empty();
        });
        for (const Cgroup &group : facts.cgroups) {
            if (!limited || group.second != second)
                continue;
            Grant folder = readGrant(group.folder, Access::Read);
            folder.target = group.hierarchy;
            folder.form = group.machines ? Form::Closed : Form::Shown;
            plan.grants.push_back(std::move(folder));
            if (group.machines)
                continue;
            for (const std::string &name : group.limits) {
                Grant limit = readGrant(group.folder + '/' + name, Access::Read);
                limit.target = group.hierarchy + '/' + name;
                limit.form = Form::Part;
                plan.grants.push_back(std::move(limit));
            }
        }
    }
}

Result<void, PlanError> addSharedGrants(ExecPlan &plan, const Effective &effective, const GatewayPaths &gateway,
                                        const PlanFacts &facts, const std::vector<std::string> &forbidden)
{
    for (const std::string_view name : {"pip", "npm-global", "bin"})
        plan.grants.push_back(sharedGrant(gateway.runtimeDir + '/' + std::string(name), gateway));
    for (const std::string &skill : facts.systemSkills)
        plan.grants.push_back(sharedGrant(skill, gateway));
    for (const std::string &path : effective.extraRead.value) {
        if (isInsideAny(resolvedOf(facts.resolved, path), forbidden))
            return failure(PlanError{PlanError::Code::InsideProtected, path});
    }
    for (const std::string &path : distinctReadPaths(effective, facts.resolved)) {
        if (auto added = addReadGrant(plan, path, forbidden, facts); !added)
            return added;
    }
    for (const std::string &path : facts.etcEntries) {
        if (!isInsideAny(path, forbidden) && !containsAny(path, forbidden))
            plan.grants.push_back(readGrant(path, Access::Read));
    }
    plan.grants.push_back(readGrant("/sys/devices/system/cpu", Access::Read));
    addOwnLimits(plan, facts);
    if (plan.grants.size() > maxGrants)
        return failure(PlanError{PlanError::Code::TooManyGrants, gateway.dataDir});
    return {};
}

void setShell(ExecPlan &plan, const ExecRequest &request, const Decision &decision, const PlanFacts &facts)
{
    if (decision.dialect == Dialect::Bash) {
        plan.shell = "bash";
        plan.argv = {facts.bashPath, "--noprofile", "--norc", "-c", request.command};
    } else {
        plan.shell = "sh";
        plan.argv = {facts.shPath, "-c", request.command};
    }
}

void setLimits(ExecPlan &plan, const ExecRequest &request, const Decision &decision, const Effective &effective)
{
    plan.limits.processes = effective.limits.processes.value;
    plan.limits.openFiles = effective.limits.openFiles.value;
    plan.limits.fileBytes = effective.limits.fileBytes.value;
    plan.limits.dataBytes = effective.limits.dataBytes.value;
    plan.limits.memoryBytes = effective.limits.memoryBytes.value;
    // An operator must be able to make room.
    plan.limits.freeBytes = request.origin == Origin::Operator ? 0 : effective.limits.freeBytes.value;
    plan.timeoutSeconds = decision.timeoutSeconds;
    plan.standardInput = request.wantsStdin;
    plan.network = effective.network.value;
}

void setWalls(ExecPlan &plan, const Decision &decision, const HostFacts &facts)
{
    plan.level = decision.level;
    plan.landlock = decision.level != Level::None && facts.landlockWorks();
    plan.view = decision.level == Level::Full || (plan.landlock && facts.viewWorks);
    plan.landlockAbi = plan.landlock ? facts.landlockAbi : 0;
}

} // namespace

std::vector<std::string> protectedPaths(const GatewayPaths &gateway)
{
    std::vector<std::string> out{gateway.dataDir,  gateway.workspace, gateway.configFile,  gateway.environmentFile,
                                 gateway.database, gateway.auditDb,   gateway.policiesDir, gateway.stateDir};
    for (const std::string &file : {gateway.database, gateway.auditDb}) {
        if (!file.empty())
            out.insert(out.end(), {file + "-wal", file + "-shm", file + "-journal"});
    }
    out.insert(out.end(), gateway.sockets.begin(), gateway.sockets.end());
    std::erase_if(out, [](const std::string &path) { return path.empty() || path == "/"; });
    return out;
}

std::vector<std::string> systemReadPaths(const Effective &effective)
{
    std::vector<std::string> out(systemFolders.begin(), systemFolders.end());
    out.insert(out.end(), effective.extraRead.value.begin(), effective.extraRead.value.end());
    return out;
}

std::vector<std::string> foldersToList(const Effective &effective, const GatewayPaths &gateway,
                                       const std::map<std::string, std::string, std::less<>> &resolved)
{
    const std::vector<std::string> forbidden = allProtected(gateway, resolved);
    std::set<std::string> out;
    for (const std::string &path : distinctReadPaths(effective, resolved))
        collectSplits(path, forbidden, out);
    return {out.begin(), out.end()};
}

Result<ExecPlan, PlanError> planExec(const ExecRequest &request, const Decision &decision,
                                     const policy::Configuration &configuration, const HostFacts &facts,
                                     const PlanFacts &planFacts)
{
    if (decision.backend != Backend::Host)
        return failure(PlanError{PlanError::Code::BackendMissing, {}});
    const Effective &effective = configuration.effective(request.tenant, request.agent);
    const GatewayPaths &gateway = configuration.paths();
    const bool ownPlaces = decision::hasOwnPlaces(configuration, request.tenant);

    ExecPlan plan;
    plan.id = request.id;
    plan.cwd = decision.cwd;
    setWalls(plan, decision, facts);
    setShell(plan, request, decision, planFacts);
    setLimits(plan, request, decision, effective);
    const std::string home = decision::workspaceOf(configuration, request.tenant);
    if (auto chosen = chooseUser(plan, planFacts, home); !chosen)
        return failure(chosen.error());

    const std::vector<std::string> forbidden = allProtected(gateway, planFacts.resolved);
    for (const std::string &path : forbidden)
        plan.protectedPaths.push_back({path});
    if (ownPlaces) {
        if (auto added = addTenantGrants(plan, request, decision, gateway, planFacts, forbidden); !added)
            return failure(added.error());
    }
    if (auto added = addSharedGrants(plan, effective, gateway, planFacts, forbidden); !added)
        return failure(added.error());
    for (auto &[name, value] : decision::commandEnvironment(request, configuration, decision::placementOf(decision)))
        plan.environment.emplace_back(name, value);
    if (ownPlaces)
        addTemporaryDirectory(plan, gateway, request.tenant);
    // Without it programs such as tmux take the user's shell from the password file: `nologin` for a service's user.
    plan.environment.emplace_back("SHELL", plan.argv.front());
    plan.environment.emplace_back("PORTCULLIS_RUN", plan.id);
    return plan;
}

} // namespace portcullis::plan
