// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

#include <span>
#include <string_view>
#include <vector>

namespace portcullis::shell {

/// An option as it was given, after splitting clusters (`-rf` → `-r`, `-f`) and `--name=value`.
struct GivenOption {
    std::string name; ///< `-r`, `--recursive` (an unambiguous prefix is completed when a table knows it)
    std::optional<Value> value; ///< the value glued or following
    Span span;
};

/// Arguments split into options and operands.
struct SplitArguments {
    std::vector<GivenOption> options;
    std::vector<Value> operands;
    /// Index into the arguments of the first operand, or their count.
    std::size_t firstOperand = 0;
    bool unknownWord = false; ///< a word with a gap stood where an option could stand
};

/// How one program takes its options. Short options with a value: letters in `shortWithValue`. Long ones:
/// `longWithValue`.
struct OptionTable {
    std::string_view program{};
    std::string_view shortWithValue{};
    std::vector<std::string_view> longWithValue{}; ///< without the dashes
    std::vector<std::string_view> longFlags{}; ///< without the dashes; for completing abbreviations
    std::string_view shortOptionalValue{}; ///< letters whose value is taken only when glued: `sed -i.bak`
    bool stopAtOperand = false; ///< launchers: the first operand ends the options
    /// find, java, openssl, kill: `-name value`; never split into letters. Names with a value are in `longWithValue`.
    bool singleDashLong = false;
    std::vector<std::string_view> spelledWithValue{}; ///< more that take a value, with their dashes: `-c`, `-exec`
    bool firstWordCluster = false; ///< tar: the first word is a cluster even without its dash (`tar xf a.tar`)
};

/// The table for a program, or an empty default table (GNU style, permuting, no known option takes a value).
[[nodiscard]] const OptionTable &optionTable(std::string_view program);

/// Splits the arguments as the program's own option reader would. Ignores order and clustering.
[[nodiscard]] SplitArguments splitArguments(const OptionTable &table, std::span<const Value> args);

/// Whether a list of options, each followed by a space, has this one.
[[nodiscard]] bool listsOption(std::string_view options, std::string_view name);

} // namespace portcullis::shell
