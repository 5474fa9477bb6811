// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events for other programs: one JSON object or one CSV line each. Names are those of the filter language where it has
// the field.

#include "runner/record/event.h"

#include <optional>
#include <string>
#include <string_view>

namespace portcullis::record {

/// One line without its newline, safe to look at in a terminal: everything that is not plainly visible is escaped.
///
/// Times are RFC 3339 in UTC with microseconds, or null; `took_us` is a number; `check`, `group`, `rule`, `exit` and
/// `signal` are null where nothing applies. `command_base64` stands beside a `command` that is not UTF-8 (where the
/// text has U+FFFD); other texts that are not UTF-8 lose those bytes. Blockers, trace, host facts and detail are JSON
/// values.
[[nodiscard]] std::string toJson(const Event &event);

/// The way back; nothing when it is no JSON object, has no id, kind, time or verdict, has a word or time that this
/// version does not know, or masks outside of its command. Unknown keys are ignored.
[[nodiscard]] std::optional<Event> eventFromJson(std::string_view line);

/// The names of the CSV columns, one line without its newline.
[[nodiscard]] std::string csvHeader();
/// One line without its newline (RFC 4180). Text cells are escaped as in JSON, so that a row is always one line; a cell
/// that a spreadsheet would take for a formula begins with an apostrophe.
[[nodiscard]] std::string toCsv(const Event &event);

/// UTC with microseconds: `2026-10-03T08:31:02.123456Z`.
[[nodiscard]] std::string rfc3339(std::int64_t timeUs);
/// The way back, for any number of digits of a second's fraction; UTC only.
[[nodiscard]] std::optional<std::int64_t> fromRfc3339(std::string_view text);

} // namespace portcullis::record
