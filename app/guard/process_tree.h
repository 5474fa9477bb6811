// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace portcullis::guard {

/// Sends a signal to every descendant. As a subreaper we are an ancestor of whatever a double fork leaves.
void signalTree(int number);

/// Stops, then kills every descendant. The caller reaps.
void killTree();

} // namespace portcullis::guard
