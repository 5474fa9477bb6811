// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which words of well-known programs are paths, data, or directories for the words that follow.

#include "runner/shell/evaluation.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace portcullis::decision {

/// For each argument, whether it is data for this program: a pattern of grep, a script of sed or jq, a message.
[[nodiscard]] std::vector<bool> dataArguments(const shell::Invocation &invocation);

/// True for programs that only print their arguments.
[[nodiscard]] bool printsArguments(const shell::Invocation &invocation);

/// Directories that the program enters before it looks at its other words (`tar -C`, `git -C`, `make -C`).
[[nodiscard]] std::vector<shell::Value> enteredDirectories(const shell::Invocation &invocation);

/// True for programs that take names or commands from standard input: xargs, cpio, tar, curl, sqlite3, …
[[nodiscard]] bool readsNamesFromInput(const shell::Invocation &invocation);

/// Directories from which one word is looked at; beyond that it counts as standing in an unknown one.
inline constexpr std::size_t mostDirectories = 16;

/// Where what stands in no single program may be looked at. Bounded: with more, from one that is not known.
[[nodiscard]] std::vector<std::optional<std::string>> allDirectories(const shell::Evaluation &evaluation,
                                                                     const std::string &cwd);

} // namespace portcullis::decision
