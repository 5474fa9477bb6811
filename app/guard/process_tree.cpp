// SPDX-License-Identifier: Apache-2.0
#include "app/guard/process_tree.h"

#include "runner/confinement/process_table.h"

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

} // namespace portcullis::guard
