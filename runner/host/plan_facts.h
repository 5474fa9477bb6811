// SPDX-License-Identifier: Apache-2.0
#pragma once

// Looks at the host for what a plan and a decision need to know. Effects: reads folders, users, links. Any thread.

#include "runner/plan/exec_plan.h"

#include <string>

namespace portcullis::host {

/// What `planExec` needs for this request. `resourcesDir` holds etc-grants.json; without it nothing of /etc is granted.
[[nodiscard]] plan::PlanFacts planFacts(const decision::ExecRequest &request,
                                        const policy::Configuration &configuration, const std::string &resourcesDir);

/// uid and gid of a user name or a number; {0, 0} when there is no such user (uid 0 is never used for commands).
struct UserIds {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
};
[[nodiscard]] UserIds findUser(const std::string &nameOrUid);

} // namespace portcullis::host
