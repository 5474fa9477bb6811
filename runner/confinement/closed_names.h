// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/paths.h"

#include <map>
#include <optional>
#include <set>
#include <string>

namespace portcullis::confinement {

/// What shall stand in a folder of closed names beside these: places for granted files, and links that lead to grants.
struct OpenNames {
    std::set<std::string> files;
    std::map<std::string, std::string> links; ///< name → text
};

/// A folder of ours that has the same names as `folder`, all of them closed: folders of mode 000, and links that lead
/// into the view's closed folder; `open` stands there as it is, its files empty and of mode 000, to be mounted over.
/// Kept below `dataDir`, one for each `open`, and brought up to date when `folder` has changed, so that a view among
/// 1,000 tenants needs one mount instead of 1,000 new names. Nothing when it cannot be made or `folder` cannot be
/// listed; the guard then makes the names itself.
[[nodiscard]] std::optional<OpenedPath> closedNamesOf(const std::string &folder, const OpenNames &open,
                                                      const OpenedPath &dataDir);

} // namespace portcullis::confinement
