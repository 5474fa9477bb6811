// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis::guard {

/// Tries one break-out by name, from inside whatever the caller put around us: `--attempt NAME [ARGUMENT]`.
/// Prints `NAME refused ERRNO` or `NAME succeeded 0`; the result is the exit code: 0 refused, 1 succeeded, 64 unknown.
/// Nothing that succeeds does harm beyond the file or process that is named.
int runAttempt(const char *name, const char *argument);

} // namespace portcullis::guard
