// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/failure.h"
#include "runner/confinement/unique_fd.h"

#include <vector>

namespace portcullis::guard {

using confinement::UniqueFd;

/// The plan with the verified descriptors that it counts on (`fds[0]` is the plan itself).
struct Received {
    wire::GuardPlan plan;
    std::vector<UniqueFd> fds;
};

/// Reads hello, descriptors and plan. Blocks until they are there or the runner is gone.
[[nodiscard]] Result<Received, Failure> receivePlan(int control);

/// False when the runner is gone.
bool sendReport(int control, const wire::GuardReport &report);

} // namespace portcullis::guard
