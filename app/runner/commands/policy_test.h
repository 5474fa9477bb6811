// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `policy test [--tenant T] [--assume FACTS]`: decides the commands in `tests` of the policies. Host facts are those
/// of a machine that can enforce everything unless --assume says otherwise, so that a result does not depend on where
/// it is made. Decisions are those of `exec`, so exemptions hold; a test that differs only by one is neither failed nor
/// as expected, but told as exempted. 0 when no test fails, 1 when one does, 78 when a policy does not load.
[[nodiscard]] int policyTest(CommandContext &context);

/// The tests of one tenant in a configuration that is not in force. 0, or 1; the failed and exempted ones have been
/// said.
[[nodiscard]] int testPolicy(CommandContext &context, const policy::Configuration &configuration,
                             const std::string &tenant);

} // namespace portcullis::cli
