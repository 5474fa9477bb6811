// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `replay [FILTER…|--file F] --against C [--baseline C] [--assume F] [--only CHANGE] [--fail-on CHANGE] [--json]`:
/// recorded commands decided again. Nothing runs, no stored verdict changes; that it was done is recorded.
///
/// Exit codes: 1 what --fail-on names was found, 64 usage, 65 a line of the file, 74 the record cannot be used, 78 a
/// configuration cannot be used.
[[nodiscard]] int replayCommand(CommandContext &context);

} // namespace portcullis::cli
