// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `doctor [--probe] [--json]`: what this machine can enforce. Exit code 1 when a finding is a problem or a break-out
/// attempt succeeded.
[[nodiscard]] int doctorCommand(CommandContext &context);

} // namespace portcullis::cli
