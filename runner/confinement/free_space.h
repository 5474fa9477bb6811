// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plain C++, compiled into runner and guard.

#include <cstdint>
#include <sys/vfs.h>

namespace portcullis::confinement {

/// Bytes that an ordinary user may still take on the file system of `fd`. Without end where it has no size, so that it
/// cannot be filled (statfs(2): no blocks at all), or cannot be asked.
[[nodiscard]] inline std::uint64_t roomOf(int fd)
{
    struct statfs about{};
    if (fstatfs(fd, &about) != 0 || about.f_blocks == 0)
        return UINT64_MAX;
    return static_cast<std::uint64_t>(about.f_bavail) * static_cast<std::uint64_t>(about.f_bsize);
}

} // namespace portcullis::confinement
