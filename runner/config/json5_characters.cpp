// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5_characters.h"

#include <QChar>

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

} // namespace portcullis::config
