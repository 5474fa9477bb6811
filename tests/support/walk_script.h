// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/ast.h"

#include <string>
#include <vector>

namespace portcullis::test {

/// Every command below a script, those inside of words, here-documents, arithmetic and patterns too, in source order.
/// The pointers live as long as the script.
[[nodiscard]] std::vector<const shell::Command *> allCommands(const shell::Script &script);

/// The literal command words of the simple commands in `allCommands`; words with expansions are left out.
[[nodiscard]] std::vector<std::string> callWords(const shell::Script &script);

/// The text of a word without expansions; with any expansion, nothing but what stands around them.
[[nodiscard]] std::string literalText(const shell::Word &word);

} // namespace portcullis::test
