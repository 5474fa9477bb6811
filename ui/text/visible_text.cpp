// SPDX-License-Identifier: Apache-2.0
#include "ui/text/visible_text.h"

#include "runner/base/utf8.h"

#include <algorithm>
#include <array>

namespace portcullis::text {

namespace {

struct Range {
    char32_t first;
    char32_t last;
};

// Unicode 16: general categories Cc, Cf, Zl and Zp, and the default-ignorable code points, which fonts draw as nothing.
constexpr auto invisible = std::to_array<Range>({
    {0x00, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},
    {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},     {0x8E2, 0x8E2},
    {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
    {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},
    {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3},
    {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
});

constexpr bool isPlain(char byte)
{
    return byte >= 0x20 && byte < 0x7F;
}

} // namespace

bool isInvisible(char32_t code)
{
    const auto range = std::ranges::lower_bound(invisible, code, {}, &Range::last);
    return range != invisible.end() && code >= range->first;
}

QString visibleToken(char32_t code)
{
    if (code == U'\t')
        return QStringLiteral("⇥");
    if (code == U'\n')
        return QStringLiteral("↵");
    return QStringLiteral("<U+%1>").arg(static_cast<uint>(code), 4, 16, QLatin1Char('0')).toUpper();
}

QString visibleBytes(std::string_view bytes)
{
    QString tokens;
    for (const char byte : bytes) {
        const auto number = static_cast<uint>(static_cast<unsigned char>(byte));
        tokens += QStringLiteral("<%1>").arg(number, 2, 16, QLatin1Char('0')).toUpper();
    }
    return tokens;
}

QString visibleText(std::string_view bytes)
{
    QString text;
    text.reserve(static_cast<qsizetype>(bytes.size()));
    std::size_t at = 0;
    while (at < bytes.size()) {
        const std::size_t from = at;
        while (at < bytes.size() && isPlain(bytes[at]))
            ++at;
        text += QLatin1StringView(bytes.data() + from, static_cast<qsizetype>(at - from));
        if (at == bytes.size())
            break;
        const Utf8Char character = utf8At(bytes, at);
        if (!character.valid)
            text += visibleBytes(bytes.substr(at, character.length));
        else if (isInvisible(character.code))
            text += visibleToken(character.code);
        else
            text += QString::fromUcs4(&character.code, 1);
        at += character.length;
    }
    return text;
}

} // namespace portcullis::text
