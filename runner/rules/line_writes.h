// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/option_table.h"

#include <string_view>
#include <vector>

namespace portcullis::rules {

/// The files that commands of vim, ed or sqlite write: `w FILE`, `sav FILE`, `.output FILE`, `writefile('FILE', …)`.
/// `text` shows unknown parts as unknownMark; they are gaps again in what is given back, which has no spans. Sources:
/// vim's editing.txt, ed(1), sqlite.org/cli.html.
[[nodiscard]] std::vector<shell::Value> filesWrittenByLines(std::string_view language, std::string_view text);

/// What `sqlite3 DATABASE SQL…` writes: the files that the SQL names, and the database where it is changed.
[[nodiscard]] std::vector<shell::Value> databaseWrites(const shell::Invocation &invocation,
                                                       const shell::SplitArguments &split);

} // namespace portcullis::rules
