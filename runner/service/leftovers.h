// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_writer.h"

#include <span>
#include <string>
#include <vector>

namespace portcullis::service {

/// Options of a writer that kills what the runs of dead runners left.
[[nodiscard]] audit::WriterOptions recordOptions(const std::string &path);

/// The slog lines about runs whose runner and guard both died, which only Landlock alone allows, and which had left
/// processes that opening the record has killed: security.exec_leftovers_killed, one for each such run.
[[nodiscard]] std::vector<std::string> leftoverLines(std::span<const audit::UnfinishedRun> runs);

} // namespace portcullis::service
