// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/option_table.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::rules {

/// Whether the given option is the one that the rule names, also abbreviated where no table completes it.
[[nodiscard]] bool isOption(std::string_view program, std::string_view given, std::string_view wanted);

/// Whether one of these switches is on when the program starts: `--x`, `--no-x` and `--x=false` override each other,
/// the last one holds. A word that says no behind the option counts as its value, since some option readers take it so
/// (nopt of npm).
[[nodiscard]] bool inForce(std::string_view program, std::span<const std::string> names,
                           const shell::SplitArguments &split, std::span<const shell::Value> args);

} // namespace portcullis::rules
