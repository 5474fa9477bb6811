// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <ranges>
#include <string_view>

namespace portcullis::rules {

/// The row of a table that is sorted by its member `program`, or null.
template <std::ranges::contiguous_range Table>
[[nodiscard]] constexpr auto rowOf(const Table &table, std::string_view program)
    -> const std::ranges::range_value_t<Table> *
{
    const auto at = std::ranges::lower_bound(table, program, {}, &std::ranges::range_value_t<Table>::program);
    return at != std::ranges::end(table) && at->program == program ? &*at : nullptr;
}

} // namespace portcullis::rules
