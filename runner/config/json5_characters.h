// SPDX-License-Identifier: Apache-2.0
#pragma once

// Classes of characters in JSON5, and its comments: sections 5 to 8 of the specification.

#include <cstddef>
#include <string_view>

namespace portcullis::config {

[[nodiscard]] bool isDigit(char c);

[[nodiscard]] bool isSpace(char32_t c);

/// IdentifierStart of ECMAScript 5.1, section 7.6, without escapes.
[[nodiscard]] bool startsName(char32_t c);

/// IdentifierPart of the same section.
[[nodiscard]] bool continuesName(char32_t c);

/// Where the comment ends that starts at `at`; `at` itself where none starts, npos for one that is never closed. Of a
/// comment of one line, the end of the line (LF, CR, U+2028 or U+2029) is no part.
[[nodiscard]] std::size_t commentEnd(std::string_view text, std::size_t at);

/// The first byte at or after `at` that is neither white space nor comment; a comment without end stays.
[[nodiscard]] std::size_t pastSpace(std::string_view text, std::size_t at);

} // namespace portcullis::config
