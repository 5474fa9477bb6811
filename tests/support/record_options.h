// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_writer.h"

#include <QString>
#include <QTemporaryDir>

#include <cstdint>
#include <string>

namespace portcullis::test {

/// A record `audit.db` in this folder, which does not wait long for a lock. Runs of dead runners are closed; they have
/// left nothing.
inline audit::WriterOptions recordIn(const QTemporaryDir &folder, std::int64_t reserveBytes = 256 * 1024)
{
    return {.path = folder.filePath(QStringLiteral("audit.db")).toStdString(),
            .busyMilliseconds = 300,
            .reserveBytes = reserveBytes,
            .endRun = [](const std::string &) { return 0; }};
}

} // namespace portcullis::test
