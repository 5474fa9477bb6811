// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"

namespace portcullis::cli {

/// `policy exemptions [--tenant T] [--json]`: what is let through, for whom, until when, and who said why.
[[nodiscard]] int policyExemptions(CommandContext &context);

/// `policy exempt --remove EXEMPTION [--tenant T] [--dry-run]`: takes an exemption out of its policy again. 65 when
/// there is none of this id, or several tenants have one.
[[nodiscard]] int removeExemption(CommandContext &context);

} // namespace portcullis::cli
