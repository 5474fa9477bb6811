// SPDX-License-Identifier: Apache-2.0
#pragma once

// The parsed form of a filter: for matching and for translation to SQL.

#include "runner/record/filter.h"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace portcullis::record {

/// [from, to): numbers, durations in microseconds, moments in UTC microseconds.
struct Interval {
    static constexpr std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
    static constexpr std::int64_t highest = std::numeric_limits<std::int64_t>::max();
    std::int64_t from = lowest;
    std::int64_t to = highest; ///< `highest` means no end
    [[nodiscard]] bool contains(std::int64_t value) const { return value >= from && (to == highest || value < to); }
    friend bool operator==(const Interval &, const Interval &) = default;
};

/// One text that a field may have.
struct TextMatch {
    enum class Kind {
        Exact,
        Glob, ///< `*` stands for any bytes
        IdPart, ///< the beginning of the id, or its end, or all of it
        DigestStart, ///< hex digits with which a configuration's digest begins after `sha256:`
    };
    Kind kind = Kind::Exact;
    std::string text;
};

struct FilterNode {
    enum class Type {
        And,
        Or,
        Not,
        Word, ///< `texts[0]` occurs in the command or in its normalised form, small ASCII letters
        Pattern, ///< `pattern` matches in one of them
        Texts, ///< the text of `field` is one of `texts`
        Ranges, ///< the number of `field` lies in one of `ranges`
    };
    Type type = Type::And;
    Field field = Field::Id;
    std::vector<std::shared_ptr<const FilterNode>> children; ///< of And, Or, Not; never empty there
    std::vector<TextMatch> texts;
    std::vector<Interval> ranges;
    std::shared_ptr<const re2::RE2> pattern;
};

using NodePointer = std::shared_ptr<const FilterNode>;

/// Lengths from which a part of an id counts as its beginning.
inline constexpr std::size_t idStartMinimum = 8;

[[nodiscard]] bool globMatches(std::string_view pattern, std::string_view text);
/// Whether a text has this word, which is in lower case, somewhere: letters of ASCII in any case, else byte for byte.
[[nodiscard]] bool containsWord(std::string_view text, std::string_view word);
[[nodiscard]] std::string lowerAscii(std::string_view text);

} // namespace portcullis::record
