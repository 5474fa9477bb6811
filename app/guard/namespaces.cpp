// SPDX-License-Identifier: Apache-2.0
#include "app/guard/namespaces.h"

#include "runner/confinement/unique_fd.h"

#include <cstring>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace portcullis::guard {

using confinement::UniqueFd;

namespace {

Done writeMap(const char *path, std::string_view text)
{
    const UniqueFd file(open(path, O_WRONLY | O_CLOEXEC));
    if (!file || write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size()))
        return failed(Step::MapIds, path);
    return {};
}

/// Each id is mapped to itself: the command sees the user that it is. user_namespaces(7).
Done mapOwnIds(uid_t uid, gid_t gid)
{
    if (Done done = writeMap("/proc/self/setgroups", "deny"); !done)
        return done;
    const std::string own = std::to_string(uid);
    if (Done done = writeMap("/proc/self/uid_map", own + " " + own + " 1"); !done)
        return done;
    const std::string group = std::to_string(gid);
    return writeMap("/proc/self/gid_map", group + " " + group + " 1");
}

/// A user namespace may take of its owner's pending signals and queue bytes as much as the soft limit was when it was
/// made: half, so that something is left outside however many runs there are. Best effort, as the kernel's own share
/// is.
void leaveHalfOutside()
{
    for (const auto resource : {RLIMIT_SIGPENDING, RLIMIT_MSGQUEUE}) {
        rlimit now{};
        if (getrlimit(resource, &now) != 0 || now.rlim_cur == RLIM_INFINITY)
            continue;
        now.rlim_cur /= 2;
        setrlimit(resource, &now);
    }
}

} // namespace

Done enterNamespaces(const wire::GuardPlan &plan)
{
    const uid_t uid = geteuid();
    const gid_t gid = getegid();
    const bool ownUsers = uid != 0;
    const int flags = CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | (ownUsers ? CLONE_NEWUSER : 0)
        | (plan.noNetwork ? CLONE_NEWNET : 0);
    if (ownUsers)
        leaveHalfOutside();
    if (unshare(flags) != 0)
        return failed(Step::Unshare);
    if (ownUsers) {
        if (Done done = mapOwnIds(uid, gid); !done)
            return done;
    }
    // No wall: it lets the run find its own limits where programs look for them, as in a container. Where the kernel
    // has no such groups there are no limits either.
    unshare(CLONE_NEWCGROUP);
    return {};
}

Done bringLoopbackUp()
{
    const UniqueFd socket(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    ifreq request{};
    strncpy(request.ifr_name, "lo", sizeof request.ifr_name - 1);
    request.ifr_flags = IFF_UP | IFF_RUNNING;
    if (!socket || ioctl(socket.get(), SIOCSIFFLAGS, &request) != 0)
        return failed(Step::Loopback);
    return {};
}

} // namespace portcullis::guard
