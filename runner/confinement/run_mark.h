// SPDX-License-Identifier: Apache-2.0
#pragma once

// How processes of a run are known when runner and guard are both dead, whatever they did to their environment, name,
// session or parents: by the limit on file locks (RLIMIT_LOCKS, getrlimit(2)), which limits nothing since Linux 2.4.25.
// Every fork and exec keeps it, no unprivileged process can raise it, the guard's filter refuses to change it, and
// everybody can read it in /proc/PID/limits. Plain C++, compiled into runner and guard.

#include "runner/confinement/process_table.h"

#include <cstdint>
#include <optional>
#include <sys/resource.h>

namespace portcullis::confinement {

/// Marks this process and all that it will start. Where a mark of another run or a smaller limit is in force already,
/// that one stays.
inline void takeMark(std::uint64_t mark)
{
    rlimit now{};
    if (mark == 0 || getrlimit(RLIMIT_LOCKS, &now) != 0 || now.rlim_max < mark)
        return;
    const rlimit marked{mark, mark};
    setrlimit(RLIMIT_LOCKS, &marked);
}

/// The mark of a process; nothing when it has none or is gone.
[[nodiscard]] inline std::optional<std::uint64_t> markOf(pid_t pid)
{
    constexpr std::string_view name = "\nMax file locks";
    const std::string limits = readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/limits");
    const std::size_t line = limits.find(name);
    if (line == std::string::npos)
        return std::nullopt;
    const std::size_t start = limits.find_first_not_of(' ', line + name.size());
    std::uint64_t value = 0;
    if (start == std::string::npos
        || std::from_chars(limits.data() + start, limits.data() + limits.size(), value).ec != std::errc())
        return std::nullopt; // "unlimited"
    return value;
}

} // namespace portcullis::confinement
