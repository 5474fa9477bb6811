// SPDX-License-Identifier: Apache-2.0
#include "app/guard/process_tree.h"

#include "runner/confinement/process_table.h"

namespace portcullis::guard {

namespace {

std::vector<pid_t> descendants()
{
    return confinement::descendantsOf(confinement::readProcesses(), {getpid()});
}

std::uint64_t firstNumberIn(std::string_view text)
{
    std::uint64_t value = 0;
    const std::size_t start = std::min(text.find_first_of("0123456789"), text.size());
    std::from_chars(text.data() + start, text.data() + text.size(), value);
    return value;
}

/// The second field of /proc/PID/statm, in bytes.
std::uint64_t residentBytes(pid_t pid)
{
    const std::string text = confinement::readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/statm", 128);
    const std::size_t blank = text.find(' ');
    if (blank == std::string::npos)
        return 0;
    return firstNumberIn(std::string_view(text).substr(blank)) * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// A process's part of what it shares, and all that it does not; 0 where we may not ask.
std::uint64_t proportionalBytes(pid_t pid)
{
    const std::string text = confinement::readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/smaps_rollup");
    const std::size_t line = text.find("\nPss:");
    return line == std::string::npos ? 0 : firstNumberIn(std::string_view(text).substr(line)) * 1024;
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
