// SPDX-License-Identifier: Apache-2.0
#pragma once

// Replays in words.

#include "runner/replay/replay.h"

#include <QString>

namespace portcullis::text {

/// Why a command could not be decided again, short: "masked", "tenant gone".
[[nodiscard]] QString obstacleName(replay::Obstacle obstacle);
/// The same as a sentence that says what would help.
[[nodiscard]] QString obstacleSentence(replay::Obstacle obstacle);

/// What decided on one side: the rule's title or the reason's, with group or rule id; empty when allowed.
[[nodiscard]] QString sideReason(const replay::Side &side);

/// `deny→allow`, or `deny` where the verdict is the same.
[[nodiscard]] QString changeWords(const replay::Row &row);

/// `57 replayed: 41 unchanged · 9 loosened · 0 tightened · 5 other reason · 2 not replayable (masked 1, tenant gone 1)`
[[nodiscard]] QString totalsLine(const replay::Totals &totals);

/// Verdicts before (lines) and after (columns) as a table with a newline after each line.
[[nodiscard]] QString matrixLines(const replay::Totals &totals);

} // namespace portcullis::text
