// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/landlock_abi.h"

#include <cerrno>
#include <linux/landlock.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portcullis::confinement {

LandlockAbi landlockAbi()
{
    const long abi = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
    if (abi < 0)
        return {.abi = 0, .errorNumber = errno};
    return {.abi = static_cast<int>(abi)};
}

} // namespace portcullis::confinement
