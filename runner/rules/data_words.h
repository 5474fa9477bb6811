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

using shell::listsOption;
/// Whether an option of such a list is given.
[[nodiscard]] bool givesOption(const shell::SplitArguments &split, std::string_view options);

} // namespace portcullis::rules
