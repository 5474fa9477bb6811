// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/plan/cgroups.h"

namespace portcullis::host {

/// The control groups that this process is in, and so will its commands be, with the limits that are there and that
/// everybody may read. Any thread.
[[nodiscard]] std::vector<plan::Cgroup> ownCgroups();

} // namespace portcullis::host
