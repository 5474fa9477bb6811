// SPDX-License-Identifier: Apache-2.0
#pragma once

// Tenants whose policy file is not there. They have what the gateway allows, which may be more than a policy did that
// somebody removed.

#include "runner/policy/policy.h"

#include <string>
#include <vector>

namespace portcullis::service {

struct MissingPolicies {
    std::vector<std::string> tenants; ///< known, without a policy file
    std::vector<std::string> lost; ///< those of them whose policy the record keeps as a revision
};

/// Looks at the policies folder and, where there is a record, at its revisions; a record that cannot be read is passed
/// over.
[[nodiscard]] MissingPolicies missingPolicies(const policy::Configuration &configuration, const std::string &auditDb);

} // namespace portcullis::service
