// SPDX-License-Identifier: Apache-2.0
#include "runner/base/hex.h"
#include "runner/shell/shell_reader.h"

#include <algorithm>

namespace portcullis::shell::detail {

namespace {

/// Up to `most` digits of `base` at `pos`; `count` says how many there were.
std::uint32_t takeNumber(std::string_view raw, std::size_t &pos, std::uint32_t base, std::size_t most,
                         std::size_t &count)
{
    std::uint32_t value = 0;
    for (count = 0; count < most && pos < raw.size(); ++count, ++pos) {
        const int digit = hexValue(raw[pos]);
        if (digit < 0 || digit >= static_cast<int>(base))
            break;
        value = value * base + static_cast<std::uint32_t>(digit);
    }
    return value;
}

void appendUtf8(std::string &text, std::uint32_t point)
{
    const auto push = [&text](std::uint32_t byte) { text += static_cast<char>(byte & 0xff); };
    if (point < 0x80) {
        push(point);
    } else if (point < 0x800) {
        push(0xc0 | (point >> 6));
        push(0x80 | (point & 0x3f));
    } else if (point < 0x10000) {
        push(0xe0 | (point >> 12));
        push(0x80 | ((point >> 6) & 0x3f));
        push(0x80 | (point & 0x3f));
    } else {
        push(0xf0 | ((point >> 18) & 0x07));
        push(0x80 | ((point >> 12) & 0x3f));
        push(0x80 | ((point >> 6) & 0x3f));
        push(0x80 | (point & 0x3f));
    }
}

/// The byte of a one-letter escape, or nothing.
std::optional<char> simpleEscape(char c)
{
    constexpr std::string_view letters = "abeEfnrtv\\'\"?";
    constexpr std::string_view bytes = "\a\b\x1b\x1b\f\n\r\t\v\\'\"?";
    const std::size_t at = letters.find(c);
    return at == std::string_view::npos ? std::nullopt : std::optional(bytes[at]);
}

void hexEscape(std::string &text, std::string_view raw, std::size_t &pos)
{
    const bool braced = pos < raw.size() && raw[pos] == '{';
    if (braced)
        ++pos;
    std::size_t count = 0;
    const std::uint32_t value = takeNumber(raw, pos, 16, braced ? raw.size() : 2, count);
    if (braced && pos < raw.size() && raw[pos] == '}')
        ++pos;
    if (count == 0 && !braced)
        text += "\\x";
    else
        text += static_cast<char>(value & 0xff);
}

void unicodeEscape(std::string &text, std::string_view raw, std::size_t &pos, char letter)
{
    std::size_t count = 0;
    const std::uint32_t value = takeNumber(raw, pos, 16, letter == 'u' ? 4 : 8, count);
    if (count == 0)
        text.append({'\\', letter});
    else
        appendUtf8(text, value);
}

void controlEscape(std::string &text, std::string_view raw, std::size_t &pos)
{
    if (pos >= raw.size()) {
        text += "\\c";
        return;
    }
    const char c = raw[pos++];
    if (c == '\\' && pos < raw.size() && raw[pos] == '\\')
        ++pos;
    text += c == '?' ? '\x7f' : static_cast<char>(c & 0x1f);
}

/// The escape whose letter stands at `pos`.
void decodeEscape(std::string &text, std::string_view raw, std::size_t &pos)
{
    const char c = raw[pos];
    if (c >= '0' && c <= '7') {
        std::size_t count = 0;
        text += static_cast<char>(takeNumber(raw, pos, 8, 3, count) & 0xff);
        return;
    }
    ++pos;
    if (c == 'x')
        return hexEscape(text, raw, pos);
    if (c == 'u' || c == 'U')
        return unicodeEscape(text, raw, pos, c);
    if (c == 'c')
        return controlEscape(text, raw, pos);
    if (const std::optional<char> byte = simpleEscape(c)) {
        text += *byte;
        return;
    }
    text.append({'\\', c});
}

void removeDoubleQuotes(std::string &text, std::string_view raw, std::size_t &pos)
{
    for (++pos; pos < raw.size() && raw[pos] != '"'; ++pos) {
        if (raw[pos] != '\\' || pos + 1 >= raw.size()) {
            text += raw[pos];
            continue;
        }
        const char next = raw[++pos];
        if (next == '\n')
            continue;
        if (!std::string_view("$`\"\\").contains(next))
            text += '\\';
        text += next;
    }
    ++pos;
}

void removeSingleQuotes(std::string &text, std::string_view raw, std::size_t &pos, bool ansi)
{
    const std::size_t from = ++pos;
    while (pos < raw.size() && raw[pos] != '\'')
        pos += ansi && raw[pos] == '\\' ? 2 : 1;
    pos = std::min(pos, raw.size());
    const std::string_view inside = raw.substr(from, pos - from);
    text += ansi ? decodeAnsi(inside) : std::string(inside);
    ++pos;
}

} // namespace

std::string decodeAnsi(std::string_view raw)
{
    std::string text;
    for (std::size_t pos = 0; pos < raw.size();) {
        if (raw[pos] != '\\' || pos + 1 >= raw.size()) {
            text += raw[pos++];
            continue;
        }
        decodeEscape(text, raw, ++pos);
    }
    if (const std::size_t end = text.find('\0'); end != std::string::npos)
        text.resize(end);
    return text;
}

std::string removeQuotes(std::string_view raw, bool dollarQuotes, bool &quoted)
{
    std::string text;
    for (std::size_t pos = 0; pos < raw.size();) {
        const char c = raw[pos];
        const char next = pos + 1 < raw.size() ? raw[pos + 1] : '\0';
        if (c == '\\' && next == '\n') {
            pos += 2;
            continue;
        }
        if (c == '\\') {
            quoted = true;
            text += pos + 1 < raw.size() ? next : '\\';
            pos += 2;
        } else if (c == '\'' || (dollarQuotes && c == '$' && next == '\'')) {
            quoted = true;
            pos += c == '$' ? 1 : 0;
            removeSingleQuotes(text, raw, pos, c == '$');
        } else if (c == '"' || (dollarQuotes && c == '$' && next == '"')) {
            quoted = true;
            pos += c == '$' ? 1 : 0;
            removeDoubleQuotes(text, raw, pos);
        } else {
            text += c;
            ++pos;
        }
    }
    return text;
}

} // namespace portcullis::shell::detail
