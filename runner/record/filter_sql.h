// SPDX-License-Identifier: Apache-2.0
#pragma once

// A filter as a condition of SQLite, pure. Tables: e (events), c (configurations), see `audit/schema.cpp`.

#include "runner/record/filter.h"
#include "runner/record/filter_node.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace portcullis::record {

using SqlValue = std::variant<std::int64_t, std::string>;

/// A condition with its values in the order of the placeholders. It may call `contains_word(text, word)`, which is
/// `containsWord` of filter_node.h: LIKE stops at a NUL, reads characters, and takes three times as long; and
/// `matches_glob(text, pattern)`, which is `globMatches`: GLOB stops at a NUL as well, and knows more than `*`. No text
/// of a filter stands in the SQL itself; texts are bound as blobs (`CAST(? AS TEXT)`).
struct FilterSql {
    std::string condition = "1";
    std::vector<SqlValue> values;
    /// False when the condition finds more than the filter (patterns): rows are then asked with `Filter::matches`.
    bool exact = true;
    /// Fields that `matches` needs for these rows, besides the command; only when not exact.
    std::vector<Field> fields;
    bool respelled = true; ///< the record knows commands that hide words

    friend bool operator==(const FilterSql &, const FilterSql &) = default;
};

/// The column of a text field in the statements of the record (`e` the events, `c` the configurations); empty for a
/// field that is a number.
[[nodiscard]] std::string_view textColumn(Field field);

/// `respelled`: the record says which commands hide words (`audit/schema.cpp`); one of version 1 has none.
[[nodiscard]] FilterSql filterSql(const Filter &filter, bool respelled = true);

/// Between which times every event of this filter lies; [lowest, highest) when it says nothing of time.
[[nodiscard]] Interval timeBounds(const Filter &filter);

} // namespace portcullis::record
