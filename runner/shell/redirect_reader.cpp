// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/shell_reader.h"

#include <utility>

namespace portcullis::shell::detail {

/// The number of bytes of a descriptor number or `{name}` that stands directly before < or >, else 0.
std::size_t ShellReader::redirectPrefixLength()
{
    std::size_t pos = m_pos;
    const auto next = [this, &pos] {
        while (rawAt(pos) == '\\' && rawAt(pos + 1) == '\n')
            pos += 2;
        return rawAt(pos);
    };
    if (bash() && next() == '{') {
        ++pos;
        if (!isNameStart(next()))
            return 0;
        while (isNameChar(next()))
            ++pos;
        if (next() == '[') {
            while (next() != ']' && !isMeta(next()))
                ++pos;
            if (next() == ']')
                ++pos;
        }
        if (next() != '}')
            return 0;
        ++pos;
    } else {
        while (isDigit(next()) && (bash() || pos == m_pos))
            ++pos;
    }
    const int c = next();
    m_work.steps += pos - m_pos;
    if (pos == m_pos || (c != '<' && c != '>') || (bash() && rawAt(pos + 1) == '('))
        return 0;
    return pos - m_pos;
}

bool ShellReader::tryRedirect(std::vector<Redirect> &redirects, bool &found)
{
    found = false;
    const std::size_t start = m_pos;
    const int c = peek();
    const std::size_t prefix = c == '{' || isDigit(c) ? redirectPrefixLength() : 0;
    const bool both = bash() && c == '&' && peekSecond() == '>';
    if (prefix == 0 && !both && ((c != '<' && c != '>') || atProcessSub()))
        return true;
    found = true;
    Redirect redirect;
    for (const std::size_t end = m_pos + prefix; m_pos < end;) {
        if (const int byte = peek(); m_pos < end) {
            redirect.fd += static_cast<char>(byte);
            advance();
        }
    }
    redirect.op = readRedirectOperator();
    if (!readRedirectTarget(redirect, start))
        return false;
    redirects.push_back(std::move(redirect));
    return true;
}

/// The longest operator that the dialect knows.
std::string ShellReader::readRedirectOperator()
{
    std::string op(1, static_cast<char>(peek()));
    advance();
    const auto take = [this, &op](char c) {
        if (peek() != c)
            return false;
        op += c;
        advance();
        return true;
    };
    if (op == "&") {
        take('>');
        take('>');
    } else if (op == "<") {
        if (take('<'))
            static_cast<void>(take('-') || (bash() && take('<')));
        else
            static_cast<void>(take('&') || take('>'));
    } else {
        static_cast<void>(take('>') || take('|') || take('&'));
    }
    return op;
}

bool ShellReader::readRedirectTarget(Redirect &redirect, std::size_t start)
{
    if (redirect.op == "<<" || redirect.op == "<<-") {
        if (!readDelimiter(redirect))
            return false;
        redirect.span = spanFrom(start);
        return true;
    }
    skipBlanks();
    const bool duplicates = redirect.op == ">&" || redirect.op == "<&";
    if (bash() && duplicates && peek() == '-') {
        // `>&-` is a token of its own in bash: in `>&-cmd x` the command is cmd.
        const std::size_t from = m_pos;
        advance();
        addText(redirect.target.pieces, "-", false, from);
        redirect.target.span = spanFrom(from);
    } else if (redirectPrefixLength() > 0 && !(bash() && duplicates && isDigit(peek()))) {
        return fail(); // that word belongs to a second redirection
    } else if (!readWord(redirect.target)) {
        return false;
    }
    redirect.span = spanFrom(start);
    return true;
}

bool ShellReader::readRedirects(std::vector<Redirect> &redirects)
{
    for (bool found = true; found;) {
        skipBlanks();
        if (!step() || !tryRedirect(redirects, found))
            return false;
    }
    return true;
}

} // namespace portcullis::shell::detail
