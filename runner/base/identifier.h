// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis {

/// A byte of names in shells and most languages: ASCII letters, digits and `_`, whatever the locale.
[[nodiscard]] constexpr bool isIdentifierByte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

} // namespace portcullis
