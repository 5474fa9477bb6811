// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <array>

namespace portcullis::shell::detail {

namespace {

bool isUnaryTest(const std::string &word)
{
    return word.size() == 2 && word[0] == '-' && std::string_view("abcdefghknoprstuvwxzGLNORS").contains(word[1]);
}

bool isBinaryTest(const std::string &word)
{
    constexpr std::array<std::string_view, 13> known{"=",   "==",  "!=",  "=~",  "-eq", "-ne", "-lt",
                                                     "-le", "-gt", "-ge", "-nt", "-ot", "-ef"};
    return std::ranges::contains(known, word);
}

} // namespace

void ShellReader::addOperator(Command &command, std::string_view text)
{
    const std::size_t start = m_pos;
    for (std::size_t i = 0; i < text.size(); ++i) {
        peek();
        advance();
    }
    Word &word = command.words.emplace_back();
    addText(word.pieces, text, false, start);
    word.span = spanFrom(start);
}

/// `[[ … ]]` with its own small grammar: terms joined by && and ||, with ! and parentheses.
bool ShellReader::readTest(Command &command)
{
    command.kind = Command::Kind::Test;
    takeWord("[[");
    std::size_t depth = 0;
    for (;;) {
        // Before a term: any number of ! and (.
        for (;;) {
            if (!skipNewlines() || !step())
                return false;
            if (bareWord() == "!") {
                addOperator(command, "!");
            } else if (peek() == '(') {
                addOperator(command, "(");
                ++depth;
            } else {
                break;
            }
        }
        if (!readTestTerm(command))
            return false;
        for (;;) {
            if (!skipNewlines() || !step())
                return false;
            if (peek() != ')' || depth == 0)
                break;
            addOperator(command, ")");
            --depth;
        }
        if (depth == 0 && takeWord("]]"))
            return true;
        const int c = peek();
        if ((c != '&' && c != '|') || peekSecond() != c)
            return fail();
        addOperator(command, c == '&' ? "&&" : "||");
    }
}

/// After an error in `[[` bash still reads the words of the line; should a broken array be among them, it goes on at
/// the next line.
bool ShellReader::failTest()
{
    if (m_work.exhausted)
        return false;
    const std::size_t next = nextLine(m_pos);
    m_work.steps += next - m_pos;
    if (m_text.substr(m_pos, next - m_pos).contains("=("))
        m_resumeAt = next;
    return false;
}

bool ShellReader::readTestOperand(Command &command, bool regex)
{
    skipBlanks();
    Word &word = command.words.emplace_back();
    const std::size_t start = m_pos;
    if (!regex && bareWord() == "]]")
        return fail();
    if (!readWordPieces(word.pieces, regex ? WordPlace::Regex : WordPlace::Plain))
        return false;
    if (word.pieces.empty())
        return fail();
    word.span = spanFrom(start);
    return true;
}

/// One operand, `-x operand`, or `left op right`.
bool ShellReader::readTestTerm(Command &command)
{
    const bool unary = isUnaryTest(bareWord());
    if (!readTestOperand(command, false))
        return false;
    if (unary)
        return readTestOperand(command, false);
    return readTestBinary(command);
}

bool ShellReader::readTestBinary(Command &command)
{
    skipBlanks();
    const int c = peek();
    if ((c == '<' || c == '>') && !atProcessSub()) {
        addOperator(command, c == '<' ? "<" : ">");
        return readTestOperand(command, false);
    }
    const std::string op = bareWord();
    if (!isBinaryTest(op))
        return c != '\n' || fail(); // no line may end after a lone word
    addOperator(command, op);
    return readTestOperand(command, op == "=~");
}

} // namespace portcullis::shell::detail
