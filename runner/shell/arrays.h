// SPDX-License-Identifier: Apache-2.0
#pragma once

// Elements of arrays: bash manual, 6.7. Without keys the elements stand at 0, 1, 2 …; indices are keys in decimal.

#include "runner/shell/gapped.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portcullis::shell {

/// Where an element is read or written.
struct Subscript {
    Gapped text; ///< the key of an associative array
    std::optional<std::int64_t> number; ///< its value as arithmetic; negative: from the end
    bool associative = false;
};

enum class Element { Found, Missing, Unknown };

/// Looks for an element; `at` is its place in `elements` when found.
[[nodiscard]] Element findElement(const Datum &array, const Subscript &subscript, std::size_t &at);
void setElement(Datum &array, const Subscript &subscript, Gapped value);
/// `unset 'array[…]'`; false when the subscript is not known.
bool eraseElement(Datum &array, const Subscript &subscript);
/// `array+=(…)`
void appendElements(Datum &array, const Datum &more, bool associative);
/// The first element, which a name without a subscript stands for; null when there is none.
[[nodiscard]] const Gapped *firstElement(const Datum &array);
/// The keys, in decimal when there are none.
[[nodiscard]] std::vector<std::string> keysOf(const Datum &array);
/// A quoted list of elements, or the index at which the next one without a key stands.
[[nodiscard]] std::int64_t nextIndex(const Datum &array);

} // namespace portcullis::shell
