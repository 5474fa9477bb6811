// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/pattern.h"

#include <cctype>

namespace portcullis::shell {

namespace {

bool inClass(std::string_view name, unsigned char c)
{
    if (name == "alpha")
        return std::isalpha(c) != 0;
    if (name == "digit")
        return std::isdigit(c) != 0;
    if (name == "alnum")
        return std::isalnum(c) != 0;
    if (name == "upper")
        return std::isupper(c) != 0;
    if (name == "lower")
        return std::islower(c) != 0;
    if (name == "space")
        return std::isspace(c) != 0;
    if (name == "blank")
        return c == ' ' || c == '\t';
    if (name == "punct")
        return std::ispunct(c) != 0;
    if (name == "print")
        return std::isprint(c) != 0;
    if (name == "graph")
        return std::isgraph(c) != 0;
    if (name == "cntrl")
        return std::iscntrl(c) != 0;
    if (name == "xdigit")
        return std::isxdigit(c) != 0;
    return name == "word" && (std::isalnum(c) != 0 || c == '_');
}

/// The bracket expression that opens at `at`: its end (past `]`), or 0 when it is not one.
std::size_t bracketEnd(const Pattern &pattern, std::size_t at)
{
    const std::string &text = pattern.text;
    std::size_t i = at + 1;
    if (i < text.size() && (text[i] == '!' || text[i] == '^') && pattern.active(i))
        ++i;
    bool first = true;
    for (; i < text.size(); ++i, first = false) {
        if (text[i] == ']' && pattern.active(i) && !first)
            return i + 1;
        if (text[i] == '[' && i + 1 < text.size() && text[i + 1] == ':') {
            const std::size_t close = text.find(":]", i + 2);
            if (close != std::string::npos)
                i = close + 1;
        }
    }
    return 0;
}

bool bracketMatches(const Pattern &pattern, std::size_t at, std::size_t end, unsigned char c)
{
    const std::string &text = pattern.text;
    std::size_t i = at + 1;
    bool negated = false;
    if ((text[i] == '!' || text[i] == '^') && pattern.active(i)) {
        negated = true;
        ++i;
    }
    bool found = false;
    while (i + 1 < end) {
        if (text[i] == '[' && text[i + 1] == ':') {
            const std::size_t close = text.find(":]", i + 2);
            if (close != std::string::npos && close < end) {
                found = found || inClass(std::string_view(text).substr(i + 2, close - i - 2), c);
                i = close + 2;
                continue;
            }
        }
        const auto low = static_cast<unsigned char>(text[i]);
        auto high = low;
        if (i + 3 < end && text[i + 1] == '-' && pattern.active(i + 1)) {
            high = static_cast<unsigned char>(text[i + 2]);
            i += 2;
        }
        found = found || (c >= low && c <= high);
        ++i;
    }
    return found != negated;
}

} // namespace

void Pattern::add(char byte, bool quoted)
{
    text += byte;
    literal += quoted ? 'q' : ' ';
}

bool Pattern::isLiteral() const
{
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (active(i) && (text[i] == '*' || text[i] == '?' || text[i] == '['))
            return false;
    }
    return true;
}

std::optional<bool> matches(const Pattern &pattern, std::string_view text, std::int64_t &steps)
{
    const std::string &p = pattern.text;
    std::size_t at = 0;
    std::size_t i = 0;
    std::size_t star = std::string::npos;
    std::size_t starText = 0;
    while (i < text.size()) {
        if (--steps < 0)
            return std::nullopt;
        bool one = false;
        std::size_t next = at + 1;
        if (at < p.size() && pattern.active(at) && p[at] == '*') {
            star = at++;
            starText = i;
            continue;
        }
        if (at < p.size()) {
            const std::size_t close = pattern.active(at) && p[at] == '[' ? bracketEnd(pattern, at) : 0;
            if (close != 0) {
                one = bracketMatches(pattern, at, close, static_cast<unsigned char>(text[i]));
                next = close;
            } else {
                one = (pattern.active(at) && p[at] == '?') || p[at] == text[i];
            }
        }
        if (one) {
            at = next;
            ++i;
        } else if (star != std::string::npos) {
            at = star + 1;
            i = ++starText;
        } else {
            return false;
        }
    }
    while (at < p.size() && pattern.active(at) && p[at] == '*')
        ++at;
    return at == p.size();
}

} // namespace portcullis::shell
