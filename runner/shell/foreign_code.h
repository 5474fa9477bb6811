// SPDX-License-Identifier: Apache-2.0
#pragma once

// Process starts in code of other languages, as far as they are literal: os.system('…'), subprocess.run(['…']),
// child_process.exec('…'), awk's system("…"), sed's `e`, vim's `:!`. No parser: calls are found by name; in a comment
// or string they count too, except where code_literals.h is certain that these stay data. Linear in the text.

#include "runner/shell/gapped.h"

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::shell {

/// More process starts in one text are not followed: a text with so many is not read to its end.
inline constexpr std::size_t mostStarts = 256;

struct ProcessStart {
    Gapped text; ///< a line for a shell, or
    std::vector<std::string> words; ///< a program with its arguments
    bool unknownInput = false; ///< runs something that is not in the code (sed's `s/…/…/e`)
};

/// `given`: variables of the program that are set from outside (`awk -v`).
[[nodiscard]] std::vector<ProcessStart> processStarts(std::string_view language, std::string_view code,
                                                      std::span<const std::pair<std::string, std::string>> given = {});

} // namespace portcullis::shell
