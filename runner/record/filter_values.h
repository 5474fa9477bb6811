// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of a field of the filter language. Only for `filter_parser.cpp`.

#include "runner/base/result.h"
#include "runner/record/filter_node.h"

#include <string>

namespace portcullis::record {

/// One value as it stands in the filter.
struct RawValue {
    std::string text;
    bool quoted = false;
    std::size_t column = 1;
};

/// Adds what a value means to a condition on its field; `since` and `until` become conditions on `time`.
[[nodiscard]] Result<void, FilterError> addValue(FilterNode &condition, const RawValue &value,
                                                 const FilterClock &clock);

/// An empty condition on a field: Texts or Ranges.
[[nodiscard]] FilterNode conditionOn(Field field);

} // namespace portcullis::record
