// SPDX-License-Identifier: Apache-2.0
#pragma once

// The path guard: does an evaluated command name a protected path? It looks at text and at answered questions about
// links. A guard, not a wall: what it cannot see is held by the confinement.

#include "runner/decision/facts.h"
#include "runner/decision/path_candidates.h"
#include "runner/decision/path_zones.h"

#include <map>
#include <span>
#include <string>
#include <vector>

namespace portcullis::decision {

/// One protected place that the command names, with every word that does so.
struct GuardFinding {
    ZoneClass zone = ZoneClass::DataDir;
    std::string path; ///< the first one, normalised, globs as they stand
    std::string target; ///< where a link led, when the text itself was harmless
    std::vector<Span> spans;
};

struct GuardResult {
    std::vector<GuardFinding> findings; ///< in order of appearance, each zone class once
    std::vector<shell::DynamicNote> notes; ///< words whose path, or whose links, are not known
};

using PathAnswers = std::map<PathQuestion, std::string>;

/// Zones with the second spellings that the answers give them.
void addAliases(PathZones &zones, const PathAnswers &answers);

[[nodiscard]] GuardResult guardPaths(const PathCandidates &candidates, const PathZones &zones,
                                     const PathAnswers &answers);

/// What guardPaths would like to know, most telling first, each once, at most `limit`.
[[nodiscard]] std::vector<PathQuestion> pathQuestions(const PathCandidates &candidates,
                                                      std::span<const std::string> roots, std::size_t limit);

} // namespace portcullis::decision
