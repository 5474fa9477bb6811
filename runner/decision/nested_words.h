// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

#include <compare>
#include <cstddef>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// The words of programs that launchers start: what stands in a word of the launcher is judged where it is opened, and
/// not once more as a word of the launcher. The evaluation must outlive this.
class NestedWords
{
public:
    explicit NestedWords(const shell::Evaluation &evaluation);

    /// Whether words of programs behind `invocation` stand in this word of it.
    [[nodiscard]] bool standIn(std::size_t invocation, const shell::Value &word) const;

private:
    struct Word {
        Span span;
        std::string_view text;
        std::size_t invocation = 0;
        friend auto operator<=>(const Word &, const Word &) = default;
    };
    std::vector<Word> m_words; ///< sorted
};

} // namespace portcullis::decision
