// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell::detail {

namespace {

/// Bytes that mean nothing by themselves anywhere, so that runs of them are taken at once.
constexpr std::array<bool, 256> plainBytes = [] {
    std::array<bool, 256> plain{};
    plain.fill(true);
    for (const unsigned char c : std::string_view(" \t\n;&|()<>\\'\"`$[]{}/:?*+@!#="))
        plain.at(c) = false;
    return plain;
}();

bool isPlain(int c)
{
    return c >= 0 && plainBytes.at(static_cast<std::size_t>(c));
}

} // namespace

void ShellReader::addText(std::vector<Piece> &pieces, std::string_view text, bool quoted, std::size_t start)
{
    if (!pieces.empty() && pieces.back().kind == Piece::Kind::Text && pieces.back().quoted == quoted) {
        Piece &last = pieces.back();
        last.text += text;
        last.span.length = std::max(last.span.end(), origin(m_pos)) - last.span.start;
        return;
    }
    Piece &piece = pieces.emplace_back();
    piece.quoted = quoted;
    piece.span = spanFrom(start);
    piece.text = text;
}

/// The byte at the cursor and the plain ones after it.
void ShellReader::addPlainRun(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    ++m_pos;
    while (m_pos < m_text.size() && isPlain(rawAt(m_pos)))
        ++m_pos;
    m_work.steps += m_pos - start;
    addText(pieces, m_text.substr(start, m_pos - start), quoted, start);
}

bool ShellReader::readWord(Word &word, WordPlace place)
{
    const std::size_t start = m_pos;
    if (place == WordPlace::ArrayElement && peek() == '[') {
        const std::size_t open = m_pos;
        advance();
        addText(word.pieces, "[", false, open);
        if (!readStretch(word.pieces, {.open = '[', .close = ']', .single = Stretch::Single::Matched}))
            return false;
        advance();
        addText(word.pieces, "]", false, m_pos - 1);
    }
    if (!readWordPieces(word.pieces, place))
        return false;
    if (word.pieces.empty())
        return fail();
    word.span = spanFrom(start);
    return true;
}

bool ShellReader::readWordPieces(std::vector<Piece> &pieces, WordPlace place)
{
    bool ended = false;
    while (!ended) {
        const int c = peek();
        if (!step() || !readWordPiece(pieces, c, place, ended))
            return false;
    }
    return true;
}

bool ShellReader::atProcessSub()
{
    const int c = peek();
    return bash() && (c == '<' || c == '>') && peekSecond() == '(';
}

/// Whether a pattern list starts here. As the option may be set at any time before, bash's patterns are always read as
/// such, except where the text without the option is a command: `!(cmd)`, which the pipeline takes, and `name@()`.
bool ShellReader::atExtGlob(WordPlace place)
{
    const int c = peek();
    if (!bash() || c == -1 || !std::string_view("?*+@!").contains(static_cast<char>(c)) || peekSecond() != '(')
        return false;
    if (place != WordPlace::CommandStart)
        return true;
    const std::size_t back = m_pos;
    advance();
    peek();
    advance();
    const bool function = peek() == ')' && (isMeta(peekSecond()) || peekSecond() == '{');
    m_pos = back;
    return !function;
}

bool ShellReader::readWordPiece(std::vector<Piece> &pieces, int c, WordPlace place, bool &ended)
{
    if (place == WordPlace::Regex && (c == '(' || c == '|'))
        return readRegexGroup(pieces);
    if (isMeta(c)) {
        if (atProcessSub())
            return readProcessSub(pieces);
        ended = true;
        return true;
    }
    switch (c) {
    case '\\':
        readBackslash(pieces);
        return true;
    case '\'':
        return readSingleQuoted(pieces);
    case '"':
        return readDoubleQuoted(pieces);
    case '$':
        return readDollar(pieces, false);
    case '`':
        return readBackticks(pieces, false);
    default:
        if (atExtGlob(place))
            return place == WordPlace::ArrayElement ? readArrayExtGlob(pieces) : readExtGlob(pieces);
        addPlainRun(pieces, false);
        return true;
    }
}

void ShellReader::readBackslash(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    advance();
    if (rawAt(m_pos) == -1) {
        addText(pieces, "\\", true, start);
        return;
    }
    advance();
    addText(pieces, m_text.substr(m_pos - 1, 1), true, start);
}

void ShellReader::readQuotedBackslash(std::vector<Piece> &pieces, std::string_view escapable)
{
    const std::size_t start = m_pos;
    advance();
    const int c = rawAt(m_pos);
    if (c == -1) {
        addText(pieces, "\\", true, start);
        return;
    }
    advance();
    const bool drop = escapable.contains(static_cast<char>(c));
    addText(pieces, m_text.substr(drop ? start + 1 : start, drop ? 1 : 2), true, start);
}

bool ShellReader::readSingleQuoted(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    const std::size_t end = m_text.find('\'', start + 1);
    if (end == std::string_view::npos)
        return fail();
    m_pos = end + 1;
    addText(pieces, m_text.substr(start + 1, end - start - 1), true, start);
    return step(m_pos - start);
}

/// '…' where bash looks for the second quote but expands what is between: "${x:-'…'}", $(( '…' )), a['…'].
bool ShellReader::readMatchedSingle(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    const std::size_t end = m_text.find('\'', start + 1);
    if (end == std::string_view::npos)
        return fail();
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    m_pos = start + 1;
    addText(pieces, "'", true, start);
    ShellReader inside = part(start + 1, end);
    inside.readAllQuoted(pieces);
    m_pos = end + 1;
    addText(pieces, "'", true, end);
    return step();
}

bool ShellReader::readAnsiQuoted(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    advance(); // $
    peek();
    advance(); // '
    const std::size_t from = m_pos;
    while (rawAt(m_pos) != '\'') {
        if (rawAt(m_pos) == -1)
            return fail();
        m_pos = std::min(m_pos + (rawAt(m_pos) == '\\' ? 2U : 1U), m_text.size());
    }
    const std::string_view raw = m_text.substr(from, m_pos - from);
    ++m_pos;
    addText(pieces, decodeAnsi(raw), true, start);
    return step(m_pos - start);
}

bool ShellReader::readDoubleQuoted(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    advance();
    addText(pieces, "", true, start);
    for (int c = peek(); c != '"'; c = peek()) {
        if (c == -1)
            return fail();
        if (!step() || !readQuotedChar(pieces, c, false))
            return false;
    }
    advance();
    if (pieces.back().kind == Piece::Kind::Text && pieces.back().quoted)
        addText(pieces, "", true, start);
    return true;
}

/// One byte or expansion inside double quotes.
bool ShellReader::readQuotedChar(std::vector<Piece> &pieces, int c, bool documentBody)
{
    switch (c) {
    case '\\':
        readQuotedBackslash(pieces, documentBody ? "$`\\" : "$`\"\\");
        return true;
    case '$':
        return readDollar(pieces, true);
    case '`':
        return readBackticks(pieces, true);
    default:
        addPlainRun(pieces, true);
        return true;
    }
}

bool ShellReader::readExtGlob(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    Piece piece;
    piece.kind = Piece::Kind::ExtGlob;
    advance();
    peek();
    advance();
    const std::size_t from = m_pos;
    if (!skipMatched('(', ')', false))
        return false;
    part(from, m_pos).readAllUnquoted(piece.operands);
    advance();
    piece.text = m_text.substr(start, m_pos - start);
    piece.span = spanFrom(start);
    pieces.push_back(std::move(piece));
    return !m_work.exhausted;
}

/// Without the option a pattern list is an error like any other, after which nothing runs; but in an array bash goes on
/// at the next line. So this can never be read without saying so.
bool ShellReader::readArrayExtGlob(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    fail();
    m_work.steps += start;
    if (m_text.substr(0, start).contains("extglob") && readExtGlob(pieces))
        return true;
    m_resumeAt = nextLine(start);
    return false;
}

/// In a regular expression after =~ parentheses and bars belong to the word, and all that is between parentheses.
bool ShellReader::readRegexGroup(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    const bool bar = peek() == '|';
    advance();
    addText(pieces, bar ? "|" : "(", false, start);
    if (bar)
        return true;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok() || !skipMatched('(', ')', false))
        return false;
    part(start + 1, m_pos).readAllUnquoted(pieces);
    advance();
    addText(pieces, ")", false, m_pos - 1);
    return !m_work.exhausted;
}

/// Reads up to the closing byte and leaves the cursor on it.
bool ShellReader::readStretch(std::vector<Piece> &pieces, const Stretch &stretch)
{
    std::size_t depth = 0;
    for (;;) {
        const int c = peek();
        if (c == -1)
            return stretch.close == 0 || fail();
        if (!step())
            return false;
        if (depth == 0 && (c == stretch.close || (stretch.second != 0 && c == stretch.second)))
            return true;
        bool handled = false;
        if (!readStretchQuote(pieces, stretch, c, handled))
            return false;
        if (handled)
            continue;
        if (stretch.open != 0 && c == stretch.open)
            ++depth;
        else if (stretch.open != 0 && c == stretch.close)
            --depth;
        addPlainRun(pieces, stretch.quoted);
    }
}

bool ShellReader::readStretchQuote(std::vector<Piece> &pieces, const Stretch &stretch, int c, bool &handled)
{
    handled = true;
    switch (c) {
    case '\\':
        if (stretch.quoted)
            readQuotedBackslash(pieces, stretch.close == '}' ? "$`\"\\}" : "$`\"\\");
        else
            readBackslash(pieces);
        return true;
    case '\'':
        if (stretch.single == Stretch::Single::Quotes)
            return readSingleQuoted(pieces);
        if (stretch.single == Stretch::Single::Matched)
            return readMatchedSingle(pieces);
        break;
    case '"':
        if (!stretch.doubleIsText)
            return readDoubleQuoted(pieces);
        break;
    case '$': {
        // Bash: "${x:-$'…'}" has the quotes that "$'…'" has not.
        const int next = peekSecond();
        const bool quotes =
            stretch.single == Stretch::Single::Matched && stretch.close == '}' && (next == '\'' || next == '"');
        return readDollar(pieces, stretch.quoted && !quotes);
    }
    case '`':
        return readBackticks(pieces, stretch.quoted);
    case '<':
    case '>':
        // In ${…} and […] bash looks for the end of <(…) even where double quotes keep it from running.
        if ((!stretch.quoted || stretch.close == '}' || stretch.close == ']') && atProcessSub())
            return readProcessSub(pieces);
        break;
    default:
        break;
    }
    handled = false;
    return true;
}

} // namespace portcullis::shell::detail
