// SPDX-License-Identifier: Apache-2.0
#pragma once

// Times, durations and sizes of the filter language.

#include "runner/record/filter_node.h"

#include <optional>
#include <string_view>

namespace portcullis::record {

struct TimeValue {
    Interval span; ///< the year, month, day, minute or second that is named
    bool moment = false; ///< a time of day: as the end of a range it is a moment, a date is included
};

/// `2026`, `2026-10`, `2026-10-03`, `2026-10-03T14:00[:05][Z]`, `14:00[:05]` (of today), `today`, `yesterday`, in local
/// time where no Z stands.
[[nodiscard]] std::optional<TimeValue> parseTime(std::string_view text, const FilterClock &clock);

/// A number with its unit, e.g. `300us`, `20ms`, `5s`, `2m`, `1.5h`, `3d`, `1w`: the span that it names, so that `5s`
/// means [5 s, 6 s). A number with a fraction names one microsecond.
[[nodiscard]] std::optional<Interval> parseDuration(std::string_view text);
/// Without a unit, it is seconds.
[[nodiscard]] std::optional<Interval> parseDurationOrSeconds(std::string_view text);

/// `100`, `4K`, `1M`, `2G`: bytes, powers of 1024.
[[nodiscard]] std::optional<Interval> parseSize(std::string_view text);
[[nodiscard]] std::optional<Interval> parseNumber(std::string_view text);

} // namespace portcullis::record
