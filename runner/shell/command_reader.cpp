// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace portcullis::shell::detail {

namespace {

bool isClosingWord(std::string_view word)
{
    constexpr std::array<std::string_view, 8> closing{"then", "do", "done", "fi", "else", "elif", "esac", "}"};
    return !word.empty() && std::ranges::contains(closing, word);
}

bool isDeclaration(const std::optional<std::string> &word)
{
    constexpr std::array<std::string_view, 8> known{"declare",  "typeset", "local", "export",
                                                    "readonly", "alias",   "eval",  "let"};
    return word && std::ranges::contains(known, *word);
}

bool isDashSpecialBuiltin(std::string_view name)
{
    constexpr std::array<std::string_view, 13> special{"break",  "continue", "eval",   "exec", "exit",
                                                       "export", "readonly", "return", "set",  "shift",
                                                       "times",  "trap",     "unset"};
    return std::ranges::contains(special, name);
}

} // namespace

/// At a byte or reserved word that no command starts with and that an enclosing construct may wait for.
bool ShellReader::atListEnd()
{
    switch (peek()) {
    case -1:
    case ')':
        return true;
    case ';':
        return peekSecond() == ';' || (bash() && peekSecond() == '&');
    default:
        return isClosingWord(bareWord());
    }
}

bool ShellReader::readList(Script &script, bool whole)
{
    const std::size_t start = m_pos;
    std::uint32_t unit = script.lists.empty() ? 0 : script.lists.back().unit + 1;
    const auto finish = [&](bool good) {
        // A quote or a joined line ran over lines that bash had taken for a here-document: not worth following.
        if (good && whole && m_takenFrom != std::string_view::npos && m_pos > m_takenFrom)
            good = fail();
        if (!good && whole && !m_resumed)
            std::erase_if(script.lists, [unit](const AndOr &list) { return list.unit == unit; });
        script.span = spanFrom(start);
        return good;
    };
    for (;;) {
        skipBlanks();
        if (rawAt(m_pos) == '\n') {
            if (!skipNewlines())
                return finish(false);
            if (!script.lists.empty())
                unit = script.lists.back().unit + 1;
        }
        if (!step())
            return finish(false);
        if (atListEnd())
            return finish(!whole || rawAt(m_pos) == -1 || fail());
        AndOr list;
        list.unit = unit;
        if (!readAndOr(list))
            return finish(false);
        skipBlanks();
        const int c = peek();
        bool closed = c == '\n';
        if (c == '&' || (c == ';' && !atListEnd())) {
            list.background = c == '&';
            advance();
            closed = true;
        }
        script.lists.push_back(std::move(list));
        if (!closed && !atListEnd())
            return finish((!bash() && !whole) || fail());
    }
}

bool ShellReader::readAndOr(AndOr &list)
{
    skipBlanks();
    const std::size_t start = m_pos;
    for (;;) {
        if (!readPipeline(list.pipelines.emplace_back()))
            return false;
        list.span = spanFrom(start);
        skipBlanks();
        const int c = peek();
        if ((c != '&' && c != '|') || peekSecond() != c)
            return true;
        list.isAnd.push_back(c == '&');
        advance();
        peek();
        advance();
        if (!skipNewlines() || !step())
            return false;
    }
}

/// `!` and, in bash, `time`, any number of times.
bool ShellReader::readPipelinePrefix(Pipeline &pipeline)
{
    for (bool first = true;; first = false) {
        if (!step())
            return false;
        if (takeWord("!")) {
            if (!bash() && !first)
                return fail();
            pipeline.negated = !pipeline.negated;
        } else if (bash() && takeWord("time")) {
            pipeline.timed = true;
            skipBlanks();
            if (takeWord("-p"))
                skipBlanks();
            if (takeWord("--"))
                skipBlanks();
        } else {
            return true;
        }
        skipBlanks();
    }
}

bool ShellReader::readPipeline(Pipeline &pipeline)
{
    const std::size_t start = m_pos;
    if (!readPipelinePrefix(pipeline))
        return false;
    const bool prefixed = m_pos > start;
    const int next = peek();
    const bool alone = next == -1 || next == '\n' || next == ';' || (next == ')' && m_commandSubs > 0);
    if (prefixed && bash() && alone) {
        pipeline.span = spanFrom(start);
        return true;
    }
    for (;;) {
        if (!readCommand(pipeline.commands.emplace_back()))
            return false;
        pipeline.span = spanFrom(start);
        skipBlanks();
        if (peek() != '|' || peekSecond() == '|')
            return true;
        advance();
        const bool both = bash() && peek() == '&';
        if (both)
            advance();
        pipeline.pipesStderr.push_back(both);
        if (!skipNewlines() || !step())
            return false;
    }
}

bool ShellReader::readCommand(Command &command)
{
    const std::size_t start = m_pos;
    const Nesting nesting(m_work, origin(start));
    if (!nesting.ok())
        return false;
    bool compound = false;
    if (!readCompound(command, bareWord(), compound))
        return false;
    if (!compound && !readSimple(command))
        return false;
    if (compound && command.kind != Command::Kind::Function && command.kind != Command::Kind::Coproc
        && !readRedirects(command.redirects))
        return false;
    command.span = spanFrom(start);
    return true;
}

bool ShellReader::readSimple(Command &command)
{
    bool declaration = false;
    for (;;) {
        skipBlanks();
        if (!step())
            return false;
        bool found = false;
        if (!tryRedirect(command.redirects, found))
            return false;
        if (found)
            continue;
        if (isMeta(peek()) && !atProcessSub())
            break;
        if (command.words.empty()) {
            if (!readAssign(command, found))
                return false;
            if (found)
                continue;
        } else if (declaration) {
            if (!readArrayArgument(command, found))
                return false;
            if (found)
                continue;
        }
        const bool first = command.words.empty();
        const std::size_t start = m_pos;
        if (!readWord(command.words.emplace_back(), first ? WordPlace::CommandStart : WordPlace::Plain))
            return false;
        if (!first)
            continue;
        const std::optional<std::string> name = literal(command.words.front());
        declaration = bash() && isDeclaration(name);
        const std::size_t end = m_pos;
        if (command.assigns.empty() && command.redirects.empty() && atFunctionParens())
            return readFunctionBody(command, name.value_or(std::string(m_text.substr(start, end - start))));
    }
    if ((bash() && peek() == '(') || (command.words.empty() && command.assigns.empty() && command.redirects.empty()))
        return fail();
    return true;
}

/// `()` after a first word; taken when it stands there.
bool ShellReader::atFunctionParens()
{
    const std::size_t back = m_pos;
    skipBlanks();
    if (peek() == '(') {
        advance();
        skipBlanks();
        if (peek() == ')') {
            advance();
            return true;
        }
    }
    m_pos = back;
    return false;
}

/// After `name ()`. bash wants a compound command, dash takes any.
bool ShellReader::readFunctionBody(Command &command, std::string name)
{
    if (!bash()) {
        const bool plain = command.words.empty() || command.words.front().pieces.size() == 1;
        if (!plain || !isName(name) || isDashSpecialBuiltin(name))
            return fail();
    }
    command.kind = Command::Kind::Function;
    command.words.clear();
    command.name = std::move(name);
    if (!skipNewlines())
        return false;
    if (bash() && !atCompoundStart())
        return fail();
    return readBody(command);
}

/// `name=value`, `name+=value`, `name[i]=value`, `name=(…)`. Otherwise the cursor stays.
bool ShellReader::readAssign(Command &command, bool &found)
{
    found = false;
    if (!isNameStart(peek()))
        return true;
    const std::size_t start = m_pos;
    Assign assign;
    assign.name = readParameterName();
    if (bash() && peek() == '[') {
        assign.subscripted = true;
        advance();
        const std::size_t from = m_pos;
        if (!readStretch(assign.subscript.pieces, {.open = '[', .close = ']', .single = Stretch::Single::Matched}))
            return false;
        assign.subscript.span = spanFrom(from);
        advance();
    }
    if (bash() && peek() == '+' && peekSecond() == '=') {
        assign.append = true;
        advance();
    }
    if (peek() != '=')
        return notAssign(command, assign, start, found);
    found = true;
    advance();
    const std::size_t value = m_pos;
    assign.array = bash() && peek() == '(';
    // What follows the parenthesis directly still belongs to the word.
    if ((assign.array && !readArray(assign)) || !readWordPieces(assign.value.pieces))
        return false;
    assign.value.span = spanFrom(value);
    assign.span = spanFrom(start);
    command.assigns.push_back(std::move(assign));
    return true;
}

/// `name…` without `=`: read as a word from the start, but expansions in a subscript are never read twice, because
/// that would double the work with every level of nesting.
bool ShellReader::notAssign(Command &command, Assign &assign, std::size_t start, bool &found)
{
    const auto expands = [](const Piece &piece) { return piece.kind != Piece::Kind::Text; };
    if (std::ranges::none_of(assign.subscript.pieces, expands)) {
        m_pos = start;
        return true;
    }
    found = true;
    Word &word = command.words.emplace_back();
    addText(word.pieces, assign.name + "[", false, start);
    std::ranges::move(assign.subscript.pieces, std::back_inserter(word.pieces));
    addText(word.pieces, "]", false, m_pos - 1);
    if (!readWordPieces(word.pieces))
        return false;
    word.span = spanFrom(start);
    return true;
}

bool ShellReader::readArray(Assign &assign)
{
    const Nesting nesting(m_work, origin(m_pos));
    if (!nesting.ok())
        return false;
    advance();
    for (;;) {
        if (!skipNewlines() || !step())
            return false;
        if (peek() == ')') {
            advance();
            return true;
        }
        if (isMeta(peek()) && !atProcessSub()) {
            if (peek() != -1)
                m_resumeAt = nextLine(m_pos);
            return fail();
        }
        if (!readWord(assign.elements.emplace_back(), WordPlace::ArrayElement))
            return false;
    }
}

/// `declare a=(…)`: the word is the name as written, the array stands in `assignArgs`.
bool ShellReader::readArrayArgument(Command &command, bool &found)
{
    found = false;
    if (!isNameStart(peek()))
        return true;
    const std::size_t start = m_pos;
    Assign assign;
    assign.name = readParameterName();
    if (peek() == '+' && peekSecond() == '=') {
        assign.append = true;
        advance();
    }
    const bool array = peek() == '=' && peekSecond() == '(';
    if (!array) {
        m_pos = start;
        return true;
    }
    found = true;
    advance();
    peek();
    Word word;
    addText(word.pieces, assign.name, false, start);
    word.span = spanFrom(start);
    if (!readArray(assign) || !readWordPieces(assign.value.pieces))
        return false;
    assign.array = true;
    assign.span = spanFrom(start);
    command.assignArgs.emplace_back(static_cast<std::uint32_t>(command.words.size()), std::move(assign));
    command.words.push_back(std::move(word));
    return true;
}

} // namespace portcullis::shell::detail
