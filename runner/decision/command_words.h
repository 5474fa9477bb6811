// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the record keeps of the reading that decided, so that a search finds a program however it is spelled.

#include "runner/decision/decision.h"

#include <cstddef>
#include <string>
#include <vector>

namespace portcullis::decision {

struct CommandWords {
    /// The command itself where it hides nothing: every word of every program that it starts stands in it as it is.
    /// Else these programs with their words, quoted where a shell needs it, separated by `; `; a part that is not known
    /// is `…`. At most `maxNormalisedBytes`, cut between programs.
    std::string normalised;
    /// The words of the only program that the shell starts itself. Empty where it starts several or none, and where a
    /// word is not known before it runs.
    std::vector<std::string> argv;
};

inline constexpr std::size_t maxNormalisedBytes = 16 * 1024;

/// Of the raw reading; without one (`read` is null) the command itself. Pure; the work is bounded.
[[nodiscard]] CommandWords commandWords(const ExecRequest &request, const ReadCommands &read);

} // namespace portcullis::decision
