// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/glob.h"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <ranges>
#include <span>
#include <utility>

namespace portcullis::rules {

namespace {

constexpr std::size_t maxAlternatives = 256;

std::bitset<256> everyByte(Glob::Flavour flavour)
{
    std::bitset<256> bytes;
    bytes.set();
    if (flavour == Glob::Flavour::Path)
        bytes.reset('/');
    return bytes;
}

/// Splits `a{b,c}d` into its alternatives. Iterative: each pass opens the first brace that holds no other.
Result<std::vector<std::string>, std::string> expandBraces(std::string_view pattern)
{
    std::vector<std::string> done;
    std::vector<std::string> open{std::string(pattern)};
    while (!open.empty()) {
        const std::string text = std::move(open.back());
        open.pop_back();
        const std::size_t close = text.find('}');
        const std::size_t brace = close == std::string::npos ? text.find('{') : text.rfind('{', close);
        if (brace == std::string::npos && close == std::string::npos) {
            done.push_back(text);
            continue;
        }
        if (brace == std::string::npos || close == std::string::npos)
            return failure(std::string("unbalanced brace"));
        std::size_t from = brace + 1;
        while (from <= close) {
            const std::size_t comma = std::min(text.find(',', from), close);
            open.push_back(text.substr(0, brace) + text.substr(from, comma - from) + text.substr(close + 1));
            from = comma + 1;
        }
        if (open.size() + done.size() > maxAlternatives)
            return failure(std::string("too many alternatives"));
    }
    // An outer brace is opened once for each alternative of an inner one.
    std::ranges::sort(done);
    const auto repeated = std::ranges::unique(done);
    done.erase(repeated.begin(), repeated.end());
    return done;
}

/// All that is reached from `states` over elements of `over`, in as many steps as the number of elements has bits.
std::uint64_t flooded(std::uint64_t states, std::uint64_t over)
{
    std::uint64_t open = over << 1;
    for (unsigned distance = 1; distance < 64; distance *= 2) {
        states |= open & (states << distance);
        open &= open << distance;
    }
    return states;
}

} // namespace

Result<std::vector<Glob>, std::string> Glob::parse(std::string_view pattern, Flavour flavour)
{
    const auto alternatives = expandBraces(pattern);
    if (!alternatives)
        return failure(std::string(alternatives.error()));
    std::vector<Glob> globs;
    for (const std::string &alternative : *alternatives) {
        auto glob = parseOne(alternative, flavour);
        if (!glob)
            return failure(std::string(glob.error()));
        globs.push_back(std::move(*glob));
    }
    return globs;
}

Result<Glob, std::string> Glob::parseOne(std::string_view pattern, Flavour flavour)
{
    Glob glob;
    glob.m_source = pattern;
    std::array<States, 256> takers{};
    for (std::size_t at = 0; at < pattern.size();) {
        Element element;
        const States bit = States{1} << glob.m_elements.size();
        bool literal = false;
        if (pattern[at] == '*') {
            const bool crossing = pattern.substr(at).starts_with("**");
            element.run = true;
            element.bytes = everyByte(crossing ? Flavour::Name : flavour);
            at += crossing ? 2 : 1;
        } else if (pattern[at] == '?') {
            element.bytes = everyByte(flavour);
            ++at;
        } else if (pattern[at] == '[') {
            const auto past = readBracket(pattern, at, element.bytes);
            if (!past)
                return failure(std::string("missing ]"));
            at = *past;
        } else {
            if (pattern[at] == '\\' && at + 1 < pattern.size())
                ++at;
            const auto byte = static_cast<unsigned char>(pattern[at]);
            element.bytes.set(byte);
            takers[byte] |= bit;
            literal = true;
            ++at;
        }
        for (std::size_t byte = 0; !literal && byte < takers.size(); ++byte)
            takers[byte] |= element.bytes[byte] ? bit : 0;
        glob.m_runs |= element.run ? bit : 0;
        glob.m_elements.push_back(element);
        if (glob.m_elements.size() > maxElements)
            return failure(std::string("longer than 63 elements"));
    }
    glob.index(takers);
    return glob;
}

/// `takers`: by byte, which elements take it.
void Glob::index(const std::array<States, 256> &takers)
{
    m_runsTouch = (m_runs & (m_runs << 1)) != 0;
    for (std::size_t byte = 0; byte < takers.size(); ++byte) {
        const bool known = byte > 0 && takers[byte] == takers[byte - 1];
        const auto kind = known ? m_takers.begin() + m_kind[byte - 1] : std::ranges::find(m_takers, takers[byte]);
        m_kind[byte] = static_cast<std::uint8_t>(kind - m_takers.begin());
        if (kind == m_takers.end())
            m_takers.push_back(takers[byte]);
        m_notSlash |= byte != '/' ? takers[byte] : 0;
        m_first |= byte != '/' && byte != '.' ? takers[byte] : 0;
    }
}

Glob::States Glob::closed(States states) const
{
    if (const States at = states & m_runs; !m_runsTouch) // each is left by a single step
        return states | (at << 1);
    return flooded(states, m_runs);
}

/// Behind one byte that the elements `takers` take.
Glob::States Glob::stepped(States states, States takers) const
{
    const States taking = states & takers;
    return closed((taking & m_runs) | ((taking & ~m_runs) << 1));
}

Glob::States Glob::afterByte(States states, unsigned char byte) const
{
    return stepped(states, m_takers[m_kind[byte]]);
}

Glob::States Glob::afterBytes(States states, const std::bitset<256> &bytes) const
{
    States takers = 0;
    for (States left = states & ~accepting(); left != 0; left &= left - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(left));
        if ((m_elements[at].bytes & bytes).any())
            takers |= States{1} << at;
    }
    return stepped(states, takers);
}

/// Behind any number of bytes of which the elements `takers` take one.
Glob::States Glob::afterRun(States states, States takers) const
{
    return flooded(states, takers | m_runs);
}

bool Glob::matches(std::string_view text) const
{
    return (afterPrefix(text) & accepting()) != 0;
}

/// A shell's `*`, `?` and `[…]` do not match a leading dot (bash manual, 3.5.8), unless `dotglob` is set.
Glob::States Glob::afterCell(States states, const OpenText &text, OpenText::Cell cell, bool leading) const
{
    const States component = leading ? m_first : m_notSlash;
    if (cell == OpenText::anyRun)
        return states | afterRun(stepped(states, component), m_notSlash);
    if (cell == OpenText::anyOne)
        return stepped(states, component);
    std::bitset<256> bytes = text.classes[cell - OpenText::firstClass];
    if (leading)
        bytes.reset('.');
    return afterBytes(states, bytes);
}

bool Glob::reaches(const OpenText &text, std::size_t from, States states, bool gapsOpen) const
{
    bool leading = from == 0 || text.cells[from - 1] == '/';
    for (const OpenText::Cell cell : std::span(text.cells).subspan(from)) {
        if (cell < OpenText::gap)
            states = afterByte(states, static_cast<unsigned char>(cell));
        else if (cell == OpenText::gap)
            states = gapsOpen ? afterRun(states, accepting() - 1) : closed(states & m_runs);
        else
            states = afterCell(states, text, cell, leading);
        if (states == 0)
            return false;
        leading = cell == '/';
    }
    return (states & accepting()) != 0;
}

/// Whether a word spells out most of what a glob like `**/docker.sock` names. `ls *` could be that file in any folder,
/// but is hardly meant to be.
bool Glob::spellsOut(const OpenText &text) const
{
    constexpr std::string_view anywhere = "**/";
    if (!m_source.starts_with(anywhere) || m_source.substr(anywhere.size()).starts_with('.'))
        return true;
    const auto isSlash = [](OpenText::Cell cell) { return cell == '/'; };
    const auto wanted = std::ranges::count_if(m_elements, [](const Element &element) { return !element.run; }) - 1;
    auto folders = std::ranges::count(m_source, '/');
    std::ptrdiff_t spelled = 0;
    for (const OpenText::Cell cell : std::views::reverse(text.cells)) {
        if (isSlash(cell) && --folders == 0)
            break;
        spelled += cell < OpenText::gap ? 1 : 0;
    }
    return spelled * 10 >= wanted * 7;
}

Glob::States Glob::afterPrefix(std::string_view prefix) const
{
    States states = closed(1);
    for (const char byte : prefix) {
        states = afterByte(states, static_cast<unsigned char>(byte));
        if (states == 0)
            break;
    }
    return states;
}

Match Glob::matches(const OpenText &text) const
{
    return matches(text, 0, closed(1));
}

Match Glob::matches(const OpenText &text, std::size_t from, States states) const
{
    // No path and no name is longer; what is cannot be judged cheaply and stays open.
    constexpr std::size_t maxCells = 4096;
    if (text.cells.size() > maxCells)
        return Match::Maybe;
    if (reaches(text, from, states, false))
        return spellsOut(text) ? Match::Yes : Match::Maybe;
    // Without a gap there is nothing more to fill.
    const bool gaps = std::ranges::contains(std::span(text.cells).subspan(from), OpenText::gap);
    return gaps && reaches(text, from, states, true) ? Match::Maybe : Match::No;
}

bool Glob::isLiteral() const
{
    return !m_source.contains('\\') && std::ranges::all_of(m_elements, [](const Element &element) {
        return !element.run && element.bytes.count() == 1;
    });
}

std::string Glob::regex() const
{
    std::string out;
    for (const Element &element : m_elements) {
        if (element.bytes.all()) {
            out += "(?s:.)";
        } else {
            const bool negated = element.bytes.count() > 128;
            const std::bitset<256> listed = negated ? ~element.bytes : element.bytes;
            out += negated ? "[^" : "[";
            for (std::size_t byte = 0; byte < 256; ++byte) {
                char escape[8];
                if (listed[byte] && std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned>(byte)) > 0)
                    out += escape;
            }
            out += ']';
        }
        if (element.run)
            out += '*';
    }
    return out;
}

Result<NameList, std::string> NameList::parse(const std::vector<std::string> &names)
{
    NameList list;
    for (const std::string &name : names) {
        const bool excluded = name.starts_with('!');
        auto globs =
            Glob::parse(excluded ? std::string_view(name).substr(1) : std::string_view(name), Glob::Flavour::Name);
        if (!globs)
            return failure(name + ": " + globs.error());
        std::vector<Glob> &into = excluded ? list.m_unwanted : list.m_wanted;
        std::ranges::move(*globs, std::back_inserter(into));
    }
    for (std::size_t i = 0; i < list.m_wanted.size(); ++i) {
        if (list.m_wanted[i].isLiteral())
            list.m_literals.push_back(list.m_wanted[i].source());
        else
            list.m_patterns.push_back(i);
    }
    std::ranges::sort(list.m_literals);
    return list;
}

bool NameList::matches(std::string_view text) const
{
    const auto wanted = [&](std::size_t at) { return m_wanted[at].matches(text); };
    const bool found =
        m_wanted.empty() || std::ranges::binary_search(m_literals, text) || std::ranges::any_of(m_patterns, wanted);
    return found && std::ranges::none_of(m_unwanted, [&](const Glob &glob) { return glob.matches(text); });
}

bool NameList::matchesEither(std::string_view name, std::string_view line) const
{
    const auto either = [&](const Glob &glob) { return glob.matches(name) || glob.matches(line); };
    return (m_wanted.empty() || std::ranges::any_of(m_wanted, either)) && std::ranges::none_of(m_unwanted, either);
}

Match NameList::matches(const shell::Value &value) const
{
    if (value.known() && !value.isPattern())
        return matches(value.text) ? Match::Yes : Match::No;
    const OpenText text = OpenText::of(value);
    if (std::ranges::any_of(m_unwanted, [&](const Glob &glob) { return glob.matches(text) == Match::Yes; }))
        return Match::No;
    Match best = m_wanted.empty() ? Match::Yes : Match::No;
    for (const Glob &glob : m_wanted)
        best = std::max(best, glob.matches(text));
    return best;
}

bool NameList::isSelective() const
{
    const auto onlyStars = [](const Glob &glob) { return glob.source().find_first_not_of('*') == std::string::npos; };
    return m_unwanted.empty() && !m_wanted.empty() && std::ranges::none_of(m_wanted, onlyStars);
}

} // namespace portcullis::rules
