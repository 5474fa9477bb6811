// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/decision/decision.h"
#include "runner/decision/facts.h"
#include "runner/decision/request.h"
#include "runner/record/event.h"

#include <string>

namespace portcullis::service {

/// The row of a request and its decision, before anything ran: `Running` when allowed, else `NotStarted`. `read`: the
/// reading by which it was decided, or null where there is none. Pure.
[[nodiscard]] record::Event execEvent(const decision::ExecRequest &request, const decision::Decision &decision,
                                      const decision::HostFacts &facts, const std::string &gateway,
                                      const std::string &runner, const decision::ReadCommands &read = {});

/// The slog lines of a decision: security.exec_denied, security.sandbox_unavailable,
/// security.exec_tenant_host_would_deny. Attribute names are goclaw's. Pure.
[[nodiscard]] std::vector<std::string> securityEvents(const decision::ExecRequest &request,
                                                      const decision::Decision &decision);

} // namespace portcullis::service
