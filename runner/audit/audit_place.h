// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_error.h"
#include "runner/base/result.h"

#include <string>
#include <string_view>

namespace portcullis::audit {

/// The default place of the record: `/var/lib/portcullis/audit.db` for root, else below the user's state folder.
/// `xdgStateHome` that is empty or not absolute counts as not set (XDG base directory specification). Pure.
[[nodiscard]] std::string defaultAuditPath(bool root, std::string_view xdgStateHome, std::string_view home);

/// Whether a user of this role shares the default place with a group (mode 0640) or keeps it to himself (0600). Pure.
[[nodiscard]] int auditFileMode(bool root, std::string_view path);

/// Makes the file (and its folder) where it is missing, with the right mode from its first moment, and says why a
/// writer could not work there: CannotOpen, ReadOnly, Full.
[[nodiscard]] Result<void, AuditError> prepareForWriting(const std::string &path, std::string_view group);

/// What stands at a place that a reader wants to open.
struct ReadPlace {
    bool logExists = false; ///< there is a `-wal` file with content
    bool folderWritable = false;
};
/// Errors: CannotOpen with the errno.
[[nodiscard]] Result<ReadPlace, AuditError> lookForReading(const std::string &path);

} // namespace portcullis::audit
