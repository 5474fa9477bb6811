// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace portcullis::service {

/// Ends what is left of runs whose runner and guard both died, which only Landlock alone allows. Returns the slog lines
/// that say so, one for each run that had left something. Reads all of /proc once for each id.
[[nodiscard]] std::vector<std::string> endLeftovers(const std::vector<std::string> &runIds);

} // namespace portcullis::service
