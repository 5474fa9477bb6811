// SPDX-License-Identifier: Apache-2.0
#pragma once

// The variables of the evaluated shells. Branches and subshells are undone and joined by a journal, so that their cost
// is the number of writes and not the number of variables.

#include "runner/shell/gapped.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::shell {

struct Variable {
    std::vector<Datum> choices; ///< never empty
    bool exported = false;
    bool integer = false; ///< declare -i: values are arithmetic
    bool integerDoubt = false; ///< … or perhaps not
    bool reference = false; ///< declare -n: the value is a name
    bool referenceDoubt = false; ///< … or perhaps not
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

    /// What a variable has when nothing of the text set it.
    [[nodiscard]] Variable original(std::string_view name) const;
    /// From here to `endLeavable` the stretch may be left in the middle. Gives its number; they stand inside one
    /// another.
    std::size_t beginLeavable();
    /// Stretch `number` may be left here; `restored` are variables that get these values back when it is.
    void leave(std::size_t number, const std::vector<std::pair<std::string, Variable>> &restored);
    /// What was written since is as it is now or as it was at one of the places where the innermost may be left.
    void endLeavable();
    /// From here on every value is kept in mind for `everHeld`.
    void keepInMind() { m_inMind = true; }
    /// What a variable held at any time since, apart from what it holds now.
    [[nodiscard]] const Delta &everHeld() const { return m_everHeld; }

private:
    struct Leavable {
        std::size_t mark = 0;
        std::size_t told = 0; ///< entries of the journal before it were looked at where the line may be left
        std::optional<std::size_t> first; ///< writes before it were done wherever it may be left
        Delta left; ///< values where it may be left
        std::vector<std::size_t> marks; ///< per stretch inside: what `told` was where it starts
    };
    struct Entry {
        std::string name;
        std::optional<Variable> old;
    };
    void remember(std::string_view name);
    void undoneTo(std::size_t mark);

    const Environment &m_environment;
    Delta m_values;
    std::vector<Entry> m_journal;
    std::uint32_t m_marks = 0;
    std::vector<Leavable> m_leavables;
    bool m_inMind = false;
    Delta m_everHeld;
};

} // namespace portcullis::shell
