// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace portcullis::shell {

/// Whether a module is part of what the language itself brings, or data. `language` as in EmbeddedCode.
[[nodiscard]] bool isOwnModule(std::string_view language, std::string_view module);

/// Whether code loads other code that neither it nor the language's own library holds: a module of the project or of a
/// package (`import x`, `require './x'`, `use X`), or a file (`do 'x.pl'`, `include 'x.php'`). Words of texts and
/// comments are taken for code where a line or statement begins with them.
[[nodiscard]] bool loadsOtherCode(std::string_view language, std::string_view code);

} // namespace portcullis::shell
