// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/decision.h"

namespace portcullis::decision {
namespace {

/// The place of W inside of a container.
constexpr std::string_view containerWorkspace = "/workspace";

std::string temporaryDirectory(const ExecRequest &request, const policy::Configuration &configuration,
                               const Placement &placement)
{
    const bool master = !hasOwnPlaces(configuration, request.tenant);
    const bool privateTmp = placement.backend == Backend::Docker || placement.level == Level::Full;
    if (privateTmp || (master && placement.level == Level::None))
        return "/tmp";
    if (master || request.origin == Origin::McpBridge || placement.level == Level::None)
        return workspaceOf(configuration, request.tenant) + "/.tmp";
    return tenantTmp(configuration.paths(), request.tenant);
}

/// Where the tenant's own packages go, or empty where it has no such place.
std::string ownPackages(const ExecRequest &request, const policy::GatewayPaths &paths, const Placement &placement)
{
    if (placement.backend == Backend::Docker)
        return std::string(containerWorkspace) + "/.runtime"; // T is read-only there
    if (placement.tenantDirUsable)
        return paths.tenantDir(request.tenant) + "/.runtime";
    return {};
}

void append(std::string &list, const std::string &entry)
{
    list += (list.empty() ? "" : ":") + entry;
}

} // namespace

bool hasOwnPlaces(const policy::Configuration &configuration, std::string_view tenant)
{
    return tenant != policy::masterTenant || configuration.effective(tenant, {}).confineMaster.value;
}

std::string workspaceOf(const policy::Configuration &configuration, std::string_view tenant)
{
    const policy::GatewayPaths &paths = configuration.paths();
    return hasOwnPlaces(configuration, tenant) ? paths.tenantWorkspace(tenant) : paths.workspace;
}

std::string tenantTmp(const policy::GatewayPaths &paths, std::string_view tenant)
{
    return paths.dataDir + "/.portcullis/tmp/" + std::string(tenant);
}

std::map<std::string, std::string, std::less<>>
commandEnvironment(const ExecRequest &request, const policy::Configuration &configuration, const Placement &placement)
{
    const policy::GatewayPaths &paths = configuration.paths();
    const bool docker = placement.backend == Backend::Docker;
    const std::string own = ownPackages(request, paths, placement);
    const std::string &shared = paths.runtimeDir;

    std::string path;
    std::string modules;
    for (const std::string &runtime : {own, shared}) {
        if (runtime.empty())
            continue;
        append(path, runtime + "/bin");
        append(path, runtime + "/pip/bin");
        append(path, runtime + "/npm-global/bin");
        append(modules, runtime + "/npm-global/lib/node_modules");
    }
    append(path, "/usr/local/bin:/usr/bin:/bin");

    std::map<std::string, std::string, std::less<>> environment{
        {"HOME", docker ? std::string(containerWorkspace) : workspaceOf(configuration, request.tenant)},
        {"LANG", "C.UTF-8"},
        {"PATH", path},
        {"TMPDIR", temporaryDirectory(request, configuration, placement)},
        // The host's gitconfig may hold tokens and is not granted; git gives up when it may not read it.
        {"GIT_CONFIG_NOSYSTEM", "1"},
    };
    if (!modules.empty())
        environment["NODE_PATH"] = modules;
    if (own.empty()) {
        // Nowhere to install to: pip then says that it wants a virtual environment, instead of failing half-way.
        environment["PIP_REQUIRE_VIRTUALENV"] = "1";
    } else {
        environment["PYTHONUSERBASE"] = own + "/pip";
        environment["PIP_BREAK_SYSTEM_PACKAGES"] = "1";
        environment["NPM_CONFIG_PREFIX"] = own + "/npm-global";
    }
    return environment;
}

} // namespace portcullis::decision
