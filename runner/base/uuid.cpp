// SPDX-License-Identifier: Apache-2.0
#include "runner/base/uuid.h"

#include <algorithm>

namespace portcullis {
namespace {

constexpr std::string_view hexDigits = "0123456789abcdef";
constexpr std::size_t textLength = 36;
constexpr std::size_t shortLength = 8;
constexpr std::int64_t lastMillisecond = (std::int64_t{1} << 48) - 1;

constexpr bool isHyphenPlace(std::size_t i)
{
    return i == 8 || i == 13 || i == 18 || i == 23;
}

constexpr bool isHexDigit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

std::string text(const std::array<std::uint8_t, 16> &bytes)
{
    std::string out;
    out.reserve(textLength);
    for (const std::uint8_t byte : bytes) {
        if (isHyphenPlace(out.size()))
            out += '-';
        out += hexDigits[byte >> 4];
        out += hexDigits[byte & 0x0f];
    }
    return out;
}

} // namespace

std::string uuidV7(std::int64_t timeUs, std::span<const std::byte, uuidRandomBytes> random)
{
    const std::int64_t us = std::clamp<std::int64_t>(timeUs, 0, lastMillisecond * 1000 + 999);
    const auto milliseconds = static_cast<std::uint64_t>(us / 1000);
    const auto fraction = static_cast<std::uint64_t>(us % 1000) * 4096 / 1000;

    std::array<std::uint8_t, 16> bytes{};
    for (std::size_t i = 0; i < 6; ++i)
        bytes[i] = static_cast<std::uint8_t>(milliseconds >> (40 - 8 * i));
    bytes[6] = static_cast<std::uint8_t>(0x70 | (fraction >> 8));
    bytes[7] = static_cast<std::uint8_t>(fraction);
    for (std::size_t i = 0; i < random.size(); ++i)
        bytes[8 + i] = std::to_integer<std::uint8_t>(random[i]);
    bytes[8] = static_cast<std::uint8_t>(0x80 | (bytes[8] & 0x3f));
    return text(bytes);
}

bool isUuid(std::string_view text)
{
    if (text.size() != textLength)
        return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (isHyphenPlace(i) ? text[i] != '-' : !isHexDigit(text[i]))
            return false;
    }
    return true;
}

std::string_view shortId(std::string_view id)
{
    return id.size() <= shortLength ? id : id.substr(id.size() - shortLength);
}

} // namespace portcullis
