// SPDX-License-Identifier: Apache-2.0
#pragma once

// UTF-8 on plain bytes, after RFC 3629: shortest form only, no surrogates, at most U+10FFFF.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace portcullis {

/// One character of a text, or the ill-formed bytes in its place.
struct Utf8Char {
    char32_t code = 0xFFFD; ///< U+FFFD when the bytes are ill-formed
    std::uint32_t length = 1; ///< bytes to step over; for ill-formed bytes the longest wrong start (Unicode 15, 3.9)
    bool valid = false;
};

/// The character that starts at `position`, which must lie inside the text.
[[nodiscard]] Utf8Char utf8At(std::string_view text, std::size_t position);

/// Offset of the first ill-formed byte, or npos.
[[nodiscard]] std::size_t firstInvalidUtf8(std::string_view text);

/// The beginning and the end of a text: at most so many bytes, and no character cut in the middle. Bytes that are no
/// UTF-8 are cut anywhere.
[[nodiscard]] std::string_view utf8Head(std::string_view text, std::size_t most);
[[nodiscard]] std::string_view utf8Tail(std::string_view text, std::size_t most);

/// Appends one character; surrogates and numbers past U+10FFFF become U+FFFD.
void appendUtf8(std::string &text, char32_t code);

} // namespace portcullis
