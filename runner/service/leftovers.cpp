// SPDX-License-Identifier: Apache-2.0
#include "runner/service/leftovers.h"

#include "runner/base/slog.h"
#include "runner/confinement/leftovers.h"
#include "runner/service/engine.h"

#include <array>

namespace portcullis::service {

audit::WriterOptions recordOptions(const std::string &path)
{
    return {.path = path, .endRun = [](const std::string &runId) { return confinement::sweepLeftovers(runId); }};
}

std::vector<std::string> leftoverLines(std::span<const audit::UnfinishedRun> runs)
{
    std::vector<std::string> lines;
    for (const audit::UnfinishedRun &run : runs) {
        if (run.leftovers == 0)
            continue;
        const std::string count = std::to_string(run.leftovers);
        const std::array<LogAttribute, 2> attributes{{{"id", run.id}, {"processes", count}}};
        lines.push_back(slogLine(nowUs(), LogLevel::Warn, "security.exec_leftovers_killed", attributes));
    }
    return lines;
}

} // namespace portcullis::service
