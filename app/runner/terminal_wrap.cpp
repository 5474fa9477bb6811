// SPDX-License-Identifier: Apache-2.0
#include "app/runner/terminal_wrap.h"

#include <algorithm>
#include <sys/ioctl.h>
#include <unistd.h>

namespace portcullis::cli {
namespace {

constexpr std::size_t leastColumns = 40;

/// Characters, not bytes.
std::size_t lengthOf(std::string_view text)
{
    constexpr unsigned char topBits = 0xc0;
    constexpr unsigned char continuation = 0x80;
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & topBits) != continuation; }));
}

/// Where the text behind a label begins; 0 where the line has none.
std::size_t textColumn(std::string_view line)
{
    constexpr std::size_t longestLabel = 20;
    const std::size_t gap = line.find("  ");
    const bool letter = !line.empty() && ((line[0] >= 'a' && line[0] <= 'z') || (line[0] >= 'A' && line[0] <= 'Z'));
    if (!letter || gap > longestLabel)
        return 0;
    const std::size_t start = line.find_first_not_of(' ', gap);
    return start > longestLabel ? 0 : start; // also where there is none
}

std::string wrappedLine(std::string_view line, std::size_t columns)
{
    const std::size_t indent = lengthOf(line) > columns ? textColumn(line) : 0;
    if (indent == 0)
        return std::string(line);
    // In a row of entries, such as `input ✓  readings ✓`, an entry stays whole.
    const std::string_view between = line.substr(indent).contains("  ") ? "  " : " ";
    std::string out(line.substr(0, indent));
    std::size_t used = indent;
    for (std::size_t at = indent; at < line.size();) {
        const std::size_t blanks = std::min(line.find_first_not_of(' ', at), line.size());
        const std::size_t end = std::min(line.find(between, blanks), line.size());
        const std::string_view word = line.substr(blanks, end - blanks);
        if (used > indent && used + (blanks - at) + lengthOf(word) > columns) {
            out += '\n' + std::string(indent, ' ');
            used = indent;
        } else {
            out.append(blanks - at, ' ');
            used += blanks - at;
        }
        out += word;
        used += lengthOf(word);
        at = end;
    }
    return out;
}

} // namespace

std::size_t terminalColumns()
{
    winsize size{};
    return ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

std::string wrapped(std::string_view text, std::size_t columns)
{
    if (columns < leastColumns)
        return std::string(text);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += wrappedLine(text.substr(at, end - at), columns);
        if (end < text.size())
            out += '\n';
        at = end + 1;
    }
    return out;
}

} // namespace portcullis::cli
