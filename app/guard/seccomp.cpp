// SPDX-License-Identifier: Apache-2.0
#include "app/guard/seccomp.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <span>
#include <sys/syscall.h>
#include <unistd.h>

#include "filters.inc"

namespace portcullis::guard {

namespace {

using Program = std::span<const sock_filter>;

Program choose(const wire::GuardPlan &plan)
{
    if (!plan.landlock && !plan.view)
        return plan.noNetwork ? Program(filterUnconfinedWithoutNetwork) : Program(filterUnconfined);
    if (!plan.view)
        return plan.noNetwork ? Program(filterAloneWithoutNetwork) : Program(filterAlone);
    const bool rootGroup = plan.gid == 0;
    // Path sockets of the host do not exist in the view; abstract ones are only out of reach by a scope or a network
    // namespace.
    const bool abstractSocketsClosed = plan.landlockAbi >= 6 || plan.noNetwork;
    if (!abstractSocketsClosed)
        return rootGroup ? Program(filterViewWithoutUnixRootGroup) : Program(filterViewWithoutUnix);
    return rootGroup ? Program(filterViewRootGroup) : Program(filterView);
}

} // namespace

Done installFilter(const wire::GuardPlan &plan)
{
    const Program chosen = choose(plan);
    const sock_fprog program{static_cast<unsigned short>(chosen.size()), const_cast<sock_filter *>(chosen.data())};
    if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0U, &program) != 0)
        return failed(Step::Seccomp);
    return {};
}

} // namespace portcullis::guard
