// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sys/types.h>

namespace portcullis::guard {

/// Sends a signal to every descendant. As a subreaper we are an ancestor of whatever a double fork leaves.
void signalTree(int number);

/// Stops, then kills every descendant. The caller reaps.
void killTree();

/// How many tasks a user has on this machine.
[[nodiscard]] std::uint64_t tasksOf(uid_t uid);

} // namespace portcullis::guard
