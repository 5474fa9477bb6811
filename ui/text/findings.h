// SPDX-License-Identifier: Apache-2.0
#pragma once

// What `doctor` and the console's strip say about this machine and this gateway: facts in, findings in words out.

#include "runner/decision/facts.h"
#include "runner/policy/policy.h"
#include "runner/ports/health_source.h"

#include <QList>
#include <QString>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portcullis::text {

/// Everything that findings are made from, gathered at the edge.
struct DoctorFacts {
    decision::HostFacts host;
    std::shared_ptr<const policy::Configuration> configuration; ///< null: could not be loaded
    std::vector<policy::Problem> problems; ///< of the configuration
    std::string auditDb;
    std::string auditError; ///< stable code (`locked`, `full`, …); empty when it can be written
    bool auditUnchecked = false; ///< its pages were not looked at for damage
    bool readOnly = false;
    bool gatewayFound = true; ///< the gateway's configuration file exists
    bool policiesFound = true; ///< the policies folder exists
    bool dataDirFound = true;
    bool workspaceFound = true;
    std::vector<std::string> withoutPolicy{}; ///< known tenants that have no policy file
    std::vector<std::string> lostPolicies{}; ///< those of which the record keeps a policy all the same
    int leftoverRuns = 0; ///< earlier runs of which processes were left and have been ended
    bool runnerIsRoot = false;
    /// Tenants whose workspace belongs to root although the runner is root: nobody to run as.
    std::vector<std::string> rootOwnedWorkspaces;
    std::int64_t nowUs = 0;
};

/// All findings in a stable order: what protects, what records, what runs.
[[nodiscard]] QList<ports::Finding> findings(const DoctorFacts &facts);

/// The worst severity of a list; `Good` for an empty one.
[[nodiscard]] ports::Severity worstOf(const QList<ports::Finding> &findings);

} // namespace portcullis::text
