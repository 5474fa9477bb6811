// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/failure.h"

namespace portcullis::guard {

/// Becomes the user of the run when we are root, gives up every capability (credentials(7), capabilities(7)) and sets
/// no_new_privs. Afterwards it is checked, not assumed: no user id is 0 and no capability set holds anything.
/// The bounding set goes where CAP_SETPCAP allows; the empty permitted set with no_new_privs is the guarantee.
[[nodiscard]] Done dropPrivileges(const wire::GuardPlan &plan);

/// For a supervisor that stays root outside the domain: everything but the right to signal the command's processes.
[[nodiscard]] Done keepOnlyKill();

/// /proc answers a supervisor of root as if it were the run's user, and so tells about that user's processes without a
/// capability (ptrace(2), PTRACE_MODE_FSCREDS). Before `keepOnlyKill`.
void lookAsUser(const wire::GuardPlan &plan);

} // namespace portcullis::guard
