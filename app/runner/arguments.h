// SPDX-License-Identifier: Apache-2.0
#pragma once

// The command line as a value. Words are raw bytes: a command may hold any bytes, so nothing goes through QString.

#include "runner/base/result.h"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::cli {

/// Exit codes of portcullis-runner (sysexits.h where one fits).
enum class Exit {
    Ok = 0,
    Findings = 1,
    Usage = 64,
    BadInput = 65,
    Unavailable = 69,
    Internal = 70,
    Confinement = 71,
    Record = 74,
    NeedsApproval = 75,
    Denied = 77,
    Configuration = 78,
    TimedOut = 124,
    Cancelled = 130,
};

[[nodiscard]] constexpr int code(Exit exit)
{
    return static_cast<int>(exit);
}

struct ArgumentError {
    enum class Code {
        UnknownOption,
        MissingValue,
        UnexpectedValue,
        RepeatedOption,
        NotForCommand,
        UnknownCommand,
        NoCommand
    };
    Code code = Code::UnknownOption;
    std::string word; ///< the word as given
    std::string command; ///< the command word, where known
    std::string hint; ///< nearest known name, or empty
};

/// A parsed command line.
struct Arguments {
    std::string command; ///< `exec`, `check`, `log`, …; empty with only --help or --version
    std::vector<std::string> operands; ///< words that are no options, after the command word
    std::map<std::string, std::string, std::less<>> options; ///< long name without dashes → value ("" for flags)
    bool hasSeparator = false; ///< `--` was given
    std::vector<std::string> rest; ///< everything after `--`

    [[nodiscard]] bool has(std::string_view option) const { return options.contains(option); }
    /// The option's value, or nothing when it was not given.
    [[nodiscard]] std::optional<std::string> value(std::string_view option) const;
};

/// Reads argv without the program name. Options stand before or after the command word, as `--name VALUE` or
/// `--name=VALUE`; nothing after `--` is an option. Single-dash words are operands (`log -tenant:acme`).
[[nodiscard]] Result<Arguments, ArgumentError> parseArguments(std::span<const std::string> words);

/// The command of `exec` and `check`: one word after `--` is a shell line, several are quoted and joined.
/// Nothing when it is missing or empty.
[[nodiscard]] std::optional<std::string> commandText(const Arguments &arguments);

/// Usage text of a command, or of the program for an empty name.
[[nodiscard]] std::string usage(std::string_view command, std::string_view subcommand = {});

} // namespace portcullis::cli
