// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/commands/log_options.h"
#include "app/runner/commands/replay_source.h"
#include "runner/replay/replay.h"

#include <optional>
#include <string>

namespace portcullis::cli {

struct ReplayOptions {
    record::Filter filter; ///< of commands alone
    std::string filterText; ///< as given
    std::string file; ///< lines of `log --json` instead of the record
    ReplaySource against;
    std::optional<ReplaySource> baseline; ///< nothing: the stored verdicts
    std::string assume;
    std::string only; ///< empty: all that differs and what is not replayable
    std::string failOn; ///< empty, `loosened`, `changed` or `not_replayable`
};

/// Whether a row is of the kind that a word of --only or --fail-on names.
[[nodiscard]] bool isOfKind(const replay::Row &row, std::string_view word);

/// Whether a row fails a replay with this word of --fail-on.
[[nodiscard]] bool fails(const replay::Row &row, std::string_view word);

/// Pure.
[[nodiscard]] Result<ReplayOptions, LogOptionError> replayOptions(const Arguments &arguments,
                                                                  const record::FilterClock &clock);

} // namespace portcullis::cli
