// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `policy exempt` says. Pure.

#include "runner/decision/decision.h"
#include "runner/policy/policy.h"
#include "runner/resources/policy_writer.h"

#include <string>
#include <string_view>

namespace portcullis::cli {

/// What would help against a refusal that no exemption answers.
[[nodiscard]] std::string helpFor(Check check);

[[nodiscard]] std::string writeFailure(const resources::WriteError &error);

/// The lines that two texts do not share, with `-` and `+`, between the lines that they share at both ends.
[[nodiscard]] std::string changedLines(std::string_view before, std::string_view after);

/// The change, and what the refused command gets now.
[[nodiscard]] std::string exemptLines(const std::string &path, std::string_view before, std::string_view after,
                                      const policy::Exemption &exemption, const decision::Decision &now, bool dryRun);
/// When such an exemption is in force already.
[[nodiscard]] std::string presentLines(const policy::Exemption &exemption, const decision::Decision &now);
[[nodiscard]] std::string exemptJson(const std::string &path, const policy::Exemption &exemption,
                                     const decision::Decision &now, bool dryRun);

} // namespace portcullis::cli
