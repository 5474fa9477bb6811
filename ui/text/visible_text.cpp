// SPDX-License-Identifier: Apache-2.0
#include "ui/text/visible_text.h"

#include "runner/base/invisible.h"
#include "runner/base/utf8.h"

#include <QCoreApplication>

#include <algorithm>
#include <string>

namespace portcullis::text {

namespace {

constexpr int mostMarks = 3;
constexpr std::size_t lineHead = 300; ///< bytes of a long command at the beginning of its line
constexpr std::size_t lineTail = 100; ///< and at its end, where a dangerous rest would hide
constexpr std::size_t longBlanks = 20;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::text::Command)
};

constexpr bool isPlain(char byte)
{
    return byte >= 0x20 && byte < 0x7F;
}

/// Drawn into the letter before it. Marks that take room of their own are letters to the eye.
bool isMark(char32_t code)
{
    const QChar::Category category = QChar::category(code);
    return category == QChar::Mark_NonSpacing || category == QChar::Mark_Enclosing;
}

/// The token of a character, once for many of the same in a row: they would fill the page.
QString foldedToken(std::string_view bytes, std::size_t at, const Utf8Char &character, std::size_t &end)
{
    constexpr std::size_t mostShown = 4;
    const std::string_view spelled = bytes.substr(at, character.length);
    std::size_t count = 0;
    for (end = at; bytes.substr(end).starts_with(spelled); end += spelled.size())
        ++count;
    const QString token = visibleToken(character.code);
    const bool isBlank = character.code == U'\t' || character.code == U'\n';
    if (count <= mostShown || isBlank)
        return token.repeated(static_cast<qsizetype>(count));
    return token + u'×' + QString::number(count);
}

/// Blanks that push the rest out of view, in words.
QString blankWords(std::string_view blanks)
{
    const auto count = static_cast<int>(blanks.size());
    return blanks.contains('\n') ? Words::tr(" (%n blanks and line breaks) ", nullptr, count)
                                 : Words::tr(" (%n blanks) ", nullptr, count);
}

/// Takes text off the front of `command` until `most` bytes of it are shown.
QString takeHead(std::string_view &command, std::size_t most)
{
    constexpr std::string_view blank = " \t\r\n";
    QString out;
    std::string shown;
    std::size_t used = 0;
    while (!command.empty() && used < most) {
        const std::size_t blanks = std::min(command.find_first_not_of(blank), command.size());
        if (blanks >= longBlanks) {
            out += visibleText(shown) + blankWords(command.substr(0, blanks));
            shown.clear();
            used += longBlanks;
            command.remove_prefix(blanks);
            continue;
        }
        const std::size_t end = std::min(command.find_first_of(blank, blanks), command.size());
        const std::string_view piece = utf8Head(command.substr(0, end), most - used);
        if (piece.empty())
            break;
        shown += piece;
        used += piece.size();
        command.remove_prefix(piece.size());
    }
    return out + visibleText(shown);
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
    int room = 0; // for marks on the letter before
    while (at < bytes.size()) {
        const std::size_t from = at;
        while (at < bytes.size() && isPlain(bytes[at]))
            ++at;
        if (at > from)
            room = mostMarks;
        text += QLatin1StringView(bytes.data() + from, static_cast<qsizetype>(at - from));
        if (at == bytes.size())
            break;
        const Utf8Char character = utf8At(bytes, at);
        const bool mark = isMark(character.code);
        const bool hidden = isInvisible(character.code) || (mark && room == 0);
        std::size_t end = at + character.length;
        if (!character.valid)
            text += visibleBytes(bytes.substr(at, character.length));
        else
            text += hidden ? foldedToken(bytes, at, character, end) : QString::fromUcs4(&character.code, 1);
        // A mark behind a token would be drawn into it.
        room = !character.valid || hidden ? 0 : mark ? room - 1 : mostMarks;
        at = end;
    }
    return text;
}

QString commandLine(std::string_view command)
{
    std::string_view rest = command;
    QString line = takeHead(rest, command.size() <= lineHead + lineTail ? command.size() : lineHead);
    if (rest.size() > lineTail) {
        const std::string_view tail = utf8Tail(rest, lineTail);
        line += QStringLiteral(" … ") + Words::tr("%n bytes", nullptr, static_cast<int>(rest.size() - tail.size()))
            + QStringLiteral(" … ");
        rest = tail;
    }
    return line + takeHead(rest, rest.size());
}

QString shortened(const QString &text, qsizetype most)
{
    if (text.size() <= most)
        return text;
    QString head = text.first(most - 1);
    if (head.back().isHighSurrogate())
        head.chop(1);
    return head + u'…';
}

} // namespace portcullis::text
