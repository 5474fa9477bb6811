// SPDX-License-Identifier: Apache-2.0
#pragma once

// The second half of what gluings.h makes texts of.

#include <span>
#include <string_view>

namespace portcullis::test {

/// Pieces by the name of their kind; none of a kind that is not there. In all of them `<:name:>` stands for one of the
/// pieces called so. The first of each kind ends a text that is deep.
[[nodiscard]] std::span<const std::string_view> morePieces(std::string_view name);
/// Where `morePieces` looks further.
[[nodiscard]] std::span<const std::string_view> otherPieces(std::string_view name);
/// … and that.
[[nodiscard]] std::span<const std::string_view> scopePieces(std::string_view name);

} // namespace portcullis::test
