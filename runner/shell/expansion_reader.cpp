// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <memory>
#include <utility>

namespace portcullis::shell::detail {

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

bool ShellReader::readDollarParens(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    advance();
    peek();
    advance();
    if (peek() != '(' || m_notArithmetic.contains(m_pos)) {
        m_pos = start;
        return readCommandSub(pieces, quoted);
    }
    Piece piece;
    piece.quoted = quoted;
    advance();
    switch (tryArithmetic(piece, start)) {
    case ArithTry::Read:
        pieces.push_back(std::move(piece));
        return true;
    case ArithTry::Failed:
        return false;
    case ArithTry::NotArithmetic:
        break;
    }
    m_pos = start;
    return readCommandSub(pieces, quoted);
}

Stretch ShellReader::arithmeticStretch(char open, char close) const
{
    return {.open = open,
            .close = close,
            .quoted = true,
            .single = bash() ? Stretch::Single::Matched : Stretch::Single::Literal,
            .doubleIsText = !bash()};
}

/// `((` is arithmetic when the parenthesis that closes the inner one is followed at once by the outer one's. If not,
/// bash takes the two as a subshell in a substitution or subshell; dash goes on looking.
ShellReader::ArithTry ShellReader::tryArithmetic(Piece &piece, std::size_t start)
{
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return ArithTry::Failed;
    const std::size_t from = m_pos;
    for (;;) {
        if (!readStretch(piece.operands, arithmeticStretch('(', ')')))
            return ArithTry::Failed;
        if (peekSecond() == ')')
            break;
        if (bash()) {
            m_notArithmetic.insert(from - 1);
            m_pos = from;
            return ArithTry::NotArithmetic;
        }
        addPlainRun(piece.operands, true);
    }
    piece.kind = Piece::Kind::Arithmetic;
    piece.text = m_text.substr(from, m_pos - from);
    advance();
    peek();
    advance();
    piece.span = spanFrom(start);
    return ArithTry::Read;
}

bool ShellReader::readBracketArithmetic(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    Piece piece;
    piece.kind = Piece::Kind::Arithmetic;
    piece.quoted = quoted;
    advance();
    peek();
    advance();
    const std::size_t from = m_pos;
    if (!readStretch(piece.operands, arithmeticStretch('[', ']')))
        return false;
    piece.text = m_text.substr(from, m_pos - from);
    advance();
    piece.span = spanFrom(start);
    pieces.push_back(std::move(piece));
    return true;
}

bool ShellReader::readCommandSub(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    Piece piece;
    piece.kind = Piece::Kind::CommandSub;
    piece.quoted = quoted;
    advance();
    peek();
    advance();
    piece.script = std::make_unique<Script>();
    if (!readScriptUntilParen(*piece.script))
        return false;
    piece.span = spanFrom(start);
    pieces.push_back(std::move(piece));
    return true;
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
    if (!readScriptUntilParen(*piece.script))
        return false;
    piece.span = spanFrom(start);
    pieces.push_back(std::move(piece));
    return true;
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
    const std::size_t open = m_pending.size();
    const std::optional<ReadStop> before = m_work.stop;
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
        piece.span = spanFrom(start);
        pieces.push_back(std::move(piece));
        return true;
    }
    if (m_work.exhausted)
        return false;
    m_work.stop = before;
    m_pending.resize(open);
    m_notFunSub.insert(start);
    m_pos = start;
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

    Piece piece;
    piece.kind = Piece::Kind::CommandSub;
    piece.quoted = quoted;
    piece.span = spanFrom(start);
    piece.script = std::make_unique<Script>();
    ShellReader reader(m_work, inside.bytes, 0, inside.offsets);
    const bool read = reader.readAll(*piece.script);
    pieces.push_back(std::move(piece));
    return read || (bash() && !m_work.exhausted);
}

} // namespace portcullis::shell::detail
