// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/policy/gateway_file.h"

#include <vector>

namespace portcullis::policy {

/// The places of a gateway, each from the command line, else the environment, else the gateway's file, else a default.
/// A path that is not absolute (after `~`) is a problem of severity Error.
[[nodiscard]] GatewayPaths resolvePlaces(const ConfigurationInput &input, const GatewayFile &file,
                                         std::vector<Problem> &problems);

} // namespace portcullis::policy
