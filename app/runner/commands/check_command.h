// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `check`: the decision alone, of one command or of a batch. Writes nothing, runs nothing. Returns the exit code: of
/// one command 0 allow, 77 deny, 75 ask, 78 configuration; of a batch 0, or 65 when a line was bad.
[[nodiscard]] int checkCommand(CommandContext &context);

} // namespace portcullis::cli
