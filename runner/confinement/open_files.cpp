// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/open_files.h"

#include <algorithm>
#include <sys/resource.h>

namespace portcullis::confinement {

void raiseOpenFiles()
{
    rlimit limits{};
    if (getrlimit(RLIMIT_NOFILE, &limits) != 0)
        return;
    limits.rlim_cur = limits.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limits); // where it fails, fewer can be sent
}

std::uint64_t mostOpenFiles(std::uint64_t wanted)
{
    constexpr std::uint64_t least = 32; // as of limits.open_files
    rlimit own{};
    if (getrlimit(RLIMIT_NOFILE, &own) != 0 || own.rlim_cur == RLIM_INFINITY)
        return wanted;
    const std::uint64_t most = own.rlim_cur > roomAboveCommands + least ? own.rlim_cur - roomAboveCommands : least;
    return wanted == 0 ? most : std::min(wanted, most);
}

} // namespace portcullis::confinement
