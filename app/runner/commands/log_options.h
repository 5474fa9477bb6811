// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/arguments.h"
#include "runner/audit/audit_writer.h"
#include "runner/record/filter.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portcullis::cli {

enum class LogFormat { Lines, Json, Csv };

struct LogQuery {
    record::Filter filter;
    LogFormat format = LogFormat::Lines;
    std::optional<int> limit; ///< the newest so many
    bool follow = false;
};

/// What is wrong with the arguments: the option (or empty for the filter words) with what was found there.
struct LogOptionError {
    std::string option;
    std::string found;
    std::string allowed; ///< what the option takes, for people
    std::optional<record::FilterError> filter; ///< an error in a filter: columns count in the joined words
};

/// Filter words are joined by blanks; `--since` and `--until` narrow what they find. Pure.
[[nodiscard]] Result<LogQuery, LogOptionError> logQuery(const Arguments &arguments, const record::FilterClock &clock);

/// `--older-than 30d` or `--max-size 1G`, at least one of them. Pure.
[[nodiscard]] Result<audit::PruneOrder, LogOptionError> pruneOrder(const Arguments &arguments, std::int64_t nowUs);

} // namespace portcullis::cli
