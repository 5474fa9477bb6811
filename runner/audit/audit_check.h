// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_error.h"
#include "runner/base/result.h"

#include <cstdint>
#include <string>

namespace portcullis::audit {

enum class RecordHealth { Sound, Damaged, NotChecked };

/// The largest record that `checkRecord` reads through: a few seconds.
inline constexpr std::int64_t largestChecked = 512LL << 20;

/// Looks at every page of a record (sqlite.org/pragma.html#pragma_quick_check) unless it has more than `mostBytes`.
/// Takes no lock that a writer would wait for. Errors: that it cannot be read at all.
[[nodiscard]] Result<RecordHealth, AuditError> checkRecord(const std::string &path,
                                                           std::int64_t mostBytes = largestChecked);

} // namespace portcullis::audit
