// SPDX-License-Identifier: Apache-2.0
#pragma once

// Every place in an evaluated command where a path may stand: operands, option values, redirections, assignments,
// strings in code, directories that are entered. What is certainly no path (web addresses, patterns of grep, scripts of
// sed, messages) is left out.

#include "runner/decision/path_zones.h"
#include "runner/shell/evaluation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// A path as it is spelled somewhere in the command.
struct PathCandidate {
    Spelling spelling;
    std::optional<std::string> base; ///< directory for a relative spelling; nothing: not known
    Span span;
    bool writing = false; ///< target of an output redirection
    bool written = false; ///< written as a path: has a slash, or stands where only a path can stand
    std::optional<Walk> walk; ///< the program goes through the whole tree

    [[nodiscard]] bool relative() const { return !spelling.text.starts_with('/'); }
};

/// A word that may name a path but is not known.
struct UnknownPath {
    Span span;
    std::string word; ///< as written
};

struct PathCandidates {
    std::vector<PathCandidate> paths;
    std::vector<UnknownPath> unknown;
};

struct CandidateContext {
    std::string_view raw; ///< the text that was evaluated
    std::string cwd; ///< where the command starts
    std::string home; ///< HOME of the command
    std::string operatorHome; ///< what a writer may mean by `~` besides; may be empty
};

[[nodiscard]] PathCandidates pathCandidates(const shell::Evaluation &evaluation, const CandidateContext &context);

} // namespace portcullis::decision
