// SPDX-License-Identifier: Apache-2.0
#pragma once

// `policy validate|test|effective|exempt|exemptions`: tenant policies for people at a terminal and for CI.

#include "app/runner/command_context.h"
#include "runner/record/event.h"

#include <functional>
#include <string>
#include <string_view>

namespace portcullis::cli {

/// Carries out `policy …` with this context's arguments and returns the exit code: 0; 1 a policy test failed; 64 usage;
/// 65 a named file or record that cannot be used; 74 no record; 78 errors in the configuration or an unknown tenant.
[[nodiscard]] int policyCommand(CommandContext &context);

/// Finds one row of the record by its whole or short id. On failure says why on standard error and gives the exit code.
using FindEvent = std::function<Result<record::Event, Exit>(CommandContext &context, std::string_view id)>;

/// `policy exempt ID` with the look-up passed in.
[[nodiscard]] int policyExempt(CommandContext &context, const FindEvent &findEvent);

} // namespace portcullis::cli
