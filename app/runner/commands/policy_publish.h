// SPDX-License-Identifier: Apache-2.0
#pragma once

// `policy diff A B`, `policy publish FILE --message M`, `policy revisions`.

#include "app/runner/command_context.h"
#include "runner/policy/difference.h"

#include <span>
#include <string>

namespace portcullis::cli {

/// What differs between two configurations by meaning. A and B are those of `replay`, or the path of a policy file or
/// of a folder of policies. 0 whether or not anything differs.
[[nodiscard]] int policyDiff(CommandContext &context);

/// Puts a draft in force: loads everything with it, runs its own tests, shows what differs, replaces the tenant's file
/// as a whole, and keeps the text as a revision with author and message. 1 when a test of the draft fails; then, and
/// with any error, nothing is written.
[[nodiscard]] int policyPublish(CommandContext &context);

/// The texts that tenants' policies had, newest first; with an id the text itself.
[[nodiscard]] int policyRevisions(CommandContext &context);

/// A JSON array.
[[nodiscard]] std::string differencesJson(std::span<const policy::Difference> differences);

} // namespace portcullis::cli
