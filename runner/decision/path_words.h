// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which words of well-known programs are paths, data, or directories for the words that follow.

#include "runner/shell/evaluation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// A local `file:` URL as a path, percent escapes decoded; nothing for any other text. RFC 8089.
[[nodiscard]] std::optional<std::string> localFileUrl(std::string_view text);

/// True for `scheme://host…` where the scheme is not `file`: names nothing on this machine.
[[nodiscard]] bool isRemoteUrl(std::string_view text);

/// For each argument, whether it is data for this program: a pattern of grep, a script of sed or jq, a message.
[[nodiscard]] std::vector<bool> dataArguments(const shell::Invocation &invocation);

/// True for programs that only print their arguments.
[[nodiscard]] bool printsArguments(const shell::Invocation &invocation);

/// Directories that the program enters before it looks at its other words (`tar -C`, `git -C`, `make -C`).
[[nodiscard]] std::vector<shell::Value> enteredDirectories(const shell::Invocation &invocation);

/// True for programs that take names or commands from standard input: xargs, cpio, tar, curl, sqlite3, …
[[nodiscard]] bool readsNamesFromInput(const shell::Invocation &invocation);

} // namespace portcullis::decision
