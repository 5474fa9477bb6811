// SPDX-License-Identifier: Apache-2.0
#pragma once

// String literals and constants of C-like languages, as far as a process start needs them.

#include "runner/shell/gapped.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::shell {

/// Names that a program text sets to a string or a list of strings in one plain statement. A name that is set several
/// times has several alternatives, of which `choice` picks one.
class Constants
{
public:
    /// More alternatives of one name are not followed.
    static constexpr std::size_t most = 4;

    void add(std::string name, std::vector<std::string> value);
    /// Reads the assignments in a text.
    void collect(std::string_view language, std::string_view code);
    [[nodiscard]] const std::vector<std::string> *find(std::string_view name) const;
    [[nodiscard]] std::size_t alternatives() const;
    void choose(std::size_t choice) { m_choice = choice; }
    /// What a name stands for of which not all is known: a beginning, and gaps.
    [[nodiscard]] const Gapped *findPart(std::string_view name) const;
    [[nodiscard]] bool perl() const { return m_language == "perl"; }
    [[nodiscard]] bool awk() const { return m_language == "awk"; }

private:
    std::map<std::string, std::vector<std::vector<std::string>>, std::less<>> m_values;
    std::size_t m_choice = 0;
    std::map<std::string, Gapped, std::less<>> m_parts;
    std::string m_language;
};

[[nodiscard]] std::vector<std::string> blankSeparated(std::string_view text);

/// Reads literals from a place in a text on. A name of `constants` counts as the string that it stands for.
class Literals
{
public:
    Literals(std::string_view text, std::size_t at, bool templates, const Constants *constants = nullptr)
        : m_text(text), m_at(at), m_templates(templates), m_constants(constants)
    {
    }

    [[nodiscard]] std::size_t at() const { return m_at; }
    void moveTo(std::size_t at) { m_at = at; }
    void skip();
    bool take(char c);
    /// A string literal with a prefix like r, b, f, u; nothing when there is none here.
    std::optional<Gapped> string();
    /// A string that may be made of several (adjacent, or joined by + or .), with a gap for what is no literal.
    std::optional<Gapped> joinedString();
    /// `qw(…)`, `%w[…]`, or a constant that is a list.
    std::optional<std::vector<std::string>> list();
    /// The arguments of a call or the elements of a list, each with a gap for what is no literal.
    std::vector<Gapped> elements();

private:
    [[nodiscard]] std::optional<Gapped> quoteOperator();
    [[nodiscard]] const Gapped *partNamed(std::string_view name) const;
    bool method(Gapped &value);
    void format(Gapped &value);
    void join(Gapped &value);
    std::size_t escape(std::size_t at, std::string &out);
    std::size_t hole(std::size_t at, bool formatted, char quote, Gapped &value) const;
    [[nodiscard]] std::string_view nameAt(std::size_t at, std::size_t *end) const;
    void substitute(Gapped &value);

    std::string_view m_text;
    std::size_t m_at;
    bool m_templates;
    const Constants *m_constants;
    unsigned m_nesting = 0; ///< arguments of format and join around
};

} // namespace portcullis::shell
