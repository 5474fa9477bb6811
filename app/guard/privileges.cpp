// SPDX-License-Identifier: Apache-2.0
#include "app/guard/privileges.h"

#include <array>
#include <grp.h>
#include <linux/capability.h>
#include <sys/fsuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

using CapabilityData = std::array<__user_cap_data_struct, _LINUX_CAPABILITY_U32S_3>;

Done setCapabilities(std::uint32_t low)
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    CapabilityData data{};
    data[0].effective = low;
    data[0].permitted = low;
    if (syscall(SYS_capset, &header, data.data()) != 0)
        return failed(Step::DropCapabilities);
    return {};
}

Done checkNoCapabilities()
{
    __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
    CapabilityData data{};
    if (syscall(SYS_capget, &header, data.data()) != 0)
        return failed(Step::DropCapabilities);
    for (const auto &word : data) {
        if ((word.effective | word.permitted | word.inheritable) != 0)
            return failedWith(Step::DropCapabilities, EPERM);
    }
    return {};
}

void dropBoundingSet()
{
    int capability = 0;
    while (prctl(PR_CAPBSET_DROP, capability) == 0) // until EINVAL: no such capability; EPERM: no CAP_SETPCAP
        ++capability;
}

Done switchUser(const wire::GuardPlan &plan)
{
    if (geteuid() == 0) {
        if (setgroups(0, nullptr) != 0)
            return failed(Step::DropGroups);
        if (setresgid(plan.gid, plan.gid, plan.gid) != 0 || setresuid(plan.uid, plan.uid, plan.uid) != 0)
            return failed(Step::SwitchUser);
    }
    uid_t real = 0;
    uid_t effective = 0;
    uid_t saved = 0;
    if (getresuid(&real, &effective, &saved) != 0)
        return failed(Step::SwitchUser);
    if (real != plan.uid || effective != plan.uid || saved != plan.uid || plan.uid == 0)
        return failedWith(Step::SwitchUser, EPERM);
    return {};
}

Done setNoNewPrivileges()
{
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return failed(Step::NoNewPrivileges);
    return {};
}

} // namespace

Done dropPrivileges(const wire::GuardPlan &plan)
{
    dropBoundingSet();
    if (Done done = switchUser(plan); !done)
        return done;
    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); // fails only where there is no ambient set
    if (Done done = setCapabilities(0); !done)
        return done;
    if (Done done = checkNoCapabilities(); !done)
        return done;
    return setNoNewPrivileges();
}

void lookAsUser(const wire::GuardPlan &plan)
{
    if (geteuid() != 0)
        return;
    setfsgid(plan.gid);
    setfsuid(plan.uid);
    prctl(PR_SET_DUMPABLE, 0); // a change of user sets it anew
}

Done keepOnlyKill()
{
    if (Done done = setCapabilities(geteuid() == 0 ? 1U << CAP_KILL : 0); !done)
        return done;
    return setNoNewPrivileges();
}

} // namespace portcullis::guard
