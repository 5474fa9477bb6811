// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace portcullis::rules {

/// The commands of a sed script, one a line, so that rules need not know sed's delimiters: the command's letter and,
/// for those that take text or a file, a space and that; `s` and `y` are followed by their flags, and a `w` flag by its
/// file. `1!{s|a|b|ge;w out` gives "s ge\nw out\n". Source: GNU sed 4.9 manual, sections 3.1–3.8.
[[nodiscard]] std::string sedCommands(std::string_view script);

} // namespace portcullis::rules
