// SPDX-License-Identifier: Apache-2.0
#pragma once

// What differs between two configurations, by meaning and not by text: values in force, rules, exemptions, tests. For
// whoever has to say yes to a change.

#include "runner/policy/policy.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::policy {

struct Difference {
    /// What it means for tenants' commands, as far as that can be told without commands.
    enum class Effect { Loosens, Tightens, Other };

    std::string tenant; ///< whose; empty: everybody's (shipped rules)
    std::string agent; ///< of a value that holds for one agent only; else empty
    std::string what; ///< `tenant`, `policy`, `value`, `rule`, `exemption`, `test`
    std::string name; ///< the key, the id of rule or exemption, the command of a test
    std::string before; ///< compact JSON; empty where there was nothing
    std::string after; ///< compact JSON; empty where there is nothing any more
    Effect effect = Effect::Other;
    friend bool operator==(const Difference &, const Difference &) = default;
};

/// By tenant, values before rules before exemptions before tests. A value that an agent has from its tenant is told
/// once, for the tenant. Places in files and comments are no differences.
[[nodiscard]] std::vector<Difference> differences(const Configuration &before, const Configuration &after);

} // namespace portcullis::policy

namespace portcullis {
template <>
struct Names<policy::Difference::Effect> {
    static constexpr std::array<std::string_view, 3> all{"loosens", "tightens", "other"};
};
} // namespace portcullis
