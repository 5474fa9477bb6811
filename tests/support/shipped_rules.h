// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"
#include "runner/rules/rule.h"

#include <QByteArray>
#include <QString>
#include <QStringList>

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace portcullis::test {

/// Every rule of resources/rules in the order of the groups.
[[nodiscard]] std::vector<rules::Rule> readShippedRules();

/// The shipped rules, compiled once per process, examples not checked. Null when they do not compile.
[[nodiscard]] std::shared_ptr<const rules::RuleSet> shippedRules();

/// The groups whose rules refuse a command that an agent runs in /home/agent/project, each once, in order.
[[nodiscard]] QStringList refusingGroups(const QByteArray &command, Dialect dialect = Dialect::Bash);

/// The ids of the rules that refuse it.
[[nodiscard]] QStringList refusingRules(const QByteArray &command, Dialect dialect = Dialect::Bash);

/// One row for each command, named after it, in a column `command`.
void addCommandRows(std::span<const char *const> commands);

} // namespace portcullis::test
