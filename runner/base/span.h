// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>

namespace portcullis {

/// A stretch of bytes in the raw command: offset of the first byte and number of bytes.
/// Commands are at most 128 KiB, so 32 bits are ample.
struct Span {
    std::uint32_t start = 0;
    std::uint32_t length = 0;

    [[nodiscard]] constexpr std::uint32_t end() const { return start + length; }
    friend constexpr bool operator==(const Span &, const Span &) = default;
    friend constexpr auto operator<=>(const Span &, const Span &) = default;
};

} // namespace portcullis
