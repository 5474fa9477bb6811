// SPDX-License-Identifier: Apache-2.0
#pragma once

// Which level of confinement a host can give, and what is missing from the full one.

#include "runner/decision/facts.h"
#include "runner/policy/policy.h"

#include <string>
#include <vector>

namespace portcullis::decision {

struct LevelAnswer {
    Level level = Level::None; ///< where it is not known (`missing` says so) no level at all
    /// Stable words: `unknown:<step>` (alone: what the host can give was not found out), `landlock`, `view` or
    /// `view:<step of the probe>`, `metadata` (without the view: modes, owners, times and extended attributes of any
    /// file of the same user), `signals` (ABI < 6 without the view), `uid` (the command would run as root), `network`
    /// (asked to be closed, but open: nothing is confined), `master` (the master tenant is not confined).
    std::vector<std::string> missing;
};

/// The level of a host run. `confined`: whether this tenant is to be confined at all (the master tenant is not by
/// default).
[[nodiscard]] LevelAnswer levelFor(const HostFacts &facts, bool confined, Network network);

} // namespace portcullis::decision
