// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>

namespace portcullis::confinement {

/// What the kernel says of Landlock (landlock_create_ruleset(2)).
struct LandlockAbi {
    int abi = 0; ///< 0: none
    int errorNumber = 0; ///< why there is none: ENOSYS (not built in) or EOPNOTSUPP (switched off at boot)

    /// Only these two mean that the kernel has none; after any other error nobody knows.
    [[nodiscard]] bool isKnown() const { return abi > 0 || errorNumber == ENOSYS || errorNumber == EOPNOTSUPP; }
};

/// The newest ABI whose rights the guard knows; a newer kernel is used as this one.
inline constexpr int newestKnownAbi = 7;
/// Below this (kernel 6.2) truncation is not covered, and we do not call it confinement.
inline constexpr int leastUsableAbi = 3;

[[nodiscard]] LandlockAbi landlockAbi();

} // namespace portcullis::confinement
