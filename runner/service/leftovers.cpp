// SPDX-License-Identifier: Apache-2.0
#include "runner/service/leftovers.h"

#include "runner/base/slog.h"
#include "runner/confinement/leftovers.h"
#include "runner/service/engine.h"

#include <array>

namespace portcullis::service {

std::vector<std::string> endLeftovers(const std::vector<std::string> &runIds)
{
    std::vector<std::string> lines;
    for (const std::string &id : runIds) {
        const int killed = confinement::sweepLeftovers(id);
        if (killed <= 0)
            continue;
        const std::string count = std::to_string(killed);
        const std::array<LogAttribute, 2> attributes{{{"id", id}, {"processes", count}}};
        lines.push_back(slogLine(nowUs(), LogLevel::Warn, "security.exec_leftovers_killed", attributes));
    }
    return lines;
}

} // namespace portcullis::service
