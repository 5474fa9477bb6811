// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace portcullis::audit {

/// This process in a form that no later process shares: `pid:start-time:pid-namespace`. The start time is in clock
/// ticks since boot (proc_pid_stat(5), field 22), the namespace is the inode of /proc/self/ns/pid.
[[nodiscard]] std::string thisRunner();

enum class Liveness {
    Alive,
    Dead,
    Unknown, ///< of another pid namespace (a container that shares the record), or not in this form
};
[[nodiscard]] Liveness livenessOf(std::string_view runner);

} // namespace portcullis::audit
