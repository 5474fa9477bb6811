// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/row_codec.h"
#include "runner/audit/writer_private.h"

namespace portcullis::audit {

// A condition that repeats that of a partial index lets the index be used.
std::vector<std::string> writerStatements()
{
    return {
        "BEGIN IMMEDIATE",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT request",
        "ROLLBACK TO request",
        "RELEASE request",
        insertEventSql(),
        insertDetailsSql(),
        "INSERT INTO outputs (row, out, err, out_dropped, err_dropped) VALUES (?, ?, ?, ?, ?)",
        "UPDATE events SET outcome = ?, exit_code = ?, signal = ?, started_us = ?, finished_us = ?, "
        "output_bytes = ?, dropped_bytes = ?, masked = masked OR ? "
        "WHERE row = ? AND outcome IN ('running', 'unfinished')",
        "UPDATE details SET error = ?, note = ? WHERE row = ?",
        "SELECT id FROM configurations WHERE digest = ?",
        "INSERT INTO configurations (digest, first_seen_us) VALUES (?, ?)",
        "INSERT INTO configurations (digest, canonical, first_seen_us) VALUES (?, ?, ?) "
        "ON CONFLICT (digest) DO UPDATE SET canonical = excluded.canonical WHERE canonical IS NULL",
        "INSERT INTO heartbeats (runner, config_digest, engine, role, time_us) "
        "VALUES (?, ?, ?, ?, ?) "
        "ON CONFLICT (runner) DO UPDATE SET config_digest = excluded.config_digest, engine = excluded.engine, "
        "role = excluded.role, time_us = excluded.time_us",
        "SELECT e.row, d.runner, e.id, e.time_us, "
        "coalesce(CASE WHEN json_valid(d.detail) THEN json_extract(d.detail, '$.limit_seconds') END, d.timeout_s, 0) "
        "FROM events e JOIN details d ON d.row = e.row "
        "WHERE e.outcome = 'running' AND e.outcome NOT IN ('exited', 'not_started')",
        "UPDATE events SET outcome = 'unfinished' WHERE row = ? AND outcome = 'running'",
        "SELECT count(*), max(row), min(time_us), max(time_us) FROM (SELECT row, time_us FROM events "
        "WHERE row < ? AND time_us < ? AND outcome <> 'running' ORDER BY row LIMIT ?)",
        "DELETE FROM outputs WHERE row IN (SELECT row FROM events WHERE row <= ? AND time_us < ? AND outcome <> "
        "'running')",
        "DELETE FROM details WHERE row IN (SELECT row FROM events WHERE row <= ? AND time_us < ? AND outcome <> "
        "'running')",
        "DELETE FROM events WHERE row <= ? AND time_us < ? AND outcome <> 'running'",
        "UPDATE details SET detail = ? WHERE row = ?",
    };
}

} // namespace portcullis::audit
