// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/open_text.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace portcullis::rules {

namespace {

// POSIX.1-2024, XBD 9.3.5: named classes inside a bracket expression. Bytes, in the C locale.
bool addNamedClass(std::string_view name, std::bitset<256> &bytes)
{
    using Predicate = int (*)(int);
    static constexpr std::array<std::pair<std::string_view, Predicate>, 12> classes{{{"alpha", std::isalpha},
                                                                                     {"digit", std::isdigit},
                                                                                     {"alnum", std::isalnum},
                                                                                     {"upper", std::isupper},
                                                                                     {"lower", std::islower},
                                                                                     {"space", std::isspace},
                                                                                     {"blank", std::isblank},
                                                                                     {"punct", std::ispunct},
                                                                                     {"print", std::isprint},
                                                                                     {"graph", std::isgraph},
                                                                                     {"cntrl", std::iscntrl},
                                                                                     {"xdigit", std::isxdigit}}};
    for (const auto &[known, predicate] : classes) {
        if (known != name)
            continue;
        for (int byte = 0; byte < 128; ++byte) {
            if (predicate(byte) != 0)
                bytes.set(static_cast<std::size_t>(byte));
        }
        return true;
    }
    return false;
}

std::size_t index(char byte)
{
    return static_cast<unsigned char>(byte);
}

/// The offset past an extended glob `x(…)` that opens at `open`; the end of the text when it is not closed.
std::size_t pastGroup(std::string_view text, std::size_t open)
{
    int depth = 0;
    for (std::size_t at = open; at < text.size(); ++at) {
        if (text[at] == '(')
            ++depth;
        else if (text[at] == ')' && --depth == 0)
            return at + 1;
    }
    return text.size();
}

/// Appends the cells of an active glob at `at`; returns the offset past it.
std::size_t appendGlob(std::string_view text, std::size_t at, OpenText &out)
{
    if (at + 1 < text.size() && text[at + 1] == '(' && std::string_view("?*+@!").contains(text[at])) {
        out.cells.push_back(OpenText::anyRun);
        return pastGroup(text, at + 1);
    }
    if (text[at] == '*') {
        out.cells.push_back(OpenText::anyRun);
        return at + 1;
    }
    if (text[at] == '?') {
        out.cells.push_back(OpenText::anyOne);
        return at + 1;
    }
    std::bitset<256> bytes;
    if (text[at] == '[') {
        if (const auto past = readBracket(text, at, bytes)) {
            bytes.reset(index('/'));
            out.cells.push_back(static_cast<OpenText::Cell>(OpenText::firstClass + out.classes.size()));
            out.classes.push_back(bytes);
            return *past;
        }
    }
    out.cells.push_back(static_cast<OpenText::Cell>(index(text[at])));
    return at + 1;
}

constexpr OpenText::Cell slash = '/';

/// Drops empty and `.` components and lets `..` take its predecessor, as a logical `cd` does.
void normalise(std::vector<OpenText::Cell> &cells)
{
    std::vector<OpenText::Cell> out;
    const auto isDots = [&](std::size_t from, std::size_t to, std::size_t count) {
        return to - from == count
            && std::all_of(cells.begin() + static_cast<std::ptrdiff_t>(from),
                           cells.begin() + static_cast<std::ptrdiff_t>(to),
                           [](OpenText::Cell cell) { return cell == '.'; });
    };
    for (std::size_t at = 0; at < cells.size();) {
        const std::size_t end = static_cast<std::size_t>(
            std::find(cells.begin() + static_cast<std::ptrdiff_t>(at), cells.end(), slash) - cells.begin());
        if (isDots(at, end, 2)) {
            while (!out.empty() && out.back() != slash)
                out.pop_back();
            if (!out.empty())
                out.pop_back();
        } else if (end > at && !isDots(at, end, 1)) {
            // A path that starts with an unknown stretch keeps it in front: it may hold the root.
            if (at > 0 || cells[at] != OpenText::gap)
                out.push_back(slash);
            out.insert(out.end(), cells.begin() + static_cast<std::ptrdiff_t>(at),
                       cells.begin() + static_cast<std::ptrdiff_t>(end));
        }
        at = end + 1;
    }
    if (out.empty())
        out.push_back(slash);
    cells = std::move(out);
}

} // namespace

std::optional<std::size_t> readBracket(std::string_view text, std::size_t open, std::bitset<256> &bytes)
{
    std::size_t at = open + 1;
    const bool negated = at < text.size() && (text[at] == '!' || text[at] == '^');
    if (negated)
        ++at;
    std::bitset<256> found;
    for (bool first = true; at < text.size(); first = false) {
        if (text[at] == ']' && !first) {
            bytes = negated ? ~found : found;
            return at + 1;
        }
        if (text.substr(at).starts_with("[:")) {
            const std::size_t close = text.find(":]", at + 2);
            if (close != std::string_view::npos && addNamedClass(text.substr(at + 2, close - at - 2), found)) {
                at = close + 2;
                continue;
            }
        }
        if (at + 2 < text.size() && text[at + 1] == '-' && text[at + 2] != ']') {
            for (std::size_t byte = index(text[at]); byte <= index(text[at + 2]); ++byte)
                found.set(byte);
            at += 3;
            continue;
        }
        found.set(index(text[at]));
        ++at;
    }
    return std::nullopt;
}

OpenText OpenText::of(const shell::Value &value)
{
    OpenText out;
    out.cells.reserve(value.text.size() + value.gaps.size());
    std::size_t nextGap = 0;
    std::size_t nextGlob = 0;
    for (std::size_t at = 0; at <= value.text.size();) {
        for (; nextGap < value.gaps.size() && value.gaps[nextGap] <= at; ++nextGap)
            out.cells.push_back(gap);
        if (at == value.text.size())
            break;
        while (nextGlob < value.globs.size() && value.globs[nextGlob] < at)
            ++nextGlob;
        if (nextGlob < value.globs.size() && value.globs[nextGlob] == at) {
            at = appendGlob(value.text, at, out);
            continue;
        }
        out.cells.push_back(static_cast<Cell>(index(value.text[at])));
        ++at;
    }
    return out;
}

bool OpenText::endsWith(char byte) const
{
    return !cells.empty() && cells.back() == index(byte);
}

shell::Value slice(const shell::Value &value, std::size_t from, std::size_t to)
{
    shell::Value out;
    out.text = value.text.substr(from, to - from);
    out.quotedData = value.quotedData;
    out.span = value.span;
    const auto keep = [from](const std::vector<std::uint32_t> &offsets, std::size_t last) {
        std::vector<std::uint32_t> kept;
        for (const std::uint32_t offset : offsets) {
            if (offset >= from && offset <= last)
                kept.push_back(offset - static_cast<std::uint32_t>(from));
        }
        return kept;
    };
    out.gaps = keep(value.gaps, to);
    if (to > from)
        out.globs = keep(value.globs, to - 1);
    return out;
}

std::string shownText(const shell::Value &value)
{
    std::string out;
    out.reserve(value.text.size() + value.gaps.size());
    std::size_t at = 0;
    for (const std::uint32_t offset : value.gaps) {
        out.append(value.text, at, offset - at);
        out.push_back(unknownMark);
        at = offset;
    }
    out.append(value.text, at, std::string::npos);
    return out;
}

bool liesBelow(const PathText &path, std::string_view directory)
{
    if (directory.size() < 2)
        return false;
    const std::string prefix = std::string(directory) + '/';
    if (!path.open)
        return path.plain.starts_with(prefix);
    const std::vector<OpenText::Cell> &cells = path.open->cells;
    const auto same = [](OpenText::Cell cell, char byte) { return cell == index(byte); };
    return !std::ranges::contains(cells, OpenText::gap) && cells.size() > prefix.size()
        && std::equal(prefix.begin(), prefix.end(), cells.begin(),
                      [&](char b, OpenText::Cell c) { return same(c, b); });
}

PathText resolvePath(const shell::Value &value, const std::optional<std::string> &cwd)
{
    const bool absolute = value.text.starts_with('/') && (value.gaps.empty() || value.gaps.front() > 0);
    if (value.known() && !value.isPattern() && (absolute || cwd))
        return {paths::normalised(value.text, cwd.value_or("/")), std::nullopt};
    OpenText text = OpenText::of(value);
    const bool startsUnknown = !text.cells.empty() && text.cells.front() == OpenText::gap;
    if (!absolute && !startsUnknown) {
        std::vector<OpenText::Cell> base;
        if (cwd) {
            for (const char byte : *cwd)
                base.push_back(static_cast<OpenText::Cell>(index(byte)));
        } else {
            base.push_back(OpenText::gap);
        }
        base.push_back(slash);
        text.cells.insert(text.cells.begin(), base.begin(), base.end());
    }
    normalise(text.cells);
    return {{}, std::move(text)};
}

} // namespace portcullis::rules
