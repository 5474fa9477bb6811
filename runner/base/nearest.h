// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

namespace portcullis {

/// The name that a mistyped word most likely meant: smallest edit distance (insert, delete, replace, swap of
/// neighbours), at most a third of the word's length and at least 1. Empty when none is near.
[[nodiscard]] std::string_view nearestName(std::string_view word, std::span<const std::string_view> names);

} // namespace portcullis
