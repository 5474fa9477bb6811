// SPDX-License-Identifier: Apache-2.0
#pragma once

// `policy diff A B`, `policy publish FILE --message M`, `policy revisions`.

#include "app/runner/command_context.h"
#include "runner/policy/difference.h"

#include <span>
#include <string>

namespace portcullis::cli {

/// What differs between two configurations by meaning. A and B are those of `replay`, or the path of a policy file or
/// of a folder of policies. 0 whether or not anything differs; 78 when a policy of one of them does not load.
[[nodiscard]] int policyDiff(CommandContext &context);

/// Puts a draft in force: loads everything with it, runs its own tests, shows what differs, replaces the tenant's file
/// as a whole, and keeps the text as a revision with author and message. 1 when a test of the draft fails; then, and
/// with any error, nothing is written. Nor is it when the file has this text already: 0, and nothing is recorded.
[[nodiscard]] int policyPublish(CommandContext &context);

/// The texts that tenants' policies had, newest first; with an id the text itself. 78 for a tenant that is not known
/// and has none.
[[nodiscard]] int policyRevisions(CommandContext &context);

/// A JSON array.
[[nodiscard]] std::string differencesJson(std::span<const policy::Difference> differences);

} // namespace portcullis::cli
