// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_error.h"
#include "runner/base/result.h"

#include <string>
#include <string_view>

namespace portcullis::audit {

/// Whether a user of this role shares the default place with a group (mode 0640) or keeps it to himself (0600). Pure.
[[nodiscard]] int auditFileMode(bool root, std::string_view path);

/// Makes the file (and its folder) where it is missing, with the right mode from its first moment, and says why a
/// writer could not work there: CannotOpen, ReadOnly, Full; or should not: NotTrusted, for a file that is neither ours
/// nor root's, or that group or others can write or replace.
[[nodiscard]] Result<void, AuditError> prepareForWriting(const std::string &path, std::string_view group);

/// What stands at a place that a reader wants to open.
struct ReadPlace {
    bool logExists = false; ///< there is a `-wal` file with content
    bool folderWritable = false;
};
/// Errors: CannotOpen with the errno.
[[nodiscard]] Result<ReadPlace, AuditError> lookForReading(const std::string &path);

} // namespace portcullis::audit
