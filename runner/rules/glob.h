// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/rules/open_text.h"

#include <array>
#include <bitset>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::rules {

/// Whether something matches: `Maybe` when it depends on what the text does not show.
enum class Match { No, Maybe, Yes };

/// A glob of a rule, without braces. Compared in one pass over the text, in time linear in it.
class Glob
{
public:
    /// Name: `*` and `?` stand for any bytes. Path: they stop at `/`; `**` does not.
    enum class Flavour { Name, Path };

    /// Expands `{a,b}` (nesting allowed) and reads each alternative. The error says what is wrong.
    [[nodiscard]] static Result<std::vector<Glob>, std::string> parse(std::string_view pattern, Flavour flavour);

    [[nodiscard]] bool matches(std::string_view text) const;
    /// Yes when every filling of the gaps and some filling of the shell's globs matches; Maybe when some filling does,
    /// or when a glob of the shell would have to stand for most of a name that the rule looks for in every folder.
    [[nodiscard]] Match matches(const OpenText &text) const;

    using States = std::uint64_t; ///< bit i: the next element is i
    /// What has been compared after these bytes at the start of a text; 0: nothing that begins so can match.
    [[nodiscard]] States afterPrefix(std::string_view prefix) const;
    /// The same as `matches` for a text whose first `from` cells are a prefix that led to `states`.
    [[nodiscard]] Match matches(const OpenText &text, std::size_t from, States states) const;

    [[nodiscard]] bool isLiteral() const; ///< no `*`, `?` or `[…]` in it
    [[nodiscard]] const std::string &source() const { return m_source; }
    /// The same language as a regular expression on bytes, unanchored.
    [[nodiscard]] std::string regex() const;

private:
    struct Element {
        bool run = false; ///< any number of the bytes, else one
        std::bitset<256> bytes;
    };
    static constexpr std::size_t maxElements = 63;

    void index(const std::array<States, 256> &takers);
    [[nodiscard]] static Result<Glob, std::string> parseOne(std::string_view pattern, Flavour flavour);
    [[nodiscard]] States closed(States states) const;
    [[nodiscard]] States stepped(States states, States takers) const;
    [[nodiscard]] States afterBytes(States states, const std::bitset<256> &bytes) const;
    [[nodiscard]] States afterByte(States states, unsigned char byte) const;
    [[nodiscard]] States afterRun(States states, States takers) const;
    [[nodiscard]] States accepting() const { return States{1} << m_elements.size(); }
    [[nodiscard]] States afterCell(States states, const OpenText &text, OpenText::Cell cell, bool leading) const;
    [[nodiscard]] bool reaches(const OpenText &text, std::size_t from, States states, bool gapsOpen) const;
    [[nodiscard]] bool spellsOut(const OpenText &text) const;

    std::string m_source;
    std::vector<Element> m_elements;
    States m_runs = 0; ///< the elements that are runs
    bool m_runsTouch = false; ///< one follows another
    States m_notSlash = 0; ///< … that take a byte which is no `/`
    States m_first = 0; ///< … that take a byte which is neither `/` nor `.`
    std::array<std::uint8_t, 256> m_kind{}; ///< by byte: index into m_takers
    std::vector<States> m_takers; ///< which elements take bytes of a kind
};

/// A list of names of a rule: matches when one of them does and none behind a `!` does.
class NameList
{
public:
    [[nodiscard]] static Result<NameList, std::string> parse(const std::vector<std::string> &names);

    [[nodiscard]] bool empty() const { return m_wanted.empty() && m_unwanted.empty(); }
    [[nodiscard]] bool matches(std::string_view text) const;
    [[nodiscard]] Match matches(const shell::Value &value) const;
    /// Whether one of two spellings is named and neither is excluded.
    [[nodiscard]] bool matchesEither(std::string_view name, std::string_view line) const;
    [[nodiscard]] const std::vector<Glob> &wanted() const { return m_wanted; }
    /// Without exceptions and without a name that is only stars: worth an index.
    [[nodiscard]] bool isSelective() const;

private:
    std::vector<Glob> m_wanted;
    std::vector<Glob> m_unwanted;
    std::vector<std::string> m_literals; ///< of the wanted ones, sorted
    std::vector<std::size_t> m_patterns; ///< the other wanted ones, by index
};

} // namespace portcullis::rules
