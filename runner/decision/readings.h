// SPDX-License-Identifier: Apache-2.0
#pragma once

// Additional readings of a command: what a person, or a program that folds Unicode, might see in it. The raw bytes are
// what runs and what is read first; these readings may refuse, never allow.

#include "runner/base/span.h"
#include "runner/shell/evaluation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// A text made from the raw command, with the way back.
struct DerivedText {
    std::string text;
    std::vector<std::uint32_t>
        origin; ///< per byte of `text` the raw offset of the character it came from; one more at the end

    /// The raw bytes that a span of `text` came from.
    [[nodiscard]] Span rawSpan(Span span) const;
    [[nodiscard]] std::vector<Span> rawSpans(const std::vector<Span> &spans) const;
};

/// NFKC: compatibility characters become plain ones (full-width `；` → `;`). Unicode Standard Annex 15.
[[nodiscard]] DerivedText foldCompatibility(std::string_view raw);

/// Without U+200B, U+200C, U+200D, U+2060 and U+FEFF.
[[nodiscard]] DerivedText removeZeroWidth(std::string_view raw);

/// The distinct texts that differ from `raw`: folded, without zero-width characters, both. Empty for ASCII.
[[nodiscard]] std::vector<DerivedText> additionalTexts(std::string_view raw);

/// True when two readings would start different programs, or the same ones with other options or redirections. Words
/// that differ only as data (a message with a ligature) do not count.
[[nodiscard]] bool readingsDiffer(const shell::Evaluation &raw, const shell::Evaluation &other);

} // namespace portcullis::decision
