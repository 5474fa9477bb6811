// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <array>
#include <memory>
#include <utility>

namespace portcullis::shell::detail {

namespace {

/// bash's last look at the inside of `$((…))`: parentheses outside of quotes, those of substitutions too, in pairs.
bool hasBalancedParens(std::string_view text)
{
    std::ptrdiff_t depth = 0;
    for (std::size_t i = 0; i < text.size() && depth >= 0; ++i) {
        const char c = text[i];
        if (c == '\\') {
            ++i;
        } else if (c == '\'' || c == '"') {
            for (++i; i < text.size() && text[i] != c; ++i)
                i += c == '"' && text[i] == '\\' ? 1 : 0;
        } else {
            depth += c == '(' ? 1 : 0;
            depth -= c == ')' ? 1 : 0;
        }
    }
    return depth == 0;
}

} // namespace

bool ShellReader::readDollar(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    const int next = peekSecond();
    switch (next) {
    case '(':
        return readDollarParens(pieces, quoted);
    case '{':
        return readParameter(pieces, quoted);
    case '[':
        if (bash())
            return readBracketArithmetic(pieces, quoted);
        break;
    case '\'':
        if (bash() && !quoted)
            return readAnsiQuoted(pieces);
        break;
    case '"':
        if (bash() && !quoted) {
            advance();
            peek();
            return readDoubleQuoted(pieces);
        }
        break;
    default:
        if (isNameChar(next) || (next > 0 && std::string_view("@*#?-$!").contains(static_cast<char>(next))))
            return readParameter(pieces, quoted);
        break;
    }
    advance();
    addText(pieces, "$", quoted, start);
    return true;
}

/// `$(…)` or `$((…))`, read once even when two readings of what is around it come here.
bool ShellReader::readDollarParens(std::vector<Piece> &pieces, bool quoted)
{
    if (takeAhead(pieces, quoted))
        return true;
    const std::size_t start = m_pos;
    const std::uint32_t skipping = std::exchange(m_work.skipping, 0);
    Piece piece;
    const bool read = readParens(piece);
    m_work.skipping = skipping;
    if (!read)
        return false;
    piece.quoted = quoted;
    piece.span = spanFrom(start);
    if (skipping > 0)
        m_work.ahead.insert_or_assign(origin(start), ReadAhead{.piece = std::move(piece), .length = m_pos - start});
    else
        pieces.push_back(std::move(piece));
    return true;
}

bool ShellReader::takeAhead(std::vector<Piece> &pieces, bool quoted)
{
    const auto found = m_work.ahead.find(origin(m_pos));
    if (found == m_work.ahead.end())
        return false;
    m_pos += found->second.length;
    if (m_work.skipping > 0)
        return true;
    pieces.push_back(std::move(found->second.piece));
    pieces.back().quoted = quoted;
    m_work.ahead.erase(found);
    return true;
}

bool ShellReader::readParens(Piece &piece)
{
    const std::size_t start = m_pos;
    advance();
    peek();
    advance();
    if (peek() == '(')
        return bash() ? readBashArithmetic(piece, start) : readDashArithmetic(piece, start);
    piece.kind = Piece::Kind::CommandSub;
    piece.script = std::make_unique<Script>();
    return readScriptUntilParen(*piece.script);
}

/// bash looks for the matching `)` of `$((`, minding quotes and $(…) alone. The inside is arithmetic when the
/// parenthesis that closes the inner one is followed at once by the outer one's, else it is a text of commands.
bool ShellReader::readBashArithmetic(Piece &piece, std::size_t start)
{
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    const std::size_t inner = m_pos;
    advance();
    if (!skipMatched('(', ')', true))
        return false;
    const std::size_t last = m_pos;
    const bool closed = peekSecond() == ')';
    advance();
    if (closed && hasBalancedParens(m_text.substr(inner + 1, last - inner - 1))) {
        finishArithmetic(piece, inner + 1, last);
        peek();
        advance();
        return !m_work.exhausted;
    }
    if (!skipMatched('(', ')', true))
        return false;
    piece.kind = Piece::Kind::CommandSub;
    piece.script = std::make_unique<Script>();
    part(inner, m_pos).readAll(*piece.script);
    advance();
    return !m_work.exhausted;
}

/// dash takes `$((` for arithmetic always and ends it at the first `))` outside of parentheses.
bool ShellReader::readDashArithmetic(Piece &piece, std::size_t start)
{
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    advance();
    const std::size_t from = m_pos;
    const Stretch inside{
        .open = '(', .close = ')', .quoted = true, .single = Stretch::Single::Literal, .doubleIsText = true};
    for (;;) {
        if (!readStretch(piece.operands, inside))
            return false;
        if (peekSecond() == ')')
            break;
        addPlainRun(piece.operands, true);
    }
    piece.kind = Piece::Kind::Arithmetic;
    piece.text = m_text.substr(from, m_pos - from);
    advance();
    peek();
    advance();
    return true;
}

void ShellReader::finishArithmetic(Piece &piece, std::size_t from, std::size_t end)
{
    piece.kind = Piece::Kind::Arithmetic;
    piece.text = m_text.substr(from, end - from);
    part(from, end).readAllQuoted(piece.operands);
}

/// The end of a stretch as bash looks for it: quotes and, where asked, $(…) hide the closing byte; ${…} does not.
bool ShellReader::skipMatched(char open, char close, bool commandSubs)
{
    std::vector<Piece> scratch;
    std::size_t depth = 0;
    ++m_work.skipping;
    bool good = true;
    for (int c = peek(); good && (c != close || depth > 0); c = peek()) {
        good = step() && (c != -1 || fail());
        if (!good)
            break;
        if (c == '$' && commandSubs && peekSecond() == '(')
            good = readDollarParens(scratch, false);
        else if (c == '"')
            good = readDoubleQuoted(scratch);
        else if (c == '\'')
            good = readSingleQuoted(scratch);
        else if (c == '`')
            good = readBackticks(scratch, false);
        else if (c == '\\')
            readBackslash(scratch);
        else {
            depth += c == open ? 1 : 0;
            depth -= c == close ? 1 : 0;
            advance();
        }
        scratch.clear();
    }
    --m_work.skipping;
    return good;
}

bool ShellReader::readArithmeticCommand(Piece &piece, std::size_t start, bool &arithmetic)
{
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    const std::size_t from = m_pos;
    if (!skipMatched('(', ')', true))
        return false;
    arithmetic = peekSecond() == ')';
    if (!arithmetic) {
        m_notArithmetic.insert(from - 1);
        return true;
    }
    finishArithmetic(piece, from, m_pos);
    advance();
    peek();
    advance();
    piece.span = spanFrom(start);
    return !m_work.exhausted;
}

bool ShellReader::readBracketArithmetic(std::vector<Piece> &pieces, bool quoted)
{
    if (takeAhead(pieces, quoted))
        return true;
    const std::size_t start = m_pos;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    const std::uint32_t skipping = std::exchange(m_work.skipping, 0);
    Piece piece;
    piece.quoted = quoted;
    advance();
    peek();
    advance();
    const std::size_t from = m_pos;
    const bool read = skipMatched('[', ']', true);
    if (read) {
        finishArithmetic(piece, from, m_pos);
        advance();
        piece.span = spanFrom(start);
    }
    m_work.skipping = skipping;
    if (read && skipping > 0)
        m_work.ahead.insert_or_assign(origin(start), ReadAhead{.piece = std::move(piece), .length = m_pos - start});
    else if (read)
        pieces.push_back(std::move(piece));
    return read && !m_work.exhausted;
}

bool ShellReader::readProcessSub(std::vector<Piece> &pieces)
{
    const std::size_t start = m_pos;
    Piece piece;
    piece.kind = peek() == '<' ? Piece::Kind::ProcessIn : Piece::Kind::ProcessOut;
    advance();
    peek();
    advance();
    piece.script = std::make_unique<Script>();
    if (peek() == '(') {
        // The end is looked for as for `$((`.
        const Nesting nesting(m_work, origin(start));
        const std::size_t from = m_pos;
        if (!nesting.ok() || !skipMatched('(', ')', true))
            return false;
        part(from, m_pos).readAll(*piece.script);
        advance();
    } else if (!readScriptUntilParen(*piece.script)) {
        return false;
    }
    piece.span = spanFrom(start);
    pieces.push_back(std::move(piece));
    return !m_work.exhausted;
}

/// The commands of $(…), <(…), >(…) with the closing parenthesis. Here-documents inside are the inside's own; those
/// still open at the parenthesis bash reads from the following lines, and dash forgets.
bool ShellReader::readScriptUntilParen(Script &script)
{
    const Nesting nesting(m_work, origin(m_pos));
    if (!nesting.ok())
        return false;
    std::vector<PendingDocument> outer = std::exchange(m_pending, {});
    ++m_commandSubs;
    const bool read = readList(script, false) && expect(')');
    --m_commandSubs;
    if (!read)
        return false;
    if (bash() && !m_pending.empty() && !readPendingAhead())
        return false;
    m_pending = std::move(outer);
    return true;
}

/// `${ …; }` and `${| …; }` of newer shells. Where it does not read as commands, the shells that do not know it see a
/// bad substitution that ends at the first closing brace.
bool ShellReader::readFunSub(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    // As in $(…), lines inside are never those of a here-document around it.
    std::vector<PendingDocument> outer = std::exchange(m_pending, {});
    const std::optional<ReadStop> before = m_work.stop;
    const std::array marks{m_takenFrom, m_takenTo, m_resumeAt};
    Piece piece;
    piece.kind = Piece::Kind::CommandSub;
    piece.quoted = quoted;
    advance();
    peek();
    advance();
    if (peek() == '|')
        advance();
    piece.script = std::make_unique<Script>();
    if (readList(*piece.script, false) && takeWord("}")) {
        outer.insert(outer.end(), m_pending.begin(), m_pending.end());
        m_pending = std::move(outer);
        piece.span = spanFrom(start);
        pieces.push_back(std::move(piece));
        return true;
    }
    if (m_work.exhausted)
        return false;
    m_pending = std::move(outer);
    m_work.stop = before;
    m_pos = start;
    // Lines that were taken for a here-document inside are not given back: not worth following.
    if (marks != std::array{m_takenFrom, m_takenTo, m_resumeAt})
        return fail();
    m_notFunSub.insert(start);
    return readParameter(pieces, quoted);
}

/// `…`: backslash quotes $ ` \ (and " inside double quotes); what is left is read as a text of its own. bash does that
/// when it runs the substitution, so an error inside ends only that; dash does it at once.
bool ShellReader::readBackticks(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    MappedText inside;
    for (++m_pos; rawAt(m_pos) != '`'; ++m_pos) {
        int c = rawAt(m_pos);
        if (c == -1)
            return fail();
        if (c == '\\' && rawAt(m_pos + 1) != -1) {
            const int next = rawAt(m_pos + 1);
            if (next == '\n') {
                ++m_pos;
                continue;
            }
            const bool drop = next == '$' || next == '`' || next == '\\' || (quoted && next == '"');
            if (!drop) {
                inside.bytes += '\\';
                inside.offsets.push_back(origin(m_pos));
            }
            ++m_pos;
            c = next;
        }
        inside.bytes += static_cast<char>(c);
        inside.offsets.push_back(origin(m_pos));
    }
    inside.offsets.push_back(origin(m_pos));
    ++m_pos;
    if (!step(m_pos - start))
        return false;
    if (m_work.skipping > 0 && bash())
        return true;

    Piece piece;
    piece.kind = Piece::Kind::CommandSub;
    piece.quoted = quoted;
    piece.span = spanFrom(start);
    piece.script = std::make_unique<Script>();
    ShellReader reader(m_work, inside.bytes, 0, inside.offsets);
    const bool read = reader.readAllOfBackticks(*piece.script);
    pieces.push_back(std::move(piece));
    return read || (bash() && !m_work.exhausted);
}

} // namespace portcullis::shell::detail
