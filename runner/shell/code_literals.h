// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which bytes of a program text are data: an edit script that replaces `os.system('rm -rf build')` in a file does not
// call it.

#include "runner/base/span.h"

#include <string_view>
#include <vector>

namespace portcullis::shell {

/// The insides of string literals, and comments, ascending and disjoint, as offsets into `code`. Python and JavaScript
/// (language `node`) only. Empty where it is not certain that they stay data: the text names something that can run
/// text (exec, eval, subprocess, …), or has what this reader does not follow (a regular expression of JavaScript, a
/// formatted string, an identifier that is not ASCII). Linear in the text.
[[nodiscard]] std::vector<Span> inertLiterals(std::string_view language, std::string_view code);

/// Whether one of `literals` has the whole of `length` bytes at `start`.
[[nodiscard]] bool insideLiteral(const std::vector<Span> &literals, std::size_t start, std::size_t length);

} // namespace portcullis::shell
