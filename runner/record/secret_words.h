// SPDX-License-Identifier: Apache-2.0
#pragma once

// Secrets of a command that only its words tell: arguments of known programs, standard input of those that read a
// password from there, variables with a telling name, and words whose spelling hides what they are. Only for this
// folder.

#include "runner/base/span.h"
#include "runner/base/vocabulary.h"

#include <string_view>
#include <vector>

namespace portcullis::record {

/// Where in `command` they stand, in any order, perhaps overlapping, never a mark. The command is read as the shell
/// would and as far as constants tell; the work is bounded. What stands for a secret (`$TOKEN`, `$(pass show x)`) is
/// none.
[[nodiscard]] std::vector<Span> findWordSecrets(std::string_view command, Dialect dialect);

} // namespace portcullis::record
