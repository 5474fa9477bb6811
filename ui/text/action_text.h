// SPDX-License-Identifier: Apache-2.0
#pragma once

// Rows of the record that are no commands (a policy was edited, the record was pruned …) in words.

#include "runner/record/event.h"

#include <QString>

namespace portcullis::text {

/// What stands in the place of a verdict: `EDIT`, `PRUNE` …
[[nodiscard]] QString kindName(record::Kind kind);

/// Who did what, for which tenant and why, then the rest, in one line: `root added an exemption for acme: reviewed
/// (exemption "x", rule "y", until 2026-12-01T08:00:00Z)`. For a command that was run or refused: the command. All of
/// it on one line with visible tokens.
[[nodiscard]] QString actionWords(const record::Event &event);

} // namespace portcullis::text
