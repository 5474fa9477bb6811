// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/option_table.h"

#include <string_view>

namespace portcullis::rules {

/// The options behind the subcommand of a program such as git or docker, whose own options end there; null for others.
[[nodiscard]] const shell::OptionTable *subcommandOptions(std::string_view program);

/// How many of a program's first operands are text rather than file names: 0, 1 (a pattern, a script), or all.
enum class DataOperands { None, First, All };
[[nodiscard]] DataOperands dataOperands(std::string_view program, const shell::SplitArguments &split);

/// Whether the value of this option is text for the program: a message, a pattern, a header.
[[nodiscard]] bool takesData(std::string_view program, std::string_view option);

/// Where a program writes, as far as that shows in its arguments.
enum class WriterOperands { None, First, All, Last };
struct Writer {
    std::string_view program;
    WriterOperands operands = WriterOperands::None;
    std::string_view options; ///< options whose value is written to, each followed by a space
    std::string_view operandPrefix; ///< an operand that starts so names a written file (`of=`)
    std::string_view onlyWith; ///< the operands are written only with one of these options
};
/// Nothing is known of most programs.
[[nodiscard]] const Writer *writer(std::string_view program);
/// Whether a list of options, each followed by a space, has this one.
[[nodiscard]] bool listsOption(std::string_view options, std::string_view name);
/// Whether an option of such a list is given.
[[nodiscard]] bool givesOption(const shell::SplitArguments &split, std::string_view options);

} // namespace portcullis::rules
