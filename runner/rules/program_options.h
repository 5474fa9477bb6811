// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/option_table.h"

#include <span>
#include <string>
#include <string_view>

namespace portcullis::rules {

/// How a program takes its options: what shell::optionTable() knows, and that those with which it writes take a value.
[[nodiscard]] const shell::OptionTable &programOptions(std::string_view program);

/// Adds options that take a value. `letters` keeps what the table then points to; it and the bytes of `options` must
/// outlive the table.
void addValueOptions(shell::OptionTable &table, std::span<const std::string_view> options, std::string &letters);
/// Whether the table says that this option takes a value.
[[nodiscard]] bool takesValue(const shell::OptionTable &table, std::string_view option);

/// The arguments as the program takes them; behind a subcommand with that subcommand's options.
[[nodiscard]] shell::SplitArguments splitAsProgram(std::string_view program, std::span<const shell::Value> args);
/// With a table of its own, and more options that take a value behind a subcommand.
[[nodiscard]] shell::SplitArguments splitWith(std::string_view program, const shell::OptionTable &table,
                                              std::span<const std::string> valueOptions,
                                              std::span<const shell::Value> args);

} // namespace portcullis::rules
