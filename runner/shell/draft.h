// SPDX-License-Identifier: Apache-2.0
#pragma once

// A word between parameter expansion and field splitting: every byte remembers where it came from.

#include "runner/shell/gapped.h"

#include <string>
#include <string_view>
#include <vector>

namespace portcullis::shell {

enum class Mark : char {
    Quoted = 'q', ///< never split, never a pattern
    Literal = 'l', ///< written unquoted: braces, tilde and globs are active
    Expanded = 'e', ///< from an unquoted expansion: split and globbed
    Found = 'f', ///< from a word that globbing found: a pattern, even inside quotes, but never split
    Break = 'b' ///< an end of field that is no byte ("$@")
};

struct Draft {
    std::string text;
    std::string marks; ///< a Mark for each byte of `text`
    std::vector<Gap> gaps;
    bool quoted = false; ///< a quoted piece stood in it, so it is a field even when empty
    bool bare = false; ///< some piece was not quoted
    bool usesUnset = false;

    void add(std::string_view bytes, Mark mark);
    void add(const Gapped &value, Mark mark);
    void addBreak();
    [[nodiscard]] Mark mark(std::size_t i) const { return static_cast<Mark>(marks[i]); }
    void append(const Draft &other);
    [[nodiscard]] Draft slice(std::size_t start, std::size_t end) const;
    /// As one value; ends of fields become spaces.
    [[nodiscard]] Gapped gapped() const;
};

/// Brace expansion of bytes marked Literal: bash manual, 3.5.1. False when it would make more than `limit` bytes.
[[nodiscard]] bool expandBraces(const Draft &draft, std::size_t limit, std::vector<Draft> &out);

/// Field splitting with these separators, then quote removal.
void splitFields(const Draft &draft, std::string_view separators, Span span, std::vector<Field> &out);
/// The whole draft as one field.
[[nodiscard]] Field wholeField(const Draft &draft, Span span);

} // namespace portcullis::shell
