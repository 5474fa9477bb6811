// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace portcullis::cli {

/// The fields of the filter language with their values, for `log --help`.
[[nodiscard]] std::string filterHelp();

} // namespace portcullis::cli
