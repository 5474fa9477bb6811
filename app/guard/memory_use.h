// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <sys/types.h>
#include <vector>

namespace portcullis::guard {

/// What the processes below this one hold in memory: their own pages, swapped out
/// or not, the tables of these, and files that live in memory whether or not a
/// process has mapped them. Pages of files on disks are left out: the kernel takes them back when it needs room.
class MemoryUse
{
public:
    /// `fileSystems`: descriptors of tmpfs mounts in which only this run can write. `ownIpc`: the System V segments of
    /// this IPC namespace are the run's.
    MemoryUse(std::vector<int> fileSystems, bool ownIpc);

    /// Whether it is more than `limit` bytes. What several processes share counts once, as far as they can be asked.
    /// A run that is so large that counting it takes two seconds of processor time counts as more: else it could hide
    /// behind what it costs to look at it. 512 processes with 100 open files each take a tenth of that.
    [[nodiscard]] bool exceeds(std::uint64_t limit) const;

private:
    class Budget;
    std::uint64_t openFiles(const std::string &place, std::set<ino_t> &seen, Budget &budget) const;
    std::uint64_t files(const std::vector<pid_t> &processes, Budget &budget) const;

    std::vector<int> m_fileSystems;
    bool m_ownIpc = false;
    dev_t m_anonymousFiles = 0; ///< device of memfd_create(2)
};

} // namespace portcullis::guard
