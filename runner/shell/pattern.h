// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shell patterns: POSIX.1-2024, Shell Command Language 2.14.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace portcullis::shell {

/// A pattern of which each byte is either active or literal.
struct Pattern {
    std::string text;
    std::string literal; ///< per byte of `text`: 'q' when quoted, else anything

    void add(char byte, bool quoted);
    [[nodiscard]] bool active(std::size_t i) const { return literal[i] != 'q'; }
    [[nodiscard]] bool isLiteral() const;
};

/// Whether the whole text matches. `steps` is lowered by the work done; at 0 the answer is nothing.
[[nodiscard]] std::optional<bool> matches(const Pattern &pattern, std::string_view text, std::int64_t &steps);

} // namespace portcullis::shell
