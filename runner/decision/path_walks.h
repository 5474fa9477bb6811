// SPDX-License-Identifier: Apache-2.0
#pragma once

// Programs that go through a whole tree. For them a path above a protected place names that place too.

#include "runner/shell/evaluation.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace portcullis::decision {

/// How a program goes through the tree below a path.
struct Walk {
    bool contents = true; ///< reads, copies or changes what is there; else it only tells names and sizes
    std::optional<std::uint32_t> depth; ///< levels that it goes down; nothing: all
};

/// A walk and where it starts.
struct WalkedArguments {
    Walk walk;
    std::vector<bool> starts; ///< by argument
    bool here = false; ///< no argument is one: it starts in the current directory
};

/// Nothing when the program does not walk, as far as its options tell. `data` as dataArguments gives it.
[[nodiscard]] std::optional<WalkedArguments> walkedArguments(const shell::Invocation &invocation,
                                                             const std::vector<bool> &data);

} // namespace portcullis::decision
