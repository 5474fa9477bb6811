// SPDX-License-Identifier: Apache-2.0

// The output of echo and printf with constant arguments.

#include "runner/shell/evaluator.h"

#include <charconv>
#include <cstdio>

namespace portcullis::shell {

namespace {

void appendUtf8(std::string &out, std::uint32_t code)
{
    if (code < 0x80) {
        out += static_cast<char>(code);
    } else if (code < 0x800) {
        out += static_cast<char>(0xc0U | (code >> 6U));
        out += static_cast<char>(0x80U | (code & 0x3fU));
    } else if (code < 0x10000) {
        out += static_cast<char>(0xe0U | (code >> 12U));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
        out += static_cast<char>(0x80U | (code & 0x3fU));
    } else {
        out += static_cast<char>(0xf0U | (code >> 18U));
        out += static_cast<char>(0x80U | ((code >> 12U) & 0x3fU));
        out += static_cast<char>(0x80U | ((code >> 6U) & 0x3fU));
        out += static_cast<char>(0x80U | (code & 0x3fU));
    }
}

unsigned digitOf(char c)
{
    if (c >= '0' && c <= '9')
        return static_cast<unsigned>(c - '0');
    if (c >= 'a' && c <= 'f')
        return static_cast<unsigned>(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return static_cast<unsigned>(c - 'A') + 10;
    return 99;
}

std::uint32_t digits(std::string_view text, std::size_t &at, unsigned base, std::size_t most)
{
    std::uint32_t value = 0;
    for (std::size_t n = 0; n < most && at < text.size() && digitOf(text[at]) < base; ++n)
        value = value * base + digitOf(text[at++]);
    return value;
}

/// Whether the letter behind a backslash is an escape that POSIX does not have, and has what it needs behind it.
bool isExtension(std::string_view text, std::size_t at)
{
    const char c = text[at];
    const bool digit = at + 1 < text.size() && digitOf(text[at + 1]) < 16;
    return c == 'e' || c == 'E' || ((c == 'x' || c == 'u' || c == 'U') && digit);
}

/// The escape after a backslash at `at` (which moves past it). False at `\c`, which ends all output.
bool escape(std::string_view text, std::size_t &at, std::string &out, Dialect dialect)
{
    if (at >= text.size()) {
        out += '\\';
        return true;
    }
    const bool letter = std::string_view("eExuU").contains(text[at]);
    if (letter && (dialect == Dialect::Sh || !isExtension(text, at))) {
        out += '\\';
        out += text[at++];
        return true;
    }
    const char c = text[at++];
    switch (c) {
    case 'a':
        out += '\a';
        break;
    case 'b':
        out += '\b';
        break;
    case 'e':
    case 'E':
        out += '\x1b';
        break;
    case 'f':
        out += '\f';
        break;
    case 'n':
        out += '\n';
        break;
    case 'r':
        out += '\r';
        break;
    case 't':
        out += '\t';
        break;
    case 'v':
        out += '\v';
        break;
    case '\\':
        out += '\\';
        break;
    case '"':
        out += '"';
        break;
    case 'c':
        return false;
    case 'x':
        out += static_cast<char>(digits(text, at, 16, 2));
        break;
    case 'u':
        appendUtf8(out, digits(text, at, 16, 4));
        break;
    case 'U':
        appendUtf8(out, digits(text, at, 16, 8));
        break;
    case '0':
        out += static_cast<char>(digits(text, at, 8, 3));
        break;
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
        --at;
        out += static_cast<char>(digits(text, at, 8, 3));
        break;
    default:
        out += '\\';
        out += c;
    }
    return true;
}

/// With escapes decoded; gaps stay where they are. False when `\c` ended it.
bool decoded(const Gapped &text, Gapped &out, Dialect dialect)
{
    std::size_t gap = 0;
    for (std::size_t at = 0; at <= text.text.size();) {
        while (gap < text.gaps.size() && text.gaps[gap].offset <= at)
            out.appendGap(text.gaps[gap++].source);
        if (at == text.text.size())
            break;
        if (text.text[at] != '\\') {
            out.text += text.text[at++];
            continue;
        }
        ++at;
        if (!escape(text.text, at, out.text, dialect))
            return false;
    }
    return true;
}

/// One conversion of printf and its argument.
void convert(char conversion, std::string_view flags, const Gapped &argument, Gapped &out, Dialect dialect)
{
    if (conversion == 'c') {
        if (!argument.known())
            out.appendGap();
        else
            out.text += argument.text.substr(0, 1);
        return;
    }
    if (conversion == 's' || conversion == 'b' || conversion == 'q') {
        if (conversion == 'b') {
            decoded(argument, out, dialect);
            return;
        }
        Gapped value = argument;
        // Quoted in a way of the shell's own.
        if (conversion == 'q' && argument.text.find_first_of(" \t\n'\"\\$`|&;()<>*?[]#~=%{}!^,") != std::string::npos)
            value = Gapped::unknown();
        if (const std::size_t dot = flags.find('.'); dot != std::string_view::npos && value.known()) {
            std::size_t most = 0;
            std::from_chars(flags.data() + dot + 1, flags.data() + flags.size(), most);
            value.text = value.text.substr(0, most);
        }
        std::size_t width = 0;
        const std::size_t digit = flags.find_first_of("123456789");
        if (digit != std::string_view::npos && (flags.find('.') == std::string_view::npos || digit < flags.find('.')))
            std::from_chars(flags.data() + digit, flags.data() + flags.size(), width);
        const std::size_t pad = width > value.text.size() && width < 4096 ? width - value.text.size() : 0;
        if (flags.find('-') == std::string_view::npos)
            out.text.append(pad, ' ');
        out.append(value);
        if (flags.find('-') != std::string_view::npos)
            out.text.append(pad, ' ');
        return;
    }
    if (!argument.known() || !flags.empty()) {
        out.appendGap();
        return;
    }
    std::int64_t value = 0;
    std::string_view text = argument.text;
    if (text.size() > 1 && (text[0] == '\'' || text[0] == '"')) {
        value = static_cast<unsigned char>(text[1]);
    } else if (text.starts_with("0x")) {
        std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
    } else {
        std::from_chars(text.data(), text.data() + text.size(), value, text.size() > 1 && text[0] == '0' ? 8 : 10);
    }
    char buffer[32];
    const int base = conversion == 'o' ? 8 : (conversion == 'x' || conversion == 'X') ? 16 : 10;
    const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value, base);
    std::string number(buffer, end);
    if (conversion == 'X') {
        for (char &c : number)
            c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    out.text += number;
}

} // namespace

std::optional<Gapped> Evaluator::echoOutput(const Run &run, Dialect dialect)
{
    bool newline = true;
    bool escapes = dialect == Dialect::Sh;
    std::size_t from = 1;
    for (; from < run.words.size(); ++from) {
        const std::string &word = run.words[from].value.text;
        const bool flags = word.size() > 1 && word[0] == '-' && word.find_first_not_of("neE", 1) == std::string::npos
            && run.words[from].value.known();
        if (!flags || (dialect == Dialect::Sh && word != "-n"))
            break;
        newline = newline && word.find('n') == std::string::npos;
        escapes = word.find('e') != std::string::npos || (escapes && word.find('E') == std::string::npos);
    }
    Gapped text;
    for (std::size_t i = from; i < run.words.size(); ++i) {
        if (i > from)
            text.append(Gapped(" "));
        text.append(run.words[i].gapped());
    }
    text.pattern = false;
    if (escapes) {
        Gapped plain;
        if (!decoded(text, plain, dialect))
            newline = false;
        text = std::move(plain);
    }
    if (newline)
        text.append(Gapped("\n"));
    return text;
}

std::optional<Gapped> Evaluator::printfOutput(std::span<const Field> args, Dialect dialect)
{
    if (!args.empty() && args.front().value.text == "--")
        args = args.subspan(1);
    if (args.empty())
        return Gapped();
    if (!args.front().value.known())
        return std::nullopt;
    const std::string &format = args.front().value.text;
    Gapped out;
    std::size_t next = 1;
    do {
        const std::size_t before = next;
        for (std::size_t at = 0; at < format.size();) {
            const char c = format[at++];
            if (c == '\\') {
                if (!escape(format, at, out.text, dialect))
                    return out;
            } else if (c == '%' && at < format.size() && format[at] == '%') {
                out.text += '%';
                ++at;
            } else if (c == '%') {
                const std::size_t start = at;
                while (at < format.size()
                       && std::string_view("#0- +'.123456789").find(format[at]) != std::string_view::npos)
                    ++at;
                if (at >= format.size() || std::string_view("diouxXcsbq").find(format[at]) == std::string_view::npos)
                    return std::nullopt;
                const Gapped argument = next < args.size() ? args[next].gapped() : Gapped();
                ++next;
                convert(format[at], std::string_view(format).substr(start, at - start), argument, out, dialect);
                ++at;
            } else {
                out.text += c;
            }
            if (out.text.size() > 1024UL * 1024UL)
                return std::nullopt;
        }
        if (next == before)
            break;
    } while (next < args.size());
    out.pattern = false;
    return out;
}

} // namespace portcullis::shell
