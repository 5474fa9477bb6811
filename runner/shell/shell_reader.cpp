// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <utility>

namespace portcullis::shell {

Reading read(std::string_view text, Dialect dialect, const ReadLimits &limits)
{
    detail::Work work;
    work.dialect = dialect;
    work.limits = limits;
    Reading reading;
    detail::ShellReader reader(work, text, 0);
    reader.readAll(reading.script);
    reading.stop = work.stop;
    reading.steps = work.steps;
    return reading;
}

namespace detail {

bool isNameStart(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool isDigit(int c)
{
    return c >= '0' && c <= '9';
}

bool isNameChar(int c)
{
    return isNameStart(c) || isDigit(c);
}

bool isMeta(int c)
{
    switch (c) {
    case -1:
    case ' ':
    case '\t':
    case '\n':
    case ';':
    case '&':
    case '|':
    case '(':
    case ')':
    case '<':
    case '>':
        return true;
    default:
        return false;
    }
}

bool isName(std::string_view text)
{
    if (text.empty() || !isNameStart(text.front()))
        return false;
    for (const char c : text) {
        if (!isNameChar(c))
            return false;
    }
    return true;
}

std::optional<std::string> literal(const Word &word)
{
    std::string text;
    for (const Piece &piece : word.pieces) {
        if (piece.kind != Piece::Kind::Text)
            return std::nullopt;
        text += piece.text;
    }
    return text;
}

Nesting::Nesting(Work &work, std::uint32_t offset) : m_work(work)
{
    if (++m_work.nesting > m_work.limits.nesting && !m_work.exhausted) {
        m_work.exhausted = true;
        m_work.stop = ReadStop{.reason = DynamicReason::Budget, .offset = offset};
    }
}

ShellReader::ShellReader(Work &work, std::string_view text, std::uint32_t base, std::span<const std::uint32_t> offsets)
    : m_work(work), m_text(text), m_base(base), m_offsets(offsets)
{
}

ShellReader ShellReader::part(std::size_t start, std::size_t end) const
{
    if (m_offsets.empty())
        return {m_work, m_text.substr(start, end - start), m_base + static_cast<std::uint32_t>(start)};
    return {m_work, m_text.substr(start, end - start), 0, m_offsets.subspan(start, end - start + 1)};
}

bool ShellReader::readAll(Script &script)
{
    bool good = readList(script, true);
    const bool complete = good;
    while (!good && m_resumeAt != std::string_view::npos && !m_work.exhausted) {
        m_pos = m_resumeAt;
        // What was thrown away depends on options: should this line fail too, try the next one.
        m_resumeAt = nextLine(m_pos);
        m_pending.clear();
        m_takenFrom = std::string_view::npos;
        m_commandSubs = 0;
        m_resumed = true;
        good = m_pos == m_text.size() || readList(script, true);
    }
    return complete;
}

bool ShellReader::readAllOfBackticks(Script &script)
{
    return bash() ? readAll(script) : readList(script, false);
}

bool ShellReader::readAllUnquoted(std::vector<Piece> &pieces)
{
    return readStretch(pieces, {});
}

bool ShellReader::readAllQuoted(std::vector<Piece> &pieces)
{
    for (int c = peek(); c != -1; c = peek()) {
        if (!step() || !readQuotedChar(pieces, c, true))
            return false;
    }
    return true;
}

int ShellReader::rawAt(std::size_t pos) const
{
    return pos < m_text.size() ? static_cast<unsigned char>(m_text[pos]) : -1;
}

int ShellReader::peek()
{
    while (rawAt(m_pos) == '\\' && rawAt(m_pos + 1) == '\n') {
        m_pos += 2;
        m_work.steps += 2;
    }
    return rawAt(m_pos);
}

int ShellReader::peekSecond()
{
    std::size_t next = m_pos + 1;
    while (rawAt(next) == '\\' && rawAt(next + 1) == '\n') {
        next += 2;
        m_work.steps += 2;
    }
    return rawAt(next);
}

void ShellReader::advance()
{
    ++m_pos;
    ++m_work.steps;
}

bool ShellReader::step(std::uint64_t count)
{
    m_work.steps += count;
    if (m_work.steps > m_work.limits.steps && !m_work.exhausted) {
        m_work.exhausted = true;
        m_work.stop = ReadStop{.reason = DynamicReason::Budget, .offset = origin(m_pos)};
    }
    return !m_work.exhausted;
}

bool ShellReader::fail()
{
    noticeArray();
    if (!m_work.stop)
        m_work.stop = ReadStop{.reason = DynamicReason::Syntax, .offset = origin(m_pos)};
    return false;
}

/// bash reads a whole `name=(…)` before it sees that none may stand here; should it be broken, bash goes on after it.
void ShellReader::noticeArray()
{
    std::size_t pos = m_pos;
    while (bash() && isNameChar(rawAt(pos)))
        ++pos;
    m_work.steps += pos - std::min(pos, m_pos);
    if (pos > m_pos && rawAt(pos) == '+')
        ++pos;
    if (pos > m_pos && rawAt(pos) == '=' && rawAt(pos + 1) == '(')
        m_resumeAt = nextLine(pos);
}

std::uint32_t ShellReader::origin(std::size_t pos) const
{
    if (m_offsets.empty())
        return m_base + static_cast<std::uint32_t>(std::min(pos, m_text.size()));
    return m_offsets[std::min(pos, m_offsets.size() - 1)];
}

Span ShellReader::spanFrom(std::size_t start) const
{
    // The end is that of the last byte, not the start of the next: in decoded text bytes may be missing between them.
    const std::uint32_t from = origin(start);
    const std::size_t last = std::min(m_pos, m_text.size());
    const std::uint32_t end = last > start ? origin(last - 1) + 1 : from;
    return {.start = from, .length = std::max(from, end) - from};
}

std::size_t ShellReader::nextLine(std::size_t pos) const
{
    const std::size_t end = m_text.find('\n', pos);
    return end == std::string_view::npos ? m_text.size() : end + 1;
}

void ShellReader::skipBlanks()
{
    int c = peek();
    while (c == ' ' || c == '\t') {
        advance();
        c = peek();
    }
    if (c != '#')
        return;
    // A comment: no backslash-newline in it.
    const std::size_t end = std::min(m_text.find('\n', m_pos), m_text.size());
    m_work.steps += end - m_pos;
    m_pos = end;
}

bool ShellReader::skipNewlines()
{
    for (skipBlanks(); rawAt(m_pos) == '\n'; skipBlanks()) {
        if (!step() || !readNewline())
            return false;
    }
    return true;
}

bool ShellReader::readNewline()
{
    if (m_takenFrom != std::string_view::npos) {
        // Something (a quote, a joined line) ran over the lines that bash had taken: not worth following.
        if (m_pos != m_takenFrom)
            return fail();
        m_pos = m_takenTo;
        m_takenFrom = std::string_view::npos;
    } else {
        advance();
    }
    return readPendingDocuments();
}

bool ShellReader::expect(char c)
{
    if (peek() != c)
        return fail();
    advance();
    return step();
}

std::string ShellReader::bareWord()
{
    constexpr std::size_t longest = 8; // function
    std::string word;
    std::size_t pos = m_pos;
    for (;;) {
        while (rawAt(pos) == '\\' && rawAt(pos + 1) == '\n')
            pos += 2;
        const int c = rawAt(pos);
        if (isMeta(c)) {
            m_work.steps += pos - m_pos;
            const bool goesOn = bash() && (c == '<' || c == '>') && rawAt(pos + 1) == '(';
            return goesOn ? std::string() : word;
        }
        if (word.size() == longest || c == '\'' || c == '"' || c == '\\' || c == '$' || c == '`')
            return {};
        word += static_cast<char>(c);
        ++pos;
    }
}

bool ShellReader::takeWord(std::string_view word)
{
    if (bareWord() != word)
        return false;
    for (std::size_t i = 0; i < word.size(); ++i) {
        peek();
        advance();
    }
    return true;
}

} // namespace detail
} // namespace portcullis::shell
