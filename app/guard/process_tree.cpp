// SPDX-License-Identifier: Apache-2.0
#include "app/guard/process_tree.h"

#include "runner/confinement/process_table.h"

#include <unistd.h>

namespace portcullis::guard {

std::vector<pid_t> descendants()
{
    return confinement::descendantsOf(confinement::readProcesses(), {getpid()});
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
