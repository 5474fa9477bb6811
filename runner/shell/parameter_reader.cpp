// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <memory>
#include <utility>

namespace portcullis::shell::detail {

namespace {

bool isSpecialParameter(int c)
{
    return c > 0 && std::string_view("@*#?-$!").contains(static_cast<char>(c));
}

bool isPatternOperator(std::string_view op)
{
    return !op.empty() && std::string_view("#%/^,~").contains(op.front());
}

} // namespace

bool ShellReader::readParameter(std::vector<Piece> &pieces, bool quoted)
{
    const std::size_t start = m_pos;
    Piece piece;
    piece.kind = Piece::Kind::Parameter;
    piece.quoted = quoted;
    piece.parameter = std::make_unique<Parameter>();
    advance();
    if (peek() == '{') {
        const int next = peekSecond();
        const bool blank = next == ' ' || next == '\t' || next == '\n' || next == '|';
        if (bash() && blank && !m_notFunSub.contains(start)) {
            m_pos = start;
            return readFunSub(pieces, quoted);
        }
        const Nesting nesting(m_work, origin(start));
        if (!nesting.ok())
            return false;
        advance();
        if (!readBracedParameter(*piece.parameter, quoted))
            return false;
    } else if (isDigit(peek()) || isSpecialParameter(peek())) {
        piece.parameter->name = static_cast<char>(peek());
        advance();
    } else {
        piece.parameter->name = readParameterName();
    }
    piece.span = spanFrom(start);
    pieces.push_back(std::move(piece));
    return step();
}

/// A variable name or a number; empty when neither stands here.
std::string ShellReader::readParameterName()
{
    std::string name;
    const bool digits = isDigit(peek());
    for (int c = peek(); digits ? isDigit(c) : isNameChar(c); c = peek()) {
        name += static_cast<char>(c);
        advance();
    }
    return name;
}

/// `#` and `!` in front of the name, which are parameters too.
void ShellReader::readParameterPrefix(Parameter &parameter)
{
    const std::size_t start = m_pos;
    const int first = peek();
    if (first != '#' && (first != '!' || !bash()))
        return;
    advance();
    const int next = peek();
    if (first == '!') {
        parameter.indirect = isNameChar(next) || next == '@' || next == '*' || next == '#';
        if (!parameter.indirect)
            m_pos = start;
        return;
    }
    if (isNameChar(next)) {
        parameter.length = true;
        return;
    }
    if (isSpecialParameter(next) && peekSecond() == '}') {
        parameter.length = true;
        return;
    }
    m_pos = start;
}

bool ShellReader::readParameterSubscript(Parameter &parameter)
{
    if (!bash() || parameter.name.empty() || peek() != '[')
        return true;
    advance();
    parameter.subscripted = true;
    const std::size_t start = m_pos;
    const Stretch inside{.open = '[', .close = ']', .second = '}', .quoted = true, .single = Stretch::Single::Matched};
    if (!readStretch(parameter.subscript.pieces, inside))
        return false;
    parameter.subscript.span = spanFrom(start);
    if (peek() == ']')
        advance();
    return true;
}

bool ShellReader::readBracedParameter(Parameter &parameter, bool quoted)
{
    readParameterPrefix(parameter);
    if (isSpecialParameter(peek())) {
        parameter.name = static_cast<char>(peek());
        advance();
    } else {
        parameter.name = readParameterName();
    }
    if (!readParameterSubscript(parameter))
        return false;
    if (peek() != '}') {
        parameter.op = parameter.name.empty() ? std::string() : readParameterOperator();
        if (!readParameterOperands(parameter, quoted))
            return false;
    }
    return expect('}');
}

/// The longest operator at the cursor; empty when there is none.
std::string ShellReader::readParameterOperator()
{
    const int first = peek();
    if (first == -1 || !std::string_view(bash() ? ":-=?+#%/^,~@" : ":-=?+#%").contains(static_cast<char>(first)))
        return {};
    std::string op(1, static_cast<char>(first));
    advance();
    const int second = peek();
    const auto follows = [second](std::string_view any) {
        return second > 0 && any.contains(static_cast<char>(second));
    };
    bool longer = false;
    if (first == ':')
        longer = follows("-=?+");
    else if (first == '/')
        longer = follows("/#%");
    else if (isPatternOperator(op))
        longer = second == first;
    if (longer) {
        op += static_cast<char>(second);
        advance();
    }
    return op;
}

bool ShellReader::readParameterOperands(Parameter &parameter, bool quoted)
{
    const bool substring = parameter.op == ":" && bash();
    const bool replacement = parameter.op.starts_with('/');
    // Quotes around the expansion do not quote a pattern in it: in "${x%/*}" the star is active.
    const bool pattern = isPatternOperator(parameter.op);
    Stretch stretch{.close = '}', .quoted = quoted && !pattern};
    if (quoted && !pattern)
        stretch.single = bash() ? Stretch::Single::Matched : Stretch::Single::Literal;
    if (substring) {
        stretch.quoted = true;
        stretch.single = Stretch::Single::Matched;
    }
    if (substring || replacement)
        stretch.second = substring ? ':' : '/';
    std::size_t start = m_pos;
    if (!readStretch(parameter.operand.pieces, stretch))
        return false;
    parameter.operand.span = spanFrom(start);
    if (peek() == '}')
        return true;
    parameter.hasSecond = true;
    advance();
    stretch.second = 0;
    stretch.quoted = stretch.quoted || quoted;
    start = m_pos;
    if (!readStretch(parameter.second.pieces, stretch))
        return false;
    parameter.second.span = spanFrom(start);
    return true;
}

} // namespace portcullis::shell::detail
