// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/nested_words.h"

#include <algorithm>

namespace portcullis::decision {

NestedWords::NestedWords(const shell::Evaluation &evaluation)
{
    for (std::size_t i = 0; i < evaluation.invocations.size(); ++i) {
        const shell::Invocation &invocation = evaluation.invocations[i];
        if (invocation.via.empty() || invocation.guessed)
            continue;
        m_words.push_back({invocation.program.span, invocation.program.text, i});
        for (const shell::Value &value : invocation.args)
            m_words.push_back({value.span, value.text, i});
    }
    std::ranges::sort(m_words);
}

/// Programs stand behind their launchers. Words of a text that came out of one word all have its span: of these only
/// the same word counts.
bool NestedWords::standIn(std::size_t invocation, const shell::Value &word) const
{
    const auto inside = [&](auto at) { return at != m_words.end() && at->span.end() <= word.span.end(); };
    const auto first = std::ranges::lower_bound(m_words, Word{{word.span.start, 0}, {}, 0});
    if (inside(first) && first->span != word.span)
        return true;
    const auto same = std::ranges::lower_bound(m_words, Word{word.span, word.text, invocation + 1});
    if (same != m_words.end() && same->span == word.span && same->text == word.text)
        return true;
    return inside(std::ranges::upper_bound(m_words, word.span, {}, &Word::span));
}

} // namespace portcullis::decision
