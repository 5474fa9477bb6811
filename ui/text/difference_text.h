// SPDX-License-Identifier: Apache-2.0
#pragma once

// Differences between configurations in words.

#include "runner/policy/difference.h"

#include <QString>

#include <span>

namespace portcullis::text {

/// One line without the tenant: `deny_groups.package_install: true → false`, `rule no-psql: added`.
[[nodiscard]] QString differenceSentence(const policy::Difference &difference);

/// All of them for a terminal, grouped by tenant, what loosens first. Each line ends with a newline.
[[nodiscard]] QString differenceLines(std::span<const policy::Difference> differences);

} // namespace portcullis::text
