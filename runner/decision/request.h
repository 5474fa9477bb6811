// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"

#include <cstdint>
#include <optional>
#include <string>

namespace portcullis::decision {

/// One command that somebody wants to run.
struct ExecRequest {
    std::string id; ///< uuid v7
    std::string command; ///< raw bytes, exactly what the shell would get
    std::string tenant;
    std::string agent = "main";
    std::string session = "cli";
    std::string parent; ///< id of the request that this one descends from, or empty
    Origin origin = Origin::Agent;
    std::string cwd; ///< absolute; empty means the tenant workspace W
    std::optional<int> timeoutSeconds;
    SandboxSwitch sandbox = SandboxSwitch::Default;
    std::optional<ShellChoice> shell; ///< nothing: the policy's choice
    bool wantsStdin = false;
    std::int64_t timeUs = 0; ///< UTC, microseconds: for expiry of exemptions
};

} // namespace portcullis::decision
