// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/guard_process.h"
#include "runner/plan/exec_plan.h"

#include <string>
#include <vector>

namespace portcullis::service {

/// Notes of a run as they stand in the record: `kind` or `kind:path`.
[[nodiscard]] std::vector<std::string> noteTexts(const std::vector<confinement::RunNote> &notes);

/// Paths outside the grants that the output of a failed run names together with "Permission denied": the refusal was
/// probably confinement's. At most eight. Pure.
[[nodiscard]] std::vector<std::string> refusedPaths(const plan::ExecPlan &plan, std::string_view output);

} // namespace portcullis::service
