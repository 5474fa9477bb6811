// SPDX-License-Identifier: Apache-2.0
#pragma once

// One edit of one tenant's policy file by the command line: read, check, record, write.

#include "app/runner/command_context.h"
#include "runner/policy/policy.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace portcullis::cli {

struct ChangeFailure {
    Exit exit = Exit::Internal;
    std::string words; ///< for standard error; empty when it has been said
};

/// The edit as a whole, before anything is written.
struct PolicyChange {
    std::string tenant;
    std::string path;
    std::optional<std::string> before; ///< nothing: there was no file
    std::string after;
    std::string draft{}; ///< file that the new text comes from, which problems name; empty: `path`
    std::shared_ptr<const policy::Configuration> configuration; ///< with the change
};

/// The tenant's file as it is; `after` and `configuration` are still to be filled.
[[nodiscard]] Result<PolicyChange, ChangeFailure> readBefore(const policy::Configuration &configuration,
                                                             const std::string &tenant);

/// Loads everything with the new text, so that a policy is never written that would not load.
[[nodiscard]] Result<void, ChangeFailure> loadWith(const Arguments &arguments, PolicyChange &change);

inline constexpr std::string_view addExemptionAction = "add_exemption";
inline constexpr std::string_view removeExemptionAction = "remove_exemption";

/// What the record keeps of an edit of exemptions.
struct ExemptionEdit {
    std::string_view action; ///< one of the two
    policy::Exemption exemption;
    std::string message; ///< why this edit is made; may be empty when one is removed
    std::string by;
    std::string parent; ///< id of the refusal, where one is known
    std::string gateway;
};

// Both put the change in force, which is a row of the record and a revision whose id is the answer. They are written
// before the file is replaced, so that nothing changes unrecorded: a record that cannot be written leaves the file as
// it is (Exit::Record). The row is completed afterwards: `exited` when the change is made, `not_started` with the error
// when the file could not be replaced (Exit::Configuration), `unfinished` when this process died in between.

[[nodiscard]] Result<std::int64_t, ChangeFailure> applyEdit(CommandContext &context, const PolicyChange &change,
                                                            const ExemptionEdit &edit);
[[nodiscard]] Result<std::int64_t, ChangeFailure> applyPublish(CommandContext &context, const PolicyChange &change,
                                                               const std::string &message);

/// Who makes the change: the person behind sudo, else the user of this process.
[[nodiscard]] std::string personName();

/// Says why and returns the exit code.
[[nodiscard]] int fail(CommandContext &context, const ChangeFailure &failure);

} // namespace portcullis::cli
