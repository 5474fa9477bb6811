// SPDX-License-Identifier: Apache-2.0
#pragma once

// Recorded events in words, for a terminal. Text of others is shown with visible tokens.

#include "runner/record/event.h"

#include <QString>

#include <cstddef>

namespace portcullis::text {

/// `exit 0`, `not run`, `failed to start`, `timed out` …
[[nodiscard]] QString outcomeWords(const record::Event &event);

/// What decided, as a person calls it: the rule's title, or that of the check.
[[nodiscard]] QString decidedByWords(const record::Event &event);

/// One line without its end: local time, short id, tenant, agent, verdict, where, result, decided by, command. A long
/// command shows its beginning and its end, and how much is between. On a terminal that is too narrow for that
/// (`columns` characters; 0: no terminal) two lines, of which the second has where, decided by and command.
[[nodiscard]] QString eventLine(const record::Event &event, std::size_t columns = 0);

/// A moment in the local zone, to the second: `2026-10-03 08:31:02`.
[[nodiscard]] QString localTimeText(std::int64_t timeUs);

/// The names of the columns of eventLine().
[[nodiscard]] QString eventLineHeader(std::size_t columns = 0);

/// Everything that the record keeps of one event: what `log show` prints. Ends with a newline.
[[nodiscard]] QString eventForTerminal(const record::Event &event, const record::Output &output);

/// Seconds that local time is ahead of UTC at a UTC moment in microseconds: for `record::FilterClock`.
[[nodiscard]] std::int32_t localOffset(std::int64_t utcUs);

} // namespace portcullis::text
