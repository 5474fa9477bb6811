// SPDX-License-Identifier: Apache-2.0
#pragma once

// Links that a command makes and then goes through: `ln -s / r; cat r/…`. The host cannot be asked about them, because
// they do not exist yet.

#include "runner/decision/path_zones.h"
#include "runner/shell/evaluation.h"

#include <string>
#include <vector>

namespace portcullis::decision {

struct MadeLink {
    std::string place; ///< absolute and normalised: where the link will be
    std::string target; ///< absolute and normalised: where it leads
    std::string folder; ///< in which it is made: a relative target starts there
    Span targetSpan; ///< the word of the target
};

/// The links that `ln -s` and `cp -s` make from constant words, in order; each under every name that it can get. At
/// most 64.
[[nodiscard]] std::vector<MadeLink> madeLinks(const shell::Evaluation &evaluation);

/// The path (absolute; `..` not yet cancelled) as the kernel would go through these links. Unchanged when none is on
/// the way, and behind the first glob or gap.
[[nodiscard]] Spelling throughMadeLinks(const Spelling &spelling, const std::vector<MadeLink> &links);

} // namespace portcullis::decision
