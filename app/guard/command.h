// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/failure.h"

namespace portcullis::guard {

/// What the last child needs; everything was made before the fork.
struct CommandContext {
    const wire::GuardPlan &plan;
    int workingDirectory = -1;
    int ruleset = -1; ///< −1: no Landlock
    bool dropPrivileges = false; ///< the supervisor kept them (no view)
    std::uint64_t processLimit = 0; ///< what RLIMIT_NPROC gets; 0: none
    std::vector<int> filesInMemory{}; ///< file systems whose content counts as the run's memory
    std::vector<int> ownFolders{}; ///< on whose file systems room must be left
};

/// Turns the calling process, a child of `supervisor`, into the command: session, user, limits, domain, filter, exec.
/// Returns only on failure.
[[nodiscard]] Failure becomeCommand(const CommandContext &context, pid_t supervisor);

} // namespace portcullis::guard
