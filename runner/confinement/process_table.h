// SPDX-License-Identifier: Apache-2.0
#pragma once

// The processes of this machine as /proc shows them (proc_pid_stat(5)). Plain C++, compiled into runner and guard.

#include "runner/confinement/unique_fd.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <csignal>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::confinement {

struct ProcessEntry {
    pid_t pid = 0;
    pid_t parent = 0; ///< 0 when the process went while we looked
    char state = '?';
    int threads = 1; ///< the first one is counted as long as the process is in the table

    /// Nothing of it runs any more. A process whose first thread has ended shows the same state as long as others run.
    [[nodiscard]] bool isOver() const { return state == 'Z' && threads <= 1; }
};

/// Reads at most `size` bytes of a file in /proc; empty when it cannot be read.
[[nodiscard]] inline std::string readProcFile(int directory, const std::string &path, std::size_t size = 4096)
{
    std::string text(size, '\0');
    const UniqueFd file(openat(directory, path.c_str(), O_RDONLY | O_CLOEXEC));
    std::size_t filled = 0;
    while (file && filled < text.size()) {
        const ssize_t got = read(file.get(), text.data() + filled, text.size() - filled);
        if (got <= 0)
            break;
        filled += static_cast<std::size_t>(got);
    }
    text.resize(filled);
    return text;
}

/// The fields after the name, which may hold anything: `S 1234 …` (proc_pid_stat(5)).
[[nodiscard]] inline ProcessEntry parseStat(pid_t pid, std::string_view stat)
{
    ProcessEntry entry{.pid = pid};
    const std::size_t name = stat.rfind(')');
    if (name == std::string_view::npos || name + 4 >= stat.size())
        return entry;
    entry.state = stat[name + 2];
    const char *end = stat.data() + stat.size();
    std::from_chars(stat.data() + name + 4, end, entry.parent);
    constexpr int between = 17; // from the state, field 3, to num_threads, field 20
    std::size_t at = name + 2;
    for (int i = 0; i < between && at != std::string_view::npos; ++i)
        at = stat.find(' ', at + 1);
    if (at != std::string_view::npos)
        std::from_chars(stat.data() + at + 1, end, entry.threads);
    return entry;
}

[[nodiscard]] inline std::vector<ProcessEntry> readProcesses()
{
    std::vector<ProcessEntry> all;
    const std::unique_ptr<DIR, int (*)(DIR *)> proc(opendir("/proc"), closedir);
    if (!proc)
        return all;
    while (const dirent *entry = readdir(proc.get())) {
        pid_t pid = 0;
        const char *end = entry->d_name + std::strlen(entry->d_name);
        if (std::from_chars(entry->d_name, end, pid).ptr == end && pid > 0)
            all.push_back(parseStat(pid, readProcFile(dirfd(proc.get()), std::string(entry->d_name) + "/stat", 512)));
    }
    return all;
}

/// Everything below the given processes, without them.
[[nodiscard]] inline std::vector<pid_t> descendantsOf(const std::vector<ProcessEntry> &all, std::vector<pid_t> parents)
{
    std::vector<pid_t> found;
    while (!parents.empty()) {
        std::vector<pid_t> children;
        for (const ProcessEntry &process : all) {
            if (std::ranges::find(parents, process.parent) != parents.end())
                children.push_back(process.pid);
        }
        found.insert(found.end(), children.begin(), children.end());
        parents = std::move(children);
    }
    return found;
}

/// Stops whatever `find` names until it names nothing new, so that nothing forks on while it is being killed; then
/// kills. The caller reaps. Returns how many there were.
template <class Find>
inline std::size_t killAll(Find find)
{
    constexpr int mostRounds = 64; // a fork bomb is stopped long before; the bound is for a kernel that lies
    std::vector<pid_t> found;
    for (int round = 0; round < mostRounds; ++round) {
        const std::size_t before = found.size();
        found = find();
        for (const pid_t pid : found)
            kill(pid, SIGSTOP);
        if (found.size() == before)
            break;
    }
    for (const pid_t pid : found)
        kill(pid, SIGKILL);
    return found.size();
}

} // namespace portcullis::confinement
