// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/start_failure.h"

#include <optional>

namespace portcullis::confinement {

/// What a set-up that was tried says of the machine.
enum class ProbeAnswer {
    Works,
    Refused, ///< by the kernel, at a step of the guard, in a way that stays
    Unknown, ///< it did not come to an answer: guard lost, no answer in time, or something ran out
};

/// Works, or what `failure` means. What another process of the same user can take away (descriptors, memory, processes,
/// namespaces) is never an answer, or a tenant could lower the level of others; so only errors that are known to be
/// refusals are. `namespacesOff`: the administrator allows none, which the kernel tells as if they had run out
/// (ENOSPC). Pure.
[[nodiscard]] ProbeAnswer answerOf(bool worked, const std::optional<StartFailure> &failure, bool namespacesOff);

} // namespace portcullis::confinement
