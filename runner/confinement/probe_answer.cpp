// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/probe_answer.h"

#include <algorithm>
#include <array>
#include <cerrno>

namespace portcullis::confinement {

ProbeAnswer answerOf(bool worked, const std::optional<StartFailure> &failure, bool namespacesOff)
{
    constexpr std::array refusals{EPERM,  EACCES, ENOSYS, EINVAL,       EOPNOTSUPP,      ENODEV,
                                  ENOENT, EROFS,  ENOTTY, EAFNOSUPPORT, EPROTONOSUPPORT, EUSERS};
    if (worked)
        return ProbeAnswer::Works;
    if (!failure || failure->step <= wire::Step::ReceivePlan) // the guard did not come to try anything
        return ProbeAnswer::Unknown;
    if (failure->step == wire::Step::Unshare && failure->errorNumber == ENOSPC && namespacesOff)
        return ProbeAnswer::Refused;
    return std::ranges::contains(refusals, failure->errorNumber) ? ProbeAnswer::Refused : ProbeAnswer::Unknown;
}

} // namespace portcullis::confinement
