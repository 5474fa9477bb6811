// SPDX-License-Identifier: Apache-2.0
#pragma once

// Events to rows and back. Only for this folder.

#include "runner/audit/connection.h"
#include "runner/record/event.h"

#include <optional>
#include <string>

namespace portcullis::audit {

/// `INSERT INTO events …`, `INSERT INTO details …`: values as bound by the functions below.
[[nodiscard]] std::string insertEventSql();
[[nodiscard]] std::string insertDetailsSql();
void bindEvent(Statement &statement, const record::Event &event, std::optional<std::int64_t> configuration);
void bindDetails(Statement &statement, std::int64_t row, const record::Event &event);

/// Columns of a list row: `SELECT <these> FROM <tables>`, read by `readListRow`.
[[nodiscard]] std::string listColumns();
/// Columns of a row that is decided again: of a list row, with its host facts. Read by `readDecisionRow`.
[[nodiscard]] std::string decisionColumns();
/// Columns of a whole event.
[[nodiscard]] std::string wholeColumns();
/// Tables for both, with the aliases e (events), d (details) and c (configurations).
inline constexpr std::string_view eventTables =
    "events e LEFT JOIN details d ON d.row = e.row LEFT JOIN configurations c ON c.id = e.config";
[[nodiscard]] record::Event readListRow(const Statement &statement);
[[nodiscard]] record::Event readDecisionRow(const Statement &statement);
[[nodiscard]] record::Event readWholeRow(const Statement &statement);

} // namespace portcullis::audit
