// SPDX-License-Identifier: Apache-2.0
#pragma once

// Process starts whose line is not in the code: `system @ARGV`, `subprocess.run(sys.argv[1:])`, `system($0)`,
// `ENVIRON["c"]`, a variable; and texts that code evaluates as code.

#include "runner/shell/foreign_code.h"
#include "runner/shell/foreign_literals.h"

#include <cstddef>
#include <string_view>
#include <vector>

namespace portcullis::shell {

/// What the arguments at `first` of a call of `name` at `begin` are when they are no literal; none when they are, or
/// when a call of that name starts a process only with a literal: `app.run(x)`.
[[nodiscard]] std::vector<ProcessStart> outsideStarts(std::string_view language, std::string_view code,
                                                      std::size_t begin, std::string_view name, std::size_t first);

/// Adds the texts that `eval "…"`, `exec("…")` and `timeit("…")` run.
void evaluatedTexts(std::string_view language, std::string_view code, const Constants &constants,
                    std::vector<ProcessStart> &out);

} // namespace portcullis::shell
