// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/closed_names.h"
#include "runner/confinement/guard_wire.h"

#include <functional>
#include <map>
#include <string>

namespace portcullis::confinement {

/// A folder of the view in which grants or links to them stand, and of which all other names are closed.
struct Crowd {
    OpenNames open;
    /// Whether prepared names can stand for it: all that is mounted in it has its place among them. Where the guard has
    /// to make something in a folder, it makes all of its names.
    bool preparable = true;
};
using Crowds = std::map<std::string, Crowd, std::greater<>>; ///< by path, inner before outer

/// Lexical; the root of the view is none of them.
[[nodiscard]] Crowds findCrowds(const wire::GuardPlan &plan);

/// The guard makes `folder`: then also what lies around it.
void leaveAround(Crowds &crowds, const std::string &folder);

} // namespace portcullis::confinement
