// SPDX-License-Identifier: Apache-2.0
#pragma once

// Makes a machine look like another one to a process and its children. Allocates nothing: also for the time between
// fork and exec.

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

namespace portcullis::test {

/// The calls from `first` to `last` fail with `error`.
inline bool refuseCalls(unsigned first, unsigned last, unsigned error)
{
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, first, 0, 2),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, last, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | error),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

/// unshare(2) fails, as on hardened hosts and in containers.
inline bool refuseNamespaces()
{
    return refuseCalls(SYS_unshare, SYS_unshare, EPERM);
}

/// There is no Landlock, as in a kernel that was built without it.
inline bool refuseLandlock()
{
    static_assert(SYS_landlock_restrict_self == SYS_landlock_create_ruleset + 2);
    return refuseCalls(SYS_landlock_create_ruleset, SYS_landlock_restrict_self, ENOSYS);
}

} // namespace portcullis::test
