// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

#include <vector>

namespace portcullis::rules {

/// The files that a text in another language writes, where it names them by a literal: `open('x', 'w')`,
/// `fs.writeFileSync(home + '/x')`, `print > "x"`, sed's `w x`. Parts that are no literal are gaps. It knows the usual
/// calls of a language and no more: what it misses is left to confinement.
[[nodiscard]] std::vector<shell::Value> filesWrittenBy(const shell::EmbeddedCode &code);

} // namespace portcullis::rules
