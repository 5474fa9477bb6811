// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace portcullis::audit {

/// A file by device and inode: it stays the same when the file is written, and changes when another takes its path.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    friend bool operator==(const FileIdentity &, const FileIdentity &) = default;
};

/// Of what stands at the path now, links followed; nothing where it cannot be looked at. stat(2): opens nothing, so it
/// drops none of SQLite's POSIX locks.
[[nodiscard]] std::optional<FileIdentity> identityOf(const std::string &path);

/// The database with its log and the log's index. While a connection is open none of the three is ever replaced by
/// SQLite (sqlite.org/walformat.html), so a change means that somebody has moved or removed them: what the connection
/// writes is then seen by nobody else.
struct RecordIdentity {
    std::optional<FileIdentity> database;
    std::optional<FileIdentity> log;
    std::optional<FileIdentity> index;
    friend bool operator==(const RecordIdentity &, const RecordIdentity &) = default;
};

[[nodiscard]] RecordIdentity recordIdentityOf(const std::string &path);

} // namespace portcullis::audit
