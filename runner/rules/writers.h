// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which option or operand of which program names a file that the program writes.

#include "runner/rules/program_options.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace portcullis::rules {

enum class WriterOperands {
    None,
    First,
    All,
    Last,
    Into ///< as cp does: the last one, or files inside it that are named as the others
};

/// One way in which a program writes, as far as that shows in its arguments. Lists of options have each followed by a
/// space.
struct Writer {
    std::string_view program{};
    /// It writes so under these subcommands, with `|` between them: `clone|worktree add`. Operands are those behind it.
    /// Empty: always.
    std::string_view subcommands{};
    WriterOperands operands = WriterOperands::None;
    std::string_view options{}; ///< the value is a file
    std::string_view folders{}; ///< the value is a folder, in which files get names that do not show
    std::string_view prefixes{}; ///< the value is how the names of the files begin
    std::string_view base{}; ///< the value is the folder in which relative values of `options` lie
    std::string_view operandPrefix{}; ///< an operand that starts so names a written file (`of=`)
    std::string_view onlyWith{}; ///< the operands are written only with one of these options
    std::string_view notWith{}; ///< the operands are not written with one of these options
    std::string_view never{}; ///< nothing is written with one of these options
    std::string_view variables{}; ///< set for it, the variable names such a folder
    std::uint8_t leastOperands = 0; ///< nothing is written with fewer
};

[[nodiscard]] std::span<const Writer> allWriters(); ///< sorted by program
/// The ways of a program; nothing is known of most programs.
[[nodiscard]] std::span<const Writer> writersOf(std::string_view program);

/// The words of an invocation that name files which it writes, other than by redirection: of its table, of archivers
/// and downloaders (unpackedFiles()), and of what sqlite3 is told. A name that does not show is a gap.
[[nodiscard]] std::vector<shell::Value> writtenWords(const shell::Invocation &invocation,
                                                     const shell::SplitArguments &split);
/// With the arguments as the program takes them.
[[nodiscard]] std::vector<shell::Value> writtenWords(const shell::Invocation &invocation);

} // namespace portcullis::rules
