// SPDX-License-Identifier: Apache-2.0
#pragma once

// The plan: a value that says exactly what a host run will do. Made by a pure function, carried out by
// `confinement/` and `host/`.

#include "runner/base/result.h"
#include "runner/base/vocabulary.h"
#include "runner/decision/decision.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace portcullis::plan {

enum class Access { Read, ReadExecute, ReadWriteDevice, All };

/// Whom a granted path belongs to; decides how it is opened.
enum class Owner {
    System,   ///< operator's or system path: links are followed once, must belong to root or the operator
    Tenant,   ///< below T or W: no links at all, openat2 beneath the root
};

struct Grant {
    std::string path;      ///< on the host
    std::string target;    ///< in the private view; empty: same path
    Access access = Access::Read;
    Owner owner = Owner::System;
    bool optional = true;  ///< missing is no error
    bool create = false;   ///< the runner makes it (0700, owner of the run) when missing
    friend bool operator==(const Grant &, const Grant &) = default;
};

/// A path that no grant may contain: a grant above it is replaced by its children without it.
struct Protected {
    std::string path;
};

struct ResourceLimits {
    int processes = 512;
    int openFiles = 1024;
    std::int64_t fileBytes = 4LL << 30;
    std::int64_t dataBytes = 4LL << 30;
};

struct ExecPlan {
    std::string id;
    std::vector<std::string> argv; ///< argv[0] is the absolute path of the shell
    std::string shell;             ///< `bash` or `sh`, for the record
    std::vector<std::pair<std::string, std::string>> environment;
    std::string cwd;
    std::uint32_t uid = 0;         ///< never 0
    std::uint32_t gid = 0;
    bool switchUser = false;       ///< the runner is root
    Level level = Level::None;     ///< what the guard must reach; less is a failure
    bool landlock = false;
    bool view = false;             ///< private view with its namespaces
    int landlockAbi = 0;
    Network network = Network::Host;
    std::vector<Grant> grants;
    std::vector<Protected> protectedPaths;
    std::string privateTmp;        ///< host folder that becomes /tmp; empty: a fresh tmpfs (view) or W/.tmp
    ResourceLimits limits;
    int timeoutSeconds = 60;
    bool standardInput = false;
};

/// What the planner must know of the host beyond the decision's facts; gathered at the edge.
struct PlanFacts {
    std::uint32_t runnerUid = 0;
    std::uint32_t runnerGid = 0;
    std::uint32_t workspaceUid = 0; ///< owner of W (of the run)
    std::uint32_t workspaceGid = 0;
    bool workspaceExists = false;
    std::uint32_t runAsUid = 0;     ///< resolved `run_as`, 0: none
    std::uint32_t runAsGid = 0;
    std::string bashPath = "/bin/bash";
    std::string shPath = "/bin/sh";
    std::vector<std::string> etcEntries;    ///< from etc-grants.json, those that exist, are world-readable and root's
    std::vector<std::string> systemSkills;  ///< absolute folders
    /// Children of a folder, for splitting a grant that contains a protected path: folder → names.
    std::vector<std::pair<std::string, std::vector<std::string>>> listings;
};

struct PlanError {
    enum class Code { NoUser, TooManyGrants, NotListed, NoShell, BackendMissing };
    Code code = Code::NoUser;
    std::string path;
};

/// Pure. The folders whose listing `planExec` needs for splitting grants.
[[nodiscard]] std::vector<std::string> foldersToList(const decision::ExecRequest &request, const policy::Configuration &configuration);

/// Pure. Only for an allowed decision with backend host.
[[nodiscard]] Result<ExecPlan, PlanError> planExec(const decision::ExecRequest &request, const decision::Decision &decision,
                                                   const policy::Configuration &configuration, const decision::HostFacts &facts,
                                                   const PlanFacts &planFacts);

} // namespace portcullis::plan
