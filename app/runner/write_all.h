// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace portcullis::cli {

/// Writes everything; false when nobody reads any more (write(2) failed other than by an interruption).
bool writeAll(int fd, std::string_view text);

} // namespace portcullis::cli
