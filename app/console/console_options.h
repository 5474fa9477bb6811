// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"

#include <span>
#include <string>

namespace portcullis::console {

/// The console's own options; Qt has taken its own out before.
struct ConsoleOptions {
    std::string config;
    std::string policies;
    std::string dataDir;
    std::string auditDb;
    bool readOnly = false;
};

struct OptionError {
    enum class Code { Unknown, NoValue, UnexpectedValue, Repeated, NotAnOption };
    Code code = Code::Unknown;
    std::string word;
};

/// Reads the words after the program's name: `--name VALUE` or `--name=VALUE`.
[[nodiscard]] Result<ConsoleOptions, OptionError> parseOptions(std::span<const std::string> words);

/// What is wrong, as one line for standard error.
[[nodiscard]] std::string describe(const OptionError &error);

[[nodiscard]] std::string usage();

} // namespace portcullis::console
