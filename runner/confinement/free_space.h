// SPDX-License-Identifier: Apache-2.0
#pragma once

// Plain C++, compiled into runner and guard.

#include <algorithm>
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

/// How many more files can be made on the file system of `fd` until only those are left that must be: 1,024, or a tenth
/// of all where it takes fewer than ten times as many. Without end where it counts none (btrfs), or cannot be asked.
[[nodiscard]] inline std::uint64_t filesToSpare(int fd)
{
    constexpr std::uint64_t mustBeLeft = 1024;
    struct statfs about{};
    if (fstatfs(fd, &about) != 0 || about.f_files == 0)
        return UINT64_MAX;
    const std::uint64_t floor = std::min<std::uint64_t>(mustBeLeft, about.f_files / 10);
    return about.f_ffree > floor ? about.f_ffree - floor : 0;
}

} // namespace portcullis::confinement
