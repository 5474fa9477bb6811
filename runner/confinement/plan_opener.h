// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/run_note.h"
#include "runner/confinement/start_failure.h"
#include "runner/confinement/unique_fd.h"
#include "runner/plan/exec_plan.h"

#include <vector>

namespace portcullis::confinement {

/// A plan with everything that it names found, verified and held open: what is sent to the guard.
struct OpenedPlan {
    wire::GuardPlan plan;
    std::vector<UniqueFd> fds; ///< number 0 is the encoded plan itself (a sealed memfd)
    std::vector<RunNote> notes;
};

/// Finds and verifies all grants of a plan and makes the folders that are missing.
///
/// The operator's paths may lead over links and must belong to root, to us or, without a link below it, to the owner of
/// their root; the tenant's parts are opened beneath the operator's root with openat2(2) and no link at all.
/// Descriptors are sent for tenant paths only: nobody whom a path is not trusted to can exchange the others, the guard
/// finds out an exchange, and 50 runs must fit the limits on open files.
[[nodiscard]] Result<OpenedPlan, StartFailure> openPlan(const plan::ExecPlan &plan);

} // namespace portcullis::confinement
