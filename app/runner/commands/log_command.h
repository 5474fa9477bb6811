// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `log [FILTER…] [--since W] [--until W] [--limit N] [--follow] [--json|--csv]`, `log show ID [--json]`,
/// `log prune --older-than AGE | --max-size SIZE`. Exit codes: 64 usage or a filter with an error, 65 no such event,
/// 74 the record cannot be used.
[[nodiscard]] int logCommand(CommandContext &context);

} // namespace portcullis::cli
