// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5_characters.h"

#include "runner/base/utf8.h"

#include <QChar>

#include <algorithm>

namespace portcullis::config {

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isSpace(char32_t c)
{
    return (c >= '\t' && c <= '\r') || c == ' ' || c == 0xA0 || c == 0x2028 || c == 0x2029 || c == 0xFEFF
        || (c > 0x7F && QChar::category(c) == QChar::Separator_Space);
}

bool startsName(char32_t c)
{
    if (c < 0x80)
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '$' || c == '_';
    return QChar::isLetter(c) || QChar::category(c) == QChar::Number_Letter;
}

bool continuesName(char32_t c)
{
    if (startsName(c) || (c >= '0' && c <= '9') || c == 0x200C || c == 0x200D)
        return true;
    if (c < 0x80)
        return false;
    const QChar::Category category = QChar::category(c);
    return category == QChar::Mark_NonSpacing || category == QChar::Mark_SpacingCombining
        || category == QChar::Number_DecimalDigit || category == QChar::Punctuation_Connector;
}

std::size_t commentEnd(std::string_view text, std::size_t at)
{
    if (text.substr(at).starts_with("/*")) {
        const std::size_t close = text.find("*/", at + 2);
        return close == std::string_view::npos ? close : close + 2;
    }
    if (!text.substr(at).starts_with("//"))
        return at;
    const std::size_t line = std::min(text.size(), text.find_first_of("\r\n", at));
    const std::string_view rest = text.substr(0, line);
    return std::min({line, rest.find("\xe2\x80\xa8", at), rest.find("\xe2\x80\xa9", at)});
}

std::size_t pastSpace(std::string_view text, std::size_t at)
{
    while (at < text.size()) {
        const std::size_t comment = commentEnd(text, at);
        if (comment == std::string_view::npos)
            break;
        if (comment > at) {
            at = comment;
            continue;
        }
        const Utf8Char next = utf8At(text, at);
        if (!isSpace(next.code))
            break;
        at += next.length;
    }
    return at;
}

} // namespace portcullis::config
