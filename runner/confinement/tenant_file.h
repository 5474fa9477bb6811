// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/paths.h"
#include "runner/plan/exec_plan.h"

namespace portcullis::confinement {

/// Writes a small file beneath a tenant's open folder unless it is there with this content. What is made belongs to
/// `owner`. No link is followed: fails with ELOOP or ENOTDIR where one stands on the way.
[[nodiscard]] Result<void, StartFailure> writeTenantFile(const OpenedPath &folder, const plan::TenantFile &file,
                                                         NewOwner owner);

} // namespace portcullis::confinement
