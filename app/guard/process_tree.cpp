// SPDX-License-Identifier: Apache-2.0
#include "app/guard/process_tree.h"

#include "runner/confinement/process_table.h"

#include <sys/stat.h>

namespace portcullis::guard {

namespace {

std::vector<pid_t> descendants()
{
    return confinement::descendantsOf(confinement::readProcesses(), {getpid()});
}

} // namespace

void signalTree(int number)
{
    for (const pid_t pid : descendants())
        kill(pid, number);
}

void killTree()
{
    confinement::killAll(descendants);
}

std::uint64_t tasksOf(uid_t uid)
{
    std::uint64_t tasks = 0;
    const std::unique_ptr<DIR, int (*)(DIR *)> proc(opendir("/proc"), closedir);
    while (const dirent *entry = proc ? readdir(proc.get()) : nullptr) {
        struct stat about{};
        if (entry->d_name[0] < '1' || entry->d_name[0] > '9'
            || fstatat(dirfd(proc.get()), entry->d_name, &about, 0) != 0 || about.st_uid != uid)
            continue;
        struct stat threads{}; // one link for each thread, and two more
        const std::string task = std::string(entry->d_name) + "/task";
        if (fstatat(dirfd(proc.get()), task.c_str(), &threads, 0) == 0)
            tasks += threads.st_nlink - 2;
    }
    return tasks;
}

} // namespace portcullis::guard
