// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/policy/policy.h"

#include <string>
#include <vector>

namespace portcullis::host {

/// Tenants whose workspace belongs to root and who have no `run_as`: with a runner that is root there is nobody to run
/// their commands as. Looks at one folder per tenant.
[[nodiscard]] std::vector<std::string> rootOwnedWorkspaces(const policy::Configuration &configuration);

} // namespace portcullis::host
