// SPDX-License-Identifier: Apache-2.0
#pragma once

// Classes of characters in JSON5, sections 5 to 8 of the specification.

namespace portcullis::config {

[[nodiscard]] bool isDigit(char c);

[[nodiscard]] bool isSpace(char32_t c);

/// IdentifierStart of ECMAScript 5.1, section 7.6, without escapes.
[[nodiscard]] bool startsName(char32_t c);

/// IdentifierPart of the same section.
[[nodiscard]] bool continuesName(char32_t c);

} // namespace portcullis::config
