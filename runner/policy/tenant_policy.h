// SPDX-License-Identifier: Apache-2.0
#pragma once

// One tenant's policy file: policies/<slug>.json.

#include "runner/policy/layer.h"

#include <array>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::policy {

inline constexpr int policyVersion = 1;

/// Limits of lists in a policy, against files that are hostile or a mistake.
inline constexpr std::size_t maxPolicyRules = 2000;
inline constexpr std::size_t maxExemptions = 5000;

/// Keys of the entries of `exemptions` and `tests`.
inline constexpr std::array<std::string_view, 11> exemptionKeys{
    "id", "check", "rule", "command", "program", "args", "agent", "cwd", "expires", "reason", "by"};
inline constexpr std::array<std::string_view, 3> testKeys{"command", "expect", "agent"};

struct TenantPolicy {
    std::string slug;
    std::string file;
    LayerValues values;
    std::map<std::string, LayerValues, std::less<>> agents;
    std::vector<Exemption> exemptions;
    std::vector<PolicyTest> tests;
    std::shared_ptr<const rules::RuleSet> rules; ///< null when there are none
    config::Json taken; ///< what takes part in decisions
    bool broken = false; ///< nothing of it may be used
};

/// The slug that a policy file's path says, or the text's own `tenant` where it is set.
[[nodiscard]] std::string slugOf(const NamedText &text);

/// Reads a policy. With an error among its problems it is broken.
[[nodiscard]] TenantPolicy readTenantPolicy(const NamedText &text, const std::string &home,
                                            const rules::RuleSet &builtin, std::vector<Problem> &problems);

/// Reads the `exemptions` list; `ruleIds` are the rules that there are.
[[nodiscard]] std::vector<Exemption> readExemptions(const config::Json &list, const std::string &pointer,
                                                    const std::vector<std::string_view> &ruleIds,
                                                    ProblemSink &problems);

/// `2026-12-01T08:00:00Z` or with an offset, as UTC microseconds. The zone is required; seconds and fractions are not.
[[nodiscard]] std::optional<std::int64_t> parseTime(std::string_view text);

/// The inverse of parseTime(), in whole seconds: `2026-12-01T08:00:00Z`.
[[nodiscard]] std::string writeTime(std::int64_t timeUs);

} // namespace portcullis::policy
