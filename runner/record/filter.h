// SPDX-License-Identifier: Apache-2.0
#pragma once

// The filter language of `log`, `replay` and the console:
//
//   filter = or
//   or     = and {"or" and}
//   and    = term {["and"] term}
//   term   = ["-"|"not"] (field ":" set | "/re/" | "quoted" | word | "(" or ")")
//   set    = value {"," value}
//   value  = word | "quoted" | glob* | ">"n | "<"n | a".."b
//
// Bare words and quoted texts are substrings of the command; case is ignored for ASCII letters only. `/re/` is an RE2
// pattern (case counts, `(?i)` changes that) whose closing slash ends the word: `/etc/passwd` is a word, `/etc/` a
// pattern. A word may hold any byte but blanks and parentheses; inside quotes `\"` and `\\` are escapes. `and`, `or`
// and `not` are in small letters. A set matches if one of its values does.
//
// Fields and their values:
//   id                                     whole, its beginning (8 characters or more) or its end (6 or more)
//   gateway tenant agent session rule cwd  exact, or a glob with `*`
//   config                                 digest, with or without `sha256:`, whole or its first 6 or more digits
//   origin kind verdict check group        a name of the vocabulary; a glob where several are meant; an empty value
//   backend level outcome                  of check and group is written ""
//   would_deny                             yes, no
//   dynamic                                a reason; `dynamic:*` for any
//   exit                                   number
//   took                                   duration: 300us, 20ms, 5s, 2m, 1h, 3d, 1w; a bare number is seconds
//   output                                 bytes that the command wrote: 100, 4K, 1M, 2G (powers of 1024)
//   time                                   2026, 2026-10, 2026-10-03, 2026-10-03T14:00, 14:00 (of today), today,
//                                          yesterday; the last date of a range is part of it, its last moment is not
//   since until                            a duration back from now, or a time as above (until: its end)

#include "runner/base/result.h"
#include "runner/record/event.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::record {

/// The fields of the filter language in the order of the documentation.
enum class Field {
    Id,
    Gateway,
    Tenant,
    Agent,
    Session,
    Origin,
    Kind,
    Verdict,
    Check,
    Group,
    Rule,
    WouldDeny,
    Dynamic,
    Backend,
    Level,
    Outcome,
    Exit,
    Took,
    Output,
    Cwd,
    Config,
    Time,
    Since,
    Until
};

/// What "now" and "local" mean; comes in from the edge, because this code reads no clock and no zone.
struct FilterClock {
    std::int64_t nowUs = 0; ///< UTC microseconds
    /// Seconds that local time is ahead of UTC at a UTC moment in microseconds. Null: UTC.
    std::function<std::int32_t(std::int64_t utcUs)> offsetAt;
};

struct FilterError {
    enum class Code {
        UnknownField,
        UnknownValue,
        MissingValue,
        BadNumber,
        BadDuration,
        BadTime,
        BadRange,
        NotComparable,
        BadPattern,
        OpenQuote,
        OpenPattern,
        OpenParenthesis,
        UnexpectedParenthesis,
        MissingTerm,
        TooDeep,
        TooLong
    };
    Code code = Code::MissingTerm;
    std::size_t column = 1; ///< in bytes, from 1: where the offending word begins
    std::string found; ///< the offending word
    std::string nearest; ///< the nearest field or value name, or empty when none is near
    std::vector<std::string> allowed = {}; ///< of UnknownValue: the names that this field takes, where it takes names
    friend bool operator==(const FilterError &, const FilterError &) = default;
};

struct FilterNode;

/// A parsed filter: a small immutable value, safe to hand to other threads. The default matches everything.
class Filter
{
public:
    Filter() = default;
    /// Reads a filter of at most 8 KiB. An empty text matches everything.
    [[nodiscard]] static Result<Filter, FilterError> parse(std::string_view text, const FilterClock &clock);

    /// Events of [fromUs, toUs).
    [[nodiscard]] static Filter between(std::int64_t fromUs, std::int64_t toUs);

    [[nodiscard]] bool matches(const Event &event) const;
    [[nodiscard]] bool matchesEverything() const { return !m_root; }
    /// Both must hold.
    [[nodiscard]] Filter narrowedBy(const Filter &other) const;
    /// The words that are searched for in commands, in lower case: to mark them in a view.
    [[nodiscard]] std::vector<std::string> searchedWords() const;
    [[nodiscard]] const FilterNode *root() const { return m_root.get(); }

private:
    explicit Filter(std::shared_ptr<const FilterNode> root) : m_root(std::move(root)) { }
    std::shared_ptr<const FilterNode> m_root;
};

/// A word or value, quoted where the language needs it: for filters that a program puts together.
[[nodiscard]] std::string quotedForFilter(std::string_view text);

} // namespace portcullis::record

namespace portcullis {
template <>
struct Names<record::Field> {
    static constexpr std::array<std::string_view, 24> all{
        "id",    "gateway", "tenant", "agent",      "session", "origin",  "kind",  "verdict",
        "check", "group",   "rule",   "would_deny", "dynamic", "backend", "level", "outcome",
        "exit",  "took",    "output", "cwd",        "config",  "time",    "since", "until"};
};
} // namespace portcullis
