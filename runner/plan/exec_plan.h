// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plan: a value that says exactly what a host run will do. Made by a pure function, carried out by
// `confinement/` and `host/`.

#include "runner/base/result.h"
#include "runner/base/vocabulary.h"
#include "runner/decision/decision.h"
#include "runner/plan/cgroups.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace portcullis::plan {

enum class Access { Read, ReadExecute, ReadWriteDevice, All };

/// Whom a granted path belongs to; decides how it is opened.
enum class Owner {
    System, ///< operator's or system path: links are followed once, must belong to root or the operator
    Tenant, ///< below T or W: no links at all, openat2 beneath the root
};

/// How a granted path stands in the private view.
enum class Form {
    Mount, ///< as a mount of its own
    Shown, ///< … that grants nothing: what may be used in it are the parts that other grants name
    Closed, ///< … in a closed folder: the list of mounts names it, and nothing of it can be reached
    Part, ///< inside a mount that is `Shown`
};

struct Grant {
    std::string path; ///< on the host
    /// Tenant: the operator's folder above `path` up to which links are followed (D, the workspace root); empty: the
    /// parent of `path`. Everything below it is opened without following any link.
    /// System: a folder whose owner is trusted as well, with what belongs to him and is reached without a link below
    /// it.
    std::string root = {};
    std::string target = {}; ///< in the private view; empty: same path
    Access access = Access::Read;
    Owner owner = Owner::System;
    /// System paths; `Shown` and `Closed` are left out without a view.
    Form form = Form::Mount;
    bool optional = true; ///< missing is no error
    bool create = false; ///< the runner makes it (0700, owner of the run) when missing
    friend bool operator==(const Grant &, const Grant &) = default;
};

/// A small file in a tenant's own folder, (over)written before the run unless it has this content already. One that
/// cannot be written is no error.
struct TenantFile {
    std::string folder; ///< the path of a tenant grant; below it no link is followed
    std::string name; ///< relative to it; folders on the way are made
    std::string content;
    friend bool operator==(const TenantFile &, const TenantFile &) = default;
};

/// A path that no grant may contain: a grant above it is replaced by its children without it.
struct Protected {
    std::string path;
};

struct ResourceLimits {
    int processes = 512;
    int openFiles = 1024;
    std::int64_t fileBytes = 4LL << 30;
    std::int64_t dataBytes = 1LL << 50;
    std::int64_t memoryBytes = 4LL << 30; ///< resident, all processes together
    /// On each file system that the tenant's own folders lie on: with less the command is not started, and ended when
    /// it is running. 0: no floor.
    std::int64_t freeBytes = 0;
};

struct ExecPlan {
    std::string id;
    std::vector<std::string> argv; ///< argv[0] is the absolute path of the shell
    std::string shell; ///< `bash` or `sh`, for the record
    std::vector<std::pair<std::string, std::string>> environment;
    std::string cwd;
    std::uint32_t uid = 0; ///< never 0
    std::uint32_t gid = 0;
    bool switchUser = false; ///< the runner is root
    Level level = Level::None; ///< what the guard must reach; less is a failure
    bool landlock = false;
    bool view = false; ///< private view with its namespaces
    int landlockAbi = 0;
    Network network = Network::Host;
    /// /proc, /dev and /dev/pts are not in the list: the guard makes its own in the view and grants the host's nodes
    /// named in the design at Landlock alone. Neither are links such as /bin: the view copies those of the root folder;
    /// a grant whose path is a link stands for the link and for what it leads to. `/dev/shm`, `/tmp` and `/var/tmp`
    /// are always in the view. A `create` grant is made even at level `none`.
    std::vector<Grant> grants;
    std::vector<TenantFile> files;
    std::vector<Protected> protectedPaths;
    /// Host folder that becomes /tmp and /var/tmp, made when missing (its parents belong to the runner); empty: a fresh
    /// tmpfs (view) or W/.tmp, which is then a grant like any other.
    std::string privateTmp;
    std::string privateTmpRoot; ///< the operator's folder above it (D); empty: its parent
    /// D: prepared names of crowded folders are kept in its `.portcullis/names`; empty: they are made for each view.
    std::string dataDir;
    ResourceLimits limits;
    int timeoutSeconds = 60;
    bool standardInput = false;
    bool setUpOnly = false; ///< probe: everything is set up, then the child ends with success instead of executing
};

/// What the planner must know of the host beyond the decision's facts; gathered at the edge.
struct PlanFacts {
    std::uint32_t runnerUid = 0;
    std::uint32_t runnerGid = 0;
    std::uint32_t workspaceUid = 0; ///< owner of W (of the run)
    std::uint32_t workspaceGid = 0;
    bool workspaceExists = false;
    std::uint32_t runAsUid = 0; ///< resolved `run_as`, 0: none
    std::uint32_t runAsGid = 0;
    std::string bashPath = "/bin/bash";
    std::string shPath = "/bin/sh";
    std::vector<std::string> etcEntries; ///< from etc-grants.json, those that exist, are world-readable and root's
    std::vector<std::string> systemSkills; ///< absolute folders
    std::vector<std::string> pythonVersions; ///< `3.12`, installed for everybody; empty without shared pip packages
    std::vector<Cgroup> cgroups; ///< that the run will be in
    /// Where operator's and system paths really lead, all links followed: protected paths and read grants.
    std::map<std::string, std::string, std::less<>> resolved;
    /// Children of a folder, for splitting a grant that contains a protected path: folder → names.
    std::vector<std::pair<std::string, std::vector<std::string>>> listings;
};

struct PlanError {
    enum class Code {
        NoUser, ///< W belongs to root and there is no `run_as`: nobody to run as below level full
        TooManyGrants, ///< splitting around a protected path would need too many rules
        NotListed, ///< a folder that must be split was not listed
        TenantOverlaps, ///< the tenant's own folder contains a protected path
        InsideProtected, ///< an `extra_read` path lies inside a protected path
        BackendMissing, ///< the decision names a backend that this build does not have
    };
    Code code = Code::NoUser;
    std::string path;
};

/// Everything that no tenant command may read, in the spelling of the configuration.
[[nodiscard]] std::vector<std::string> protectedPaths(const policy::GatewayPaths &gateway);

/// The read grants of system and operator paths before splitting.
[[nodiscard]] std::vector<std::string> systemReadPaths(const policy::Effective &effective);

/// The folders whose listing `planExec` needs for splitting read grants around protected paths. `resolved` as in
/// PlanFacts.
[[nodiscard]] std::vector<std::string> foldersToList(const policy::Effective &effective,
                                                     const policy::GatewayPaths &gateway,
                                                     const std::map<std::string, std::string, std::less<>> &resolved);

/// Pure. Only for an allowed decision with backend host.
[[nodiscard]] Result<ExecPlan, PlanError> planExec(const decision::ExecRequest &request,
                                                   const decision::Decision &decision,
                                                   const policy::Configuration &configuration,
                                                   const decision::HostFacts &facts, const PlanFacts &planFacts);

} // namespace portcullis::plan
