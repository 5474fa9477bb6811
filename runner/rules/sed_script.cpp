// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/sed_script.h"

#include <cctype>

namespace portcullis::rules {

namespace {

class SedReader
{
public:
    explicit SedReader(std::string_view script) : m_text(script) { }

    std::string read()
    {
        while (skipToCommand())
            readCommand();
        return std::move(m_out);
    }

private:
    [[nodiscard]] bool done() const { return m_at >= m_text.size(); }
    [[nodiscard]] char peek() const { return done() ? '\0' : m_text[m_at]; }

    void skip(std::string_view bytes)
    {
        while (!done() && bytes.contains(peek()))
            ++m_at;
    }

    /// Past the next unescaped delimiter. A delimiter inside a bracket expression does not end a regular expression.
    void skipDelimited(char delimiter, bool regex)
    {
        for (bool bracket = false; !done(); ++m_at) {
            const char c = peek();
            if (c == '\\') {
                ++m_at;
            } else if (regex && !bracket && c == '[') {
                bracket = true;
                if (m_at + 1 < m_text.size() && m_text[m_at + 1] == '^')
                    ++m_at;
                if (m_at + 1 < m_text.size() && m_text[m_at + 1] == ']')
                    ++m_at;
            } else if (bracket && c == ']') {
                bracket = false;
            } else if (!bracket && c == delimiter) {
                ++m_at;
                return;
            }
        }
    }

    /// Past addresses, braces and separators; false at the end.
    bool skipToCommand()
    {
        for (;;) {
            skip(" \t\n;{}");
            if (done())
                return false;
            const char c = peek();
            if (c == '/') {
                ++m_at;
                skipDelimited('/', true);
                skip("IM");
            } else if (c == '\\') {
                const char delimiter = m_at + 1 < m_text.size() ? m_text[m_at + 1] : '\n';
                m_at += 2;
                skipDelimited(delimiter, true);
                skip("IM");
            } else if (std::isdigit(static_cast<unsigned char>(c)) != 0 || std::string_view("$,~+!").contains(c)) {
                ++m_at;
            } else {
                return true;
            }
        }
    }

    void restOfLine()
    {
        skip(" \t");
        const std::size_t end = std::min(m_text.find('\n', m_at), m_text.size());
        if (end > m_at) {
            m_out += ' ';
            m_out.append(m_text, m_at, end - m_at);
        }
        m_at = end;
    }

    void readSubstitute(bool regex)
    {
        const char delimiter = peek();
        ++m_at;
        skipDelimited(delimiter, regex);
        skipDelimited(delimiter, false);
        m_out += ' ';
        while (!done() && !std::string_view(" \t\n;}#").contains(peek())) {
            m_out += peek();
            if (m_text[m_at++] == 'w') {
                restOfLine();
                return;
            }
        }
    }

    void readCommand()
    {
        const char command = peek();
        ++m_at;
        if (command == '#') {
            m_at = std::min(m_text.find('\n', m_at), m_text.size());
            return;
        }
        m_out += command;
        if (command == 's' || command == 'y')
            readSubstitute(command == 's');
        else if (std::string_view("erRwW").contains(command))
            restOfLine();
        else if (std::string_view(":btT").contains(command))
            skipLabel();
        else if (std::string_view("aicqQlLv").contains(command))
            skipText(command);
        m_out += '\n';
    }

    /// GNU sed ends a label at white space and at a semicolon, so that commands can stand behind it.
    void skipLabel()
    {
        skip(" \t");
        m_at = std::min(m_text.find_first_of(" \t\n;}", m_at), m_text.size());
    }

    /// Text and numbers, which are not commands. `a`, `i`, `c` go on behind a backslash at the end of a line.
    void skipText(char command)
    {
        const bool text = std::string_view("aic").contains(command);
        for (; !done(); ++m_at) {
            if (peek() == '\n' || (!text && (peek() == ';' || peek() == '}')))
                return;
            if (text && peek() == '\\')
                ++m_at;
        }
    }

    std::string_view m_text;
    std::size_t m_at = 0;
    std::string m_out;
};

} // namespace

std::string sedCommands(std::string_view script)
{
    return SedReader(script).read();
}

} // namespace portcullis::rules
