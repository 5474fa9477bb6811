// SPDX-License-Identifier: Apache-2.0
#pragma once

// The commands of tests/data/field/cases.jsonl, written after public reports: bypasses, advisories, false alarms and
// everyday work. One case a line: `verdict` (deny, allow, undecidable), for a denial the `groups` of which one is
// right, `command`, `shell` (sh where not given), `source`, the kind of report.

#include "runner/decision/decision.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <memory>
#include <string>
#include <vector>

namespace portcullis::test {

struct FieldCase {
    QByteArray command;
    Dialect dialect = Dialect::Sh;
    QString verdict;
    QStringList groups; ///< of a denial
    QByteArray line; ///< as it stands in the file
};

[[nodiscard]] std::vector<FieldCase> readFieldCases();

/// All shipped rules, host policy allow, tenants acme (with these keys), acme-corp and globex. Null when it does not
/// load.
[[nodiscard]] std::shared_ptr<const policy::Configuration> fieldConfiguration(const std::string &policyKeys = {});

/// What an agent of acme gets for a command that starts in acme's data folder, on a host with both walls.
[[nodiscard]] decision::Decision decideFieldCase(const policy::Configuration &configuration, const QByteArray &command,
                                                 Dialect dialect);

} // namespace portcullis::test
