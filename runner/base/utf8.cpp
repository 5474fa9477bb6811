// SPDX-License-Identifier: Apache-2.0
#include "runner/base/utf8.h"

namespace portcullis {
namespace {

struct Lead {
    std::uint32_t length = 0; ///< 0: no character starts with this byte
    unsigned char low = 0x80; ///< range of the second byte: excludes overlong forms and surrogates
    unsigned char high = 0xBF;
};

Lead leadOf(unsigned char byte)
{
    if (byte < 0x80)
        return {.length = 1};
    if (byte >= 0xC2 && byte <= 0xDF)
        return {.length = 2};
    if (byte == 0xE0)
        return {.length = 3, .low = 0xA0};
    if (byte == 0xED)
        return {.length = 3, .high = 0x9F};
    if (byte >= 0xE1 && byte <= 0xEF)
        return {.length = 3};
    if (byte == 0xF0)
        return {.length = 4, .low = 0x90};
    if (byte == 0xF4)
        return {.length = 4, .high = 0x8F};
    if (byte >= 0xF1 && byte <= 0xF3)
        return {.length = 4};
    return {};
}

/// The last place not behind `position` where a character begins or ends.
std::size_t borderAt(std::string_view text, std::size_t position)
{
    constexpr std::size_t longest = 4;
    for (std::size_t back = 1; back < longest && back <= position; ++back) {
        const Utf8Char character = utf8At(text, position - back);
        if (character.valid)
            return character.length > back ? position - back : position;
    }
    return position;
}

} // namespace

std::string_view utf8Head(std::string_view text, std::size_t most)
{
    return text.size() <= most ? text : text.substr(0, borderAt(text, most));
}

std::string_view utf8Tail(std::string_view text, std::size_t most)
{
    if (text.size() <= most)
        return text;
    const std::size_t cut = text.size() - most;
    const std::size_t begin = borderAt(text, cut);
    return text.substr(begin == cut ? cut : begin + utf8At(text, begin).length);
}

Utf8Char utf8At(std::string_view text, std::size_t position)
{
    const auto first = static_cast<unsigned char>(text[position]);
    const Lead lead = leadOf(first);
    if (lead.length == 1)
        return {.code = first, .length = 1, .valid = true};
    if (lead.length == 0)
        return {};
    char32_t code = first & (0xFFU >> (lead.length + 1));
    for (std::uint32_t i = 1; i < lead.length; ++i) {
        if (position + i >= text.size())
            return {.length = i};
        const auto byte = static_cast<unsigned char>(text[position + i]);
        const unsigned char low = i == 1 ? lead.low : 0x80;
        const unsigned char high = i == 1 ? lead.high : 0xBF;
        if (byte < low || byte > high)
            return {.length = i};
        code = (code << 6) | (byte & 0x3FU);
    }
    return {.code = code, .length = lead.length, .valid = true};
}

std::size_t firstInvalidUtf8(std::string_view text)
{
    for (std::size_t i = 0; i < text.size();) {
        if (static_cast<unsigned char>(text[i]) < 0x80) {
            ++i;
            continue;
        }
        const Utf8Char character = utf8At(text, i);
        if (!character.valid)
            return i;
        i += character.length;
    }
    return std::string_view::npos;
}

void appendUtf8(std::string &text, char32_t code)
{
    if (code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF))
        code = 0xFFFD;
    const auto tail = [code](unsigned shift) { return static_cast<char>(0x80U | ((code >> shift) & 0x3FU)); };
    if (code < 0x80)
        text += static_cast<char>(code);
    else if (code < 0x800)
        text += {static_cast<char>(0xC0U | (code >> 6)), tail(0)};
    else if (code < 0x10000)
        text += {static_cast<char>(0xE0U | (code >> 12)), tail(6), tail(0)};
    else
        text += {static_cast<char>(0xF0U | (code >> 18)), tail(12), tail(6), tail(0)};
}

} // namespace portcullis
