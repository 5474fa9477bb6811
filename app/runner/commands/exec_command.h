// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `exec`: decides, records, runs and streams one command. Returns the process's exit code. Needs the event loop of a
/// QCoreApplication, which it runs itself.
[[nodiscard]] int execCommand(CommandContext &context);

} // namespace portcullis::cli
