// SPDX-License-Identifier: Apache-2.0
#pragma once

// The canonical text of a configuration: everything that decisions depend on, in one form whatever order, comments or
// formatting the files have. Its SHA-256 is the digest; the record keeps the text, and it can be loaded back.

#include "runner/policy/gateway_file.h"
#include "runner/policy/tenant_policy.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::policy {

struct CanonicalParts {
    const ConfigurationInput &input;
    const GatewayPaths &paths;
    const GatewayFile &gateway;
    std::span<const TenantPolicy> policies;
};

[[nodiscard]] std::string writeCanonical(const CanonicalParts &parts);

/// The input that gives this text again. Nothing when it is no canonical text.
[[nodiscard]] std::optional<ConfigurationInput> readCanonical(std::string_view text);

/// `sha256:<64 hex digits>`.
[[nodiscard]] std::string digestOf(std::string_view text);

} // namespace portcullis::policy
