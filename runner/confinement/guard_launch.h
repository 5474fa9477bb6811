// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/confinement/guard_location.h"
#include "runner/confinement/unique_fd.h"

#include <span>
#include <sys/types.h>
#include <vector>

namespace portcullis::confinement {

/// A guard that was started and waits for its plan.
struct LaunchedGuard {
    pid_t pid = -1;
    UniqueFd process; ///< pidfd
    UniqueFd control; ///< our end, non-blocking
    UniqueFd standardOutput; ///< read ends, non-blocking
    UniqueFd standardError;
};

/// Starts the guard with an empty environment, nothing open but the standard streams and the control socket, and all
/// signals as by default (posix_spawn(3), which does not copy our page tables). `standardInput`: borrowed, −1:
/// /dev/null.
[[nodiscard]] Result<LaunchedGuard, StartFailure> launchGuard(const GuardLocation &guard, int standardInput);

enum class Sent { Everything, Later, Failed };

/// Sends hello and descriptors; goes on where it stopped. `Later`: the kernel limits descriptors in flight.
class PlanSender
{
public:
    PlanSender() = default;
    explicit PlanSender(std::vector<UniqueFd> fds);
    [[nodiscard]] Sent send(int control);

private:
    std::vector<UniqueFd> m_fds;
    std::size_t m_next = 0;
    bool m_greeted = false;
};

} // namespace portcullis::confinement
