// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis::plan {

/// A control group that a process is in, where a mount shows it. cgroups(7); the kernel's cgroup-v1 and cgroup-v2.
struct Cgroup {
    std::string hierarchy; ///< where its hierarchy is mounted, at or below /sys/fs/cgroup
    std::string folder; ///< its own folder, the same or below
    /// Names of the files in it that tell its limits: all that there may be, until somebody has looked which are there.
    std::vector<std::string> limits;
    bool second = false; ///< of the unified hierarchy (version 2)
    /// The machine's own: it has no limits, and every other group lies below it.
    bool machines = false;
    friend bool operator==(const Cgroup &, const Cgroup &) = default;
};

/// The groups of a process that may limit its memory, processors or processes, from its /proc/PID/cgroup and
/// /proc/PID/mountinfo, in the order of the mounts. Groups outside of what is mounted or of the process's namespace are
/// left out. Pure: `machines` stays false.
[[nodiscard]] std::vector<Cgroup> cgroupsOf(std::string_view cgroup, std::string_view mountinfo);

} // namespace portcullis::plan
