// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <sys/types.h>
#include <vector>

namespace portcullis::guard {

/// What the processes below this one hold in memory: their own pages, and files that live in memory whether or not a
/// process has mapped them. Pages of files on disks are left out: the kernel takes them back when it needs room.
class MemoryUse
{
public:
    /// `fileSystems`: descriptors of tmpfs mounts in which only this run can write. `ownIpc`: the System V segments of
    /// this IPC namespace are the run's.
    MemoryUse(std::vector<int> fileSystems, bool ownIpc);

    /// Whether it is more than `limit` bytes. What several processes share counts once, as far as they can be asked.
    [[nodiscard]] bool exceeds(std::uint64_t limit) const;

private:
    std::uint64_t files(const std::vector<pid_t> &processes) const;

    std::vector<int> m_fileSystems;
    bool m_ownIpc = false;
    dev_t m_anonymousFiles = 0; ///< device of memfd_create(2)
};

} // namespace portcullis::guard
