// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::rules {

/// A word with open places: unknown stretches and active shell globs, as cells that a glob can be compared with.
struct OpenText {
    using Cell = std::uint16_t;
    static constexpr Cell gap = 256; ///< any bytes, even none, even `/`
    static constexpr Cell anyRun = 257; ///< an active `*`: any bytes except `/`
    static constexpr Cell anyOne = 258; ///< an active `?`
    static constexpr Cell firstClass = 259; ///< an active `[…]`: firstClass + index into `classes`

    std::vector<Cell> cells;
    std::vector<std::bitset<256>> classes;

    [[nodiscard]] static OpenText of(const shell::Value &value);
    [[nodiscard]] bool endsWith(char byte) const;
};

/// Reads a bracket expression that starts at `text[open] == '['`. Returns the offset past its `]`, or nothing when it
/// is not closed (then `[` is an ordinary byte).
[[nodiscard]] std::optional<std::size_t> readBracket(std::string_view text, std::size_t open, std::bitset<256> &bytes);

/// `value.text[from, to)` with the gaps and globs that belong to it.
[[nodiscard]] shell::Value slice(const shell::Value &value, std::size_t from, std::size_t to);

/// The text with each gap shown as the byte 0x1A, which stands for "something unknown" in rules of kind text.
[[nodiscard]] std::string shownText(const shell::Value &value);
inline constexpr char unknownMark = '\x1A';

/// An absolute, lexically normalised path. `open` is set when the word has gaps or globs or the directory is unknown.
struct PathText {
    std::string plain;
    std::optional<OpenText> open;
};

/// Whether the path lies below a directory whatever its globs stand for. Links are not followed.
[[nodiscard]] bool liesBelow(const PathText &path, std::string_view directory);

/// Resolves a word against the directory in which it stands, as `cd -L` would.
[[nodiscard]] PathText resolvePath(const shell::Value &value, const std::optional<std::string> &cwd);

} // namespace portcullis::rules
