// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/commands/log_options.h"
#include "app/runner/commands/replay_source.h"
#include "runner/replay/replay.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace portcullis::cli {

struct ReplayOptions {
    record::Filter filter; ///< of commands alone
    std::string filterText; ///< as given
    std::string file; ///< lines of `log --json` instead of the record
    ReplaySource against;
    std::optional<ReplaySource> baseline; ///< nothing: the stored verdicts
    std::string assume;
    std::string only; ///< empty: all that differs and what is not replayable
    std::vector<std::string> failOn; ///< any of `loosened`, `tightened`, `changed`, `not_replayable`
};

/// Whether a row is of the kind that a word of --only or --fail-on names.
[[nodiscard]] bool isOfKind(const replay::Row &row, std::string_view word);

/// Whether a row fails a replay with these words of --fail-on.
[[nodiscard]] bool fails(const replay::Row &row, std::span<const std::string> kinds);

/// Pure.
[[nodiscard]] Result<ReplayOptions, LogOptionError> replayOptions(const Arguments &arguments,
                                                                  const record::FilterClock &clock);

} // namespace portcullis::cli
