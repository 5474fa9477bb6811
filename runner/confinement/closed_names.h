// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/paths.h"

#include <optional>
#include <string>

namespace portcullis::confinement {

/// A folder of ours that has the same names as `folder`, all of them closed: folders of mode 000, and links that lead
/// into the view's closed folder. Kept below `dataDir` and brought up to date when `folder` has changed, so that a view
/// among 1,000 tenants needs one mount instead of 1,000 new names. Nothing when it cannot be made or `folder` cannot be
/// listed; the guard then makes the names itself.
[[nodiscard]] std::optional<OpenedPath> closedNamesOf(const std::string &folder, const OpenedPath &dataDir);

} // namespace portcullis::confinement
