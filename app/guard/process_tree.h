// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace portcullis::guard {

/// Sends a signal to every descendant. As a subreaper we are an ancestor of whatever a double fork leaves.
void signalTree(int number);

/// Stops, then kills every descendant. The caller reaps.
void killTree();

/// Whether the processes below this one hold more than `limit` bytes of memory, pages of files aside. What several of
/// them share counts once where the kernel lets us ask for that (smaps_rollup, proc_pid_smaps(5)), else only the
/// largest process counts.
[[nodiscard]] bool treeHoldsMoreThan(std::uint64_t limit);

} // namespace portcullis::guard
