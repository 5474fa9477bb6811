// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>
#include <vector>

namespace portcullis::guard {

/// Every process below this one.
[[nodiscard]] std::vector<pid_t> descendants();

/// Sends a signal to every descendant. As a subreaper we are an ancestor of whatever a double fork leaves.
void signalTree(int number);

/// Stops, then kills every descendant. The caller reaps.
void killTree();

} // namespace portcullis::guard
