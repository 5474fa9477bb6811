// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/evaluation.h"

#include <QString>

#include <string_view>

namespace portcullis::test {

/// Where tests evaluate: cwd `/srv/w`, HOME `/srv/w`, a PATH, nothing else.
[[nodiscard]] shell::EvaluationContext testContext(Dialect dialect = Dialect::Bash);
[[nodiscard]] shell::Evaluation evaluated(std::string_view text, Dialect dialect = Dialect::Bash);

/// A value with unknown stretches as `<?>`; empty or with blanks in quotes.
[[nodiscard]] QString describe(const shell::Value &value);
/// `name arg arg; name arg`: what would be started, in order, each once; a guess has a `~` before it.
[[nodiscard]] QString programs(const shell::Evaluation &evaluation);
/// `curl -> sh code; cat -> grep; <file -> curl argument`: flows by program name, sorted, each once.
[[nodiscard]] QString flows(const shell::Evaluation &evaluation);
/// `program loop`: reasons of the dynamic notes, sorted, each once.
[[nodiscard]] QString reasons(const shell::Evaluation &evaluation);
[[nodiscard]] bool has(const shell::Evaluation &evaluation, shell::Construct construct);
/// Whether a program with this name would be started.
[[nodiscard]] bool starts(const shell::Evaluation &evaluation, std::string_view name);

} // namespace portcullis::test
