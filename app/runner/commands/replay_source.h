// SPDX-License-Identifier: Apache-2.0
#pragma once

// The configurations that a replay or a comparison can name: `recorded`, `current`, `policies:DIR`, `policy:FILE`,
// `tenant:SLUG`, `revision:ID`.

#include "app/runner/command_context.h"
#include "runner/audit/audit_reader.h"
#include "runner/base/result.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace portcullis::cli {

struct ReplaySource {
    enum class Kind {
        Recorded, ///< in force when each command was decided
        Current, ///< in force now
        Policies, ///< the gateway's file of now with the policies of another folder
        Policy, ///< … with this file as the policy of the tenant that it names
        Tenant, ///< … with one tenant's policy as that of every tenant
        Revision, ///< … with a revision of a policy that the record keeps
    };
    Kind kind = Kind::Current;
    std::string value;
};

/// Nothing for a word that names no configuration.
[[nodiscard]] std::optional<ReplaySource> parseReplaySource(std::string_view text);
inline constexpr std::string_view replaySourceForms =
    "recorded, current, policies:DIR, policy:FILE, tenant:SLUG or revision:ID";

/// Whose policy a text says that it is; empty where it does not say so.
[[nodiscard]] std::string tenantIn(const std::string &policyText);

/// Loads it (not for Recorded). On failure the exit code; why has then been said. `reader` is needed for a revision
/// only and may be null.
[[nodiscard]] Result<std::shared_ptr<const policy::Configuration>, int>
loadReplaySource(CommandContext &context, const ReplaySource &source, audit::AuditReader *reader);

/// Whether a policy of a whole set (Current, Policies) does not load; the others are not loaded with a broken one.
[[nodiscard]] bool hasBrokenPolicy(const ReplaySource &source, const policy::Configuration &configuration);

} // namespace portcullis::cli
