// SPDX-License-Identifier: Apache-2.0
#pragma once

// Process starts in command languages that go by lines (sed, make, ed, vim, database clients), and in languages without
// a reader of their own.

#include "runner/shell/foreign_code.h"

namespace portcullis::shell {

void lineStarts(std::string_view language, std::string_view code, std::vector<ProcessStart> &out);

/// Whether only `looseStarts` reads this language.
[[nodiscard]] bool looseLanguage(std::string_view language);
/// Calls by names that start processes in most languages, followed by string literals. Text in strings is no call.
void looseStarts(std::string_view language, std::string_view code, std::vector<ProcessStart> &out);

} // namespace portcullis::shell
