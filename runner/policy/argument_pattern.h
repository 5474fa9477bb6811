// SPDX-License-Identifier: Apache-2.0
#pragma once

// The arguments of an exemption. `*` and `?` stand for bytes other than `/`, `**` for any bytes. `..` is never what a
// wild card stands for. An argument that is a path must lie where the pattern says: relative patterns count from the
// folder in which the whole command starts, and the argument from the one in which its program starts, through links
// that the command makes and, where the host has been asked, those that are there.

#include "runner/shell/evaluation.h"
#include "runner/shell/made_links.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::policy {

/// Where a path leads on the host; nothing where it was not asked or is not there.
using ResolvePath = std::function<std::optional<std::string>(const std::string &path)>;

struct ArgumentPlace {
    std::string start; ///< the folder in which the whole command starts; absolute
    std::vector<shell::MadeLink> links; ///< that the command makes
    ResolvePath resolve; ///< may be empty
};

/// Whether an invocation has these arguments, all of them known. A last `**` takes any rest.
[[nodiscard]] bool argumentsMatch(const std::vector<std::string> &patterns, const shell::Invocation &invocation,
                                  const ArgumentPlace &place);

} // namespace portcullis::policy
