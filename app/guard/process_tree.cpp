// SPDX-License-Identifier: Apache-2.0
#include "app/guard/process_tree.h"

#include "runner/confinement/process_table.h"

#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

std::vector<pid_t> descendants()
{
    return confinement::descendantsOf(confinement::readProcesses(), {getpid()});
}

/// The bytes of a line `NAME: 123 kB`; 0 where there is none.
std::uint64_t bytesIn(std::string_view text, std::string_view name)
{
    const std::size_t line = text.find(name);
    if (line == std::string_view::npos)
        return 0;
    std::uint64_t kilobytes = 0;
    const std::size_t start = std::min(text.find_first_not_of(" \t", line + name.size()), text.size());
    std::from_chars(text.data() + start, text.data() + text.size(), kilobytes);
    return kilobytes * 1024;
}

/// Pages of files are left out: the kernel takes them back when it needs room.
std::uint64_t residentBytes(pid_t pid)
{
    const std::string text = confinement::readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/status");
    return bytesIn(text, "\nRssAnon:") + bytesIn(text, "\nRssShmem:");
}

/// A process that has made itself not dumpable belongs to root in /proc, and no command runs as root. The first of its
/// namespace may ask every other process, so there one that cannot be asked has made itself so (proc(5),
/// PR_SET_DUMPABLE).
bool hidesItsMemory(pid_t pid)
{
    struct stat about{};
    return getpid() == 1
        || (stat(("/proc/" + std::to_string(pid) + "/status").c_str(), &about) == 0 && about.st_uid == 0);
}

/// Of what several processes share, this one's part; all that it holds where it hides that; 0 where we may not ask.
std::uint64_t proportionalBytes(pid_t pid)
{
    const std::string text = confinement::readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/smaps_rollup");
    if (text.empty())
        return hidesItsMemory(pid) ? residentBytes(pid) : 0;
    return bytesIn(text, "\nPss_Anon:") + bytesIn(text, "\nPss_Shmem:");
}

} // namespace

bool treeHoldsMoreThan(std::uint64_t limit)
{
    const std::vector<pid_t> processes = descendants();
    std::uint64_t sum = 0;
    std::uint64_t largest = 0;
    for (const pid_t pid : processes) {
        const std::uint64_t resident = residentBytes(pid);
        sum += resident;
        largest = std::max(largest, resident);
    }
    if (sum <= limit || largest > limit)
        return largest > limit;
    std::uint64_t proportional = 0; // costs more, so it is asked only now
    for (const pid_t pid : processes)
        proportional += proportionalBytes(pid);
    return proportional > limit;
}

void signalTree(int number)
{
    for (const pid_t pid : descendants())
        kill(pid, number);
}

void killTree()
{
    confinement::killAll(descendants);
}

} // namespace portcullis::guard
