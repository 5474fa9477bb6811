// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace portcullis::cli {

/// Width of the terminal that standard output leads to; 0 when it is none, or when it does not say.
[[nodiscard]] std::size_t terminalColumns();

/// Lines of the form `Label     text` that are longer than `columns` characters go on below their text, broken at
/// blanks. All others stay as they are, those of commands and their output above all. 0, or too few columns to be of
/// use, changes nothing. Pure.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t columns);

} // namespace portcullis::cli
