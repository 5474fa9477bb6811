// SPDX-License-Identifier: Apache-2.0
#pragma once

// The links that a command makes, as the path guard goes through them.

#include "runner/decision/path_zones.h"
#include "runner/shell/made_links.h"

#include <vector>

namespace portcullis::decision {

using shell::MadeLink;

/// The path (absolute; `..` not yet cancelled) as the kernel would go through these links. Unchanged when none is on
/// the way, and behind the first glob or gap.
[[nodiscard]] Spelling throughMadeLinks(const Spelling &spelling, const std::vector<MadeLink> &links);

} // namespace portcullis::decision
