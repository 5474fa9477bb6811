// SPDX-License-Identifier: Apache-2.0
#include "ui/text/visible_text.h"

#include "runner/base/invisible.h"
#include "runner/base/utf8.h"

namespace portcullis::text {

namespace {

constexpr bool isPlain(char byte)
{
    return byte >= 0x20 && byte < 0x7F;
}

} // namespace

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
