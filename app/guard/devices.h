// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis::guard {

/// The device nodes that every command may read and write.
inline constexpr const char *deviceNames[] = {"null", "zero", "full", "random", "urandom", "tty"};

} // namespace portcullis::guard
