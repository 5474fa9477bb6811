// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

#include <string_view>
#include <vector>

namespace portcullis::cli {

/// `policy validate [FILE|DIR]…`: without operands everything that would be in force, else these files with the gateway
/// that there is. Lines (or with --json one object) go to standard output. 0 without errors, 65 when an operand cannot
/// be read, 78 with errors; warnings alone are 0.
[[nodiscard]] int policyValidate(CommandContext &context);

/// What validation finds in one file of a configuration that loads; looks at this machine and at the clock.
[[nodiscard]] std::vector<policy::Problem> problemsOf(const policy::Configuration &configuration,
                                                      std::string_view file);

/// `policy effective --tenant T [--agent A] [KEY]`: each value in force and where it comes from, and what
/// the policy asks for in vain.
[[nodiscard]] int policyEffective(CommandContext &context);

} // namespace portcullis::cli
