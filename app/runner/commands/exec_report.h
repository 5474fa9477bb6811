// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `exec` says at the end: lines for people, one JSON object for programs, the exit code. Pure.

#include "app/runner/arguments.h"
#include "runner/decision/decision.h"
#include "runner/service/engine.h"

#include <string>
#include <string_view>

namespace portcullis::cli {

/// Lines for stderr: on refusal `denied: … / why: … / instead: … / id: …`; notes of a run; empty when there is nothing
/// to say. `knownTenants`, as CommandContext gives it, helps who named a tenant that there is not.
[[nodiscard]] std::string reportLines(const decision::ExecRequest &request, const decision::Decision &decision,
                                      const service::RunResult &result, std::string_view knownTenants = {});

/// The object of --result, one line without its newline.
[[nodiscard]] std::string resultJson(const decision::ExecRequest &request, const decision::Decision &decision,
                                     const service::RunResult &result);

[[nodiscard]] int exitCode(const decision::Decision &decision, const service::RunResult &result);

} // namespace portcullis::cli
