// SPDX-License-Identifier: Apache-2.0
#pragma once

// The tables of the record and how older files become newer ones. Only for this folder.
//
// `events` holds what lists and filters need and stays narrow, because a text search reads all of it; what only one
// event at a time needs is in `details`, outputs are in `outputs`, each with the same `row`.

#include "runner/audit/connection.h"

#include <span>
#include <string_view>

namespace portcullis::audit {

/// "PTCS" in the file's header (`PRAGMA application_id`): a database of something else is not touched.
inline constexpr std::int64_t applicationId = 0x50544353;

/// One step of the schema: statements that lead from the version before to this one.
struct Migration {
    int version;
    std::span<const std::string_view> statements;
};

/// All steps, ascending from 1. A step that has been released is never changed.
[[nodiscard]] std::span<const Migration> migrations();
[[nodiscard]] int schemaVersion();
/// An archive that nobody may write to stays as old as it is: readers know these versions too.
inline constexpr int oldestReadable = 1;
/// The version since which `events` says which commands hide words.
inline constexpr int respelledSince = 2;

/// Brings an open, writable database to the newest version in one transaction per step. Safe when several processes do
/// it at once. Errors: NewerVersion, NotARecord, and those of SQLite.
[[nodiscard]] Result<void, AuditError> migrate(const Connection &connection, std::span<const Migration> steps);

/// Whether a writer may change this file: it is new, or ours and not newer. Errors: NewerVersion, NotARecord.
[[nodiscard]] Result<void, AuditError> checkWritable(const Connection &connection);
/// Whether a reader understands this file. Errors: NewerVersion, NotARecord.
[[nodiscard]] Result<void, AuditError> checkReadable(const Connection &connection);

} // namespace portcullis::audit
