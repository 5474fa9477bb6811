// SPDX-License-Identifier: Apache-2.0
#pragma once

// Values of the constant evaluator: bytes with unknown stretches, and bounded sets of them.

#include "runner/shell/evaluation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::shell {

/// No invocation is known to have made the unknown bytes.
inline constexpr std::uint32_t noSource = 0xffffffffU;

/// Sources from here on (except noSource) are files whose content the unknown bytes are.
inline constexpr std::uint32_t firstFileSource = 0x80000000U;
[[nodiscard]] inline bool isFileSource(std::uint32_t source)
{
    return source >= firstFileSource && source != noSource;
}

/// Unknown bytes that may stand at `offset`; `source` is the invocation or the file that made them.
struct Gap {
    std::uint32_t offset = 0;
    std::uint32_t source = noSource;
    friend bool operator==(const Gap &, const Gap &) = default;
};

/// Adds a gap; of several at one place few are kept, because they are one stretch.
void addGap(std::vector<Gap> &gaps, Gap gap);

/// Bytes of which some stretches are not known.
struct Gapped {
    std::string text;
    std::vector<Gap> gaps;
    bool pattern = false; ///< names that globbing finds: its glob characters stay active inside quotes

    Gapped() = default;
    explicit Gapped(std::string known) : text(std::move(known)) { }
    [[nodiscard]] static Gapped unknown(std::uint32_t source = noSource);
    [[nodiscard]] bool known() const { return gaps.empty(); }
    void appendGap(std::uint32_t source = noSource);
    void append(const Gapped &other);
    /// Removes trailing newlines, as command substitution does.
    void chopNewlines();
    friend bool operator==(const Gapped &, const Gapped &) = default;
};

/// Alternatives; never empty where a value is wanted.
using Choices = std::vector<Gapped>;

/// More alternatives than this are one unknown value.
inline constexpr std::size_t maxChoices = 8;

/// Adds an alternative once; one too many becomes "unknown" beside those that are there.
void addChoice(Choices &choices, Gapped value);
void addChoices(Choices &choices, const Choices &more);
/// Every alternative of `choices` followed by every one of `more`.
void appendChoices(Choices &choices, const Choices &more);

/// What a variable may hold: nothing, a scalar or an array.
struct Datum {
    bool set = true;
    bool array = false;
    bool open = false; ///< an array with elements that are not known as well
    std::vector<Gapped> elements; ///< of a scalar: one
    std::vector<std::string> keys; ///< beside `elements` when subscripts were given
    friend bool operator==(const Datum &, const Datum &) = default;
};

/// An array of which nothing is known.
[[nodiscard]] Datum unknownArray(std::uint32_t source = noSource);

/// An expanded word with what the evaluator alone needs to know of it.
struct Field {
    Value value;
    std::vector<std::uint32_t> sources; ///< beside `value.gaps`
    bool usesUnset = false; ///< a variable that nobody sets was expanded in it

    [[nodiscard]] Gapped gapped() const;
    [[nodiscard]] static Field fromGapped(const Gapped &text, Span span);
    /// The rest of the word from `offset` on.
    [[nodiscard]] Field from(std::size_t offset) const;
};

/// Whether `part` is this word or its end. Words of a text that came out of one word all have its span, so that it
/// takes the bytes and the unknown places too.
[[nodiscard]] bool isEndOf(const Value &word, const Value &part);

} // namespace portcullis::shell
