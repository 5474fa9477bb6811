// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"

#include <string>

namespace portcullis::audit {

/// Why the record cannot be used. Words are made in `ui/text`.
struct AuditError {
    enum class Code {
        CannotOpen, ///< missing, no permission, no folder, not a file
        Locked, ///< another process held the lock longer than the busy time
        Full, ///< no room on the device, or the reserve for outcomes is used up
        ReadOnly, ///< the file or its folder cannot be written
        NewerVersion, ///< written by a newer program: `version` says which schema
        Corrupt, ///< damaged
        NotARecord, ///< no database at all, or that of another program
        NotFound, ///< no such row
        Ambiguous, ///< a short id fits several rows
        Io, ///< the device failed
        Refused, ///< the row itself is not acceptable, e.g. its id is taken
        Replaced, ///< the file was moved, removed or replaced while it was open: what is written reaches nobody
        NotTrusted, ///< somebody else can change the file, or put another in its place: owner or modes
        Stopped, ///< the caller's stop flag was set, or the thread is shutting down
    };
    Code code = Code::Io;
    std::string step; ///< what was done: `open`, `migrate`, `begin`, `finish`, `append`, `page`, …
    std::string path; ///< of the database
    int sqlite = 0; ///< extended SQLite result code (sqlite.org/rescode.html), 0 if none
    int systemErrno = 0; ///< where a system call failed
    int version = 0; ///< schema version of the file, with NewerVersion

    friend bool operator==(const AuditError &, const AuditError &) = default;
};

} // namespace portcullis::audit

namespace portcullis {
template <>
struct Names<audit::AuditError::Code> {
    static constexpr std::array<std::string_view, 14> all{
        "cannot_open", "locked",    "full", "read_only", "newer_version", "corrupt",     "not_a_record",
        "not_found",   "ambiguous", "io",   "refused",   "replaced",      "not_trusted", "stopped"};
};
} // namespace portcullis
