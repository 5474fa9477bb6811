// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/ast.h"

#include <string>

namespace portcullis::test {

/// A tree of the shell reader on one line, for comparisons that people read.
///
/// `a && b; c &` → `and(a, b); bg(c)`. Text is bare, quoted text in '…'; $x, ${x:-y}, $(…), <(…), >(…), $((…)), pattern
/// lists as `glob[…]`; redirections as `>{target}`, here-documents as `<<{delimiter|body}`.
[[nodiscard]] std::string describe(const shell::Script &script);
[[nodiscard]] std::string describe(const shell::Word &word);
[[nodiscard]] std::string describe(const shell::Command &command);

} // namespace portcullis::test
