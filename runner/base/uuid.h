// SPDX-License-Identifier: Apache-2.0
#pragma once

// Identifiers of requests and record rows: UUID version 7 (RFC 9562, section 5.7), so that they sort by time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace portcullis {

/// Random bytes that one identifier takes. They must come from the kernel (`getrandom(2)`), not from a seeded
/// generator.
inline constexpr std::size_t uuidRandomBytes = 8;

/// A version 7 UUID in its lower-case text form of 36 characters.
///
/// Pure: time (UTC, microseconds since 1970; what lies outside of 0 to year 10889 is clamped) and randomness come in.
/// The 12 bits after the version hold the fraction of the millisecond (RFC 9562, section 6.2, method 3), so identifiers
/// made by one process sort in the order of their microseconds.
[[nodiscard]] std::string uuidV7(std::int64_t timeUs, std::span<const std::byte, uuidRandomBytes> random);

/// Whether this is a UUID of any version in its 36-character form; capital hex digits are accepted.
[[nodiscard]] bool isUuid(std::string_view text);

/// The part of an identifier that people and agents are shown and may type: its last 8 characters, all random.
[[nodiscard]] std::string_view shortId(std::string_view id);

/// The fewest characters of a short id (counted from the end) by which an identifier may be looked up.
inline constexpr std::size_t shortIdMinimum = 6;

} // namespace portcullis
