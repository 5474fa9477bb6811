// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/confinement/start_failure.h"
#include "runner/confinement/unique_fd.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::confinement {

/// A path that was opened: the descriptor (O_PATH) and what is at it.
struct OpenedPath {
    UniqueFd fd;
    std::string canonical; ///< as the kernel names it: no link, no `..`
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::uint32_t owner = 0;
    bool directory = false;
};

/// Opens an operator's path, following links.
[[nodiscard]] Result<OpenedPath, StartFailure> openFollowing(const std::string &path, wire::Step step);

/// Opens `relative` beneath a directory without following a link or leaving it. `relative` empty: the directory.
[[nodiscard]] Result<OpenedPath, StartFailure> openBeneath(const OpenedPath &root, std::string_view relative,
                                                           wire::Step step);

/// Whom a folder that we make belongs to.
struct NewOwner {
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
};

/// Makes what is missing of `relative` beneath a directory: parents 0711 of ours, the last 0700 of `owner`.
/// An existing folder is left as it is. Fails with ELOOP or ENOTDIR where something else stands in the way.
[[nodiscard]] Result<void, StartFailure> createBeneath(const OpenedPath &root, std::string_view relative,
                                                       NewOwner owner);

/// The links on the way of `path`, each by its canonical place and its text.
[[nodiscard]] std::vector<wire::GuardLink> linksOnTheWay(const std::string &path);

/// The rest of `path` below `root` without a leading slash; nothing when it is not at or below it.
[[nodiscard]] std::optional<std::string_view> below(std::string_view path, std::string_view root);

/// Without `//`, `/./` and a slash at the end. `..` is left alone and found out by the opening.
[[nodiscard]] std::string tidy(std::string_view path);

} // namespace portcullis::confinement
