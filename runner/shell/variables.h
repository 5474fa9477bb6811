// SPDX-License-Identifier: Apache-2.0
#pragma once

// The variables of the evaluated shells. Branches and subshells are undone and joined by a journal, so that their cost
// is the number of writes and not the number of variables.

#include "runner/shell/gapped.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::shell {

struct Variable {
    std::vector<Datum> choices; ///< never empty
    bool exported = false;
    bool integer = false; ///< declare -i: values are arithmetic
    bool integerDoubt = false; ///< … or perhaps not
    bool reference = false; ///< declare -n: the value is a name
    bool fixed = false; ///< readonly: a later value may be refused
    bool associative = false; ///< declare -A
    char fold = 0; ///< declare -l, -u, -c: that letter, or `?` for a change that is not followed
    std::uint32_t level = 0; ///< number of child shells around the assignment; others see it only when exported

    [[nodiscard]] static Variable of(Choices values);
    [[nodiscard]] static Variable unset();
    void add(const Variable &other);
};

class Variables
{
public:
    using Environment = std::map<std::string, std::string, std::less<>>;
    using Delta = std::map<std::string, Variable, std::less<>>;

    explicit Variables(const Environment &environment) : m_environment(environment) { }

    /// The variable as shell number `level` sees it; null when nothing set it.
    [[nodiscard]] const Variable *find(std::string_view name, std::uint32_t level) const;
    /// A variable to be written; an unset one when it was not there.
    [[nodiscard]] Variable &edit(std::string_view name);
    void set(std::string_view name, Variable value);
    [[nodiscard]] const Environment &environment() const { return m_environment; }
    [[nodiscard]] const Delta &all() const { return m_values; }

    /// Starts a stretch that can be undone.
    [[nodiscard]] std::size_t mark();
    /// Undoes everything since the mark and gives what the stretch had written.
    Delta take(std::size_t mark);
    /// Keeps the writes since the mark, but each may not have happened.
    void weaken(std::size_t mark);
    /// Keeps the writes since the mark as they are.
    void keep();
    [[nodiscard]] std::vector<std::string> writtenSince(std::size_t mark) const;
    /// After `take`: one of these happened (or none, when `none`).
    void join(std::vector<Delta> branches, bool none);

private:
    struct Entry {
        std::string name;
        std::optional<Variable> old;
    };
    void remember(std::string_view name);

    const Environment &m_environment;
    Delta m_values;
    std::vector<Entry> m_journal;
    std::uint32_t m_marks = 0;
};

} // namespace portcullis::shell
