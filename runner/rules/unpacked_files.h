// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/option_table.h"

#include <string_view>
#include <vector>

namespace portcullis::rules {

/// The files that an archiver or a downloader makes, as far as its arguments tell: members and addresses inside the
/// folder that it is told to use, and the archive that it writes. Of a folder without names, an unknown name in it.
[[nodiscard]] std::vector<shell::Value> unpackedFiles(const shell::Invocation &invocation,
                                                      const shell::SplitArguments &split);

/// Whether unpackedFiles() knows the program.
[[nodiscard]] bool isUnpacker(std::string_view program);

} // namespace portcullis::rules
