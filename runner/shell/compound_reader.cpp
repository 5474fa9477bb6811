// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace portcullis::shell::detail {

using Kind = Command::Kind;

bool ShellReader::readCompound(Command &command, const std::string &word, bool &found)
{
    found = true;
    if (peek() == '(')
        return readSubshellOrArith(command);
    if (word == "{")
        return readGroup(command);
    if (word == "if")
        return readIf(command);
    if (word == "while" || word == "until") {
        command.kind = word == "while" ? Kind::While : Kind::Until;
        return readLoop(command);
    }
    if (word == "for")
        return readFor(command, Kind::For);
    if (word == "case")
        return readCase(command);
    if (word == "in" || word == "!" || atListEnd())
        return fail();
    if (bash()) {
        if (word == "]]")
            return fail();
        if (word == "[[")
            return readTest(command) || failTest();
        if (word == "select")
            return readFor(command, Kind::Select);
        if (word == "function")
            return readFunctionKeyword(command);
        if (word == "coproc")
            return readCoproc(command);
    }
    found = false;
    return true;
}

bool ShellReader::atCompoundStart()
{
    if (peek() == '(')
        return true;
    constexpr std::array<std::string_view, 8> starts{"{", "if", "while", "until", "for", "case", "select", "[["};
    const std::string word = bareWord();
    return !word.empty() && std::ranges::contains(starts, word);
}

/// A list of at least one command.
bool ShellReader::readBody(Command &command)
{
    Script &script = *command.bodies.emplace_back(std::make_unique<Script>());
    if (command.kind == Kind::Function || command.kind == Kind::Coproc) {
        const std::size_t start = m_pos;
        AndOr list;
        Pipeline pipeline;
        if (!readCommand(pipeline.commands.emplace_back()))
            return false;
        pipeline.span = list.span = script.span = spanFrom(start);
        list.pipelines.push_back(std::move(pipeline));
        script.lists.push_back(std::move(list));
        return true;
    }
    return readList(script, false) && (!script.lists.empty() || fail());
}

bool ShellReader::readGroup(Command &command)
{
    command.kind = Kind::Group;
    takeWord("{");
    return readBody(command) && (takeWord("}") || fail());
}

bool ShellReader::readSubshellOrArith(Command &command)
{
    const std::size_t start = m_pos;
    advance();
    if (bash() && peek() == '(' && !m_notArithmetic.contains(m_pos)) {
        advance();
        Piece piece;
        bool arithmetic = false;
        if (!readArithmeticCommand(piece, start, arithmetic))
            return false;
        if (arithmetic) {
            command.kind = Kind::Arith;
            Word &word = command.words.emplace_back();
            word.span = piece.span;
            word.pieces.push_back(std::move(piece));
            return true;
        }
        m_pos = start;
        advance();
    }
    command.kind = Kind::Subshell;
    return readBody(command) && expect(')');
}

bool ShellReader::readIf(Command &command)
{
    command.kind = Kind::If;
    takeWord("if");
    do {
        if (!readBody(command))
            return false;
        if (!takeWord("then"))
            return fail();
        if (!readBody(command))
            return false;
    } while (takeWord("elif"));
    if (takeWord("else")) {
        command.hasElse = true;
        if (!readBody(command))
            return false;
    }
    return takeWord("fi") || fail();
}

bool ShellReader::readLoop(Command &command)
{
    takeWord(command.kind == Kind::While ? "while" : "until");
    return readBody(command) && readDoGroup(command);
}

/// `do …; done`, or `{ …; }` where bash allows it.
bool ShellReader::readDoGroup(Command &command)
{
    const bool braces = bash() && command.kind != Kind::While && command.kind != Kind::Until;
    if (braces && takeWord("{"))
        return readBody(command) && (takeWord("}") || fail());
    if (!takeWord("do"))
        return fail();
    return readBody(command) && (takeWord("done") || fail());
}

bool ShellReader::readFor(Command &command, Kind kind)
{
    command.kind = kind;
    takeWord(kind == Kind::For ? "for" : "select");
    skipBlanks();
    if (bash() && kind == Kind::For && peek() == '(' && peekSecond() == '(')
        return readForArith(command);
    const std::size_t start = m_pos;
    Word name;
    if (!readWord(name))
        return false;
    command.name = literal(name).value_or(std::string(m_text.substr(start, m_pos - start)));
    if (!bash() && (!isName(command.name) || name.pieces.size() != 1))
        return fail();
    skipBlanks();
    if (peek() == ';') {
        advance();
        return skipNewlines() && readDoGroup(command);
    }
    if (!skipNewlines())
        return false;
    if (!takeWord("in"))
        return readDoGroup(command);
    command.hasWords = true;
    for (skipBlanks(); !isMeta(peek()) || atProcessSub(); skipBlanks()) {
        if (!step() || !readWord(command.words.emplace_back()))
            return false;
    }
    if (peek() != ';' && peek() != '\n')
        return fail();
    if (peek() == ';')
        advance();
    return skipNewlines() && readDoGroup(command);
}

bool ShellReader::readForArith(Command &command)
{
    const std::size_t start = m_pos;
    command.kind = Kind::ForArith;
    advance();
    peek();
    advance();
    Piece piece;
    bool arithmetic = false;
    if (!readArithmeticCommand(piece, start, arithmetic))
        return false;
    if (!arithmetic)
        return fail();
    Word &word = command.words.emplace_back();
    word.span = piece.span;
    word.pieces.push_back(std::move(piece));
    skipBlanks();
    if (peek() == ';')
        advance();
    return skipNewlines() && readDoGroup(command);
}

bool ShellReader::readCase(Command &command)
{
    command.kind = Kind::Case;
    takeWord("case");
    skipBlanks();
    if (!readWord(command.words.emplace_back()) || !skipNewlines())
        return false;
    if (!takeWord("in"))
        return fail();
    for (;;) {
        if (!skipNewlines() || !step())
            return false;
        if (takeWord("esac"))
            return true;
        if (!readCaseItem(command.cases.emplace_back()))
            return false;
        if (command.cases.back().terminator.empty()) {
            return takeWord("esac") || fail();
        }
    }
}

bool ShellReader::readCaseItem(Command::Case &item)
{
    if (peek() == '(')
        advance();
    for (;;) {
        skipBlanks();
        if (!step() || !readCasePattern(item.patterns.emplace_back()))
            return false;
        skipBlanks();
        if (peek() != '|')
            break;
        advance();
    }
    if (!expect(')'))
        return false;
    item.body = std::make_unique<Script>();
    if (!readList(*item.body, false))
        return false;
    if (peek() != ';')
        return true;
    item.terminator = ";";
    advance();
    if (peek() == ';') {
        item.terminator += ';';
        advance();
    }
    if (bash() && peek() == '&') {
        item.terminator += '&';
        advance();
    }
    return true;
}

/// dash takes any token for a pattern and then compares with the word that it read before: `case in in ;) cmd;; esac`
/// runs cmd.
bool ShellReader::readCasePattern(Word &word)
{
    if (bash() || !isMeta(peek()) || peek() == -1)
        return readWord(word);
    const std::size_t start = m_pos;
    const int c = peek();
    if (c == '\n')
        return readNewline();
    advance();
    if (c != '(' && c != ')' && peek() == c)
        advance();
    addText(word.pieces, "*", false, start);
    word.span = spanFrom(start);
    return step();
}

/// `function name [()] body`
bool ShellReader::readFunctionKeyword(Command &command)
{
    takeWord("function");
    skipBlanks();
    const std::size_t start = m_pos;
    Word word;
    if (!readWord(word))
        return false;
    std::string name = literal(word).value_or(std::string(m_text.substr(start, m_pos - start)));
    atFunctionParens();
    return readFunctionBody(command, std::move(name));
}

/// `coproc compound`, `coproc NAME compound` or `coproc simple`.
bool ShellReader::readCoproc(Command &command)
{
    command.kind = Kind::Coproc;
    takeWord("coproc");
    skipBlanks();
    if (!atCompoundStart()) {
        const std::size_t back = m_pos;
        std::string name;
        for (int c = peek(); isNameChar(c); c = peek()) {
            name += static_cast<char>(c);
            advance();
        }
        const bool separate = m_pos > back && isMeta(peek());
        skipBlanks();
        if (separate && atCompoundStart())
            command.name = std::move(name);
        else
            m_pos = back;
    }
    return readBody(command);
}

} // namespace portcullis::shell::detail
