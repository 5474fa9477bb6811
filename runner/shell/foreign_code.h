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
    /// Where the line or the words are when the code does not have them.
    enum class From {
        Code,
        Argument, ///< the argument `index` behind the code is the line
        Arguments, ///< the arguments from `index` on are the words
        Input, ///< standard input, or the files that the program reads, have the lines
        Environment, ///< the variable `name` is the line
        Unknown,
    };
    From from = From::Code;
    std::size_t index = 0;
    std::string name;
    Gapped text; ///< a line for a shell, or
    std::vector<Gapped> words; ///< a program with its arguments
    bool code = false; ///< `text` is no command line but code of the same language
    bool unknownInput = false; ///< runs something that is not in the code (sed's `s/…/…/e`)
};

/// `given`: variables of the program that are set from outside (`awk -v`).
[[nodiscard]] std::vector<ProcessStart> processStarts(std::string_view language, std::string_view code,
                                                      std::span<const std::pair<std::string, std::string>> given = {});

} // namespace portcullis::shell
