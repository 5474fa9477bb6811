// SPDX-License-Identifier: Apache-2.0
#pragma once

// Finds and reads the files of a configuration. Nothing is ever taken from the working directory unless the operator
// names it: a tenant that can write there could configure its own gate.

#include "runner/base/result.h"
#include "runner/policy/policy.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace portcullis::resources {

/// What the operator says. Relative paths of the command line are taken from the working directory.
struct LoadOptions {
    std::string configFile; ///< `--config`; empty: GOCLAW_CONFIG, else `~/.goclaw/config.json` where it exists
    std::string
        policiesDir; ///< `--policies`; empty: PORTCULLIS_POLICIES, else `<folder of the config>/portcullis/policies`
    std::string dataDir; ///< `--data-dir`
    std::string auditDb; ///< `--audit-db`
    std::map<std::string, std::string> environment; ///< of the process; what is not ours is ignored
    std::string home; ///< of the operator
    std::string resourcesDir; ///< share/portcullis
    bool root = false; ///< the process is root: system-wide default places
    bool checkExamples = false; ///< run the examples of the built-in rules
};

/// Environment, home and role of this process; the rest is empty. Call it before threads change the environment.
[[nodiscard]] LoadOptions optionsOfProcess();

/// Reads all files. Fails when the gateway's file, the policies folder or a rule file cannot be used; a policy file
/// that may not be used makes its tenant broken.
[[nodiscard]] Result<policy::ConfigurationInput, std::vector<policy::Problem>> readInput(const LoadOptions &options);

/// readInput() and Configuration::load().
[[nodiscard]] Result<std::shared_ptr<const policy::Configuration>, std::vector<policy::Problem>>
loadConfiguration(const LoadOptions &options);

/// The record that these options mean. Without a configuration (null: it cannot be loaded) only one that the options or
/// the environment name, else empty: the configured one is not known, and another must not pass for it.
[[nodiscard]] std::string auditDbOf(const LoadOptions &options, const policy::Configuration *configuration);

/// Which of the places that a configuration names are there.
struct PlacesFound {
    bool gatewayFile = false;
    bool policiesDir = false;
    bool dataDir = false;
    bool workspace = false;
};
[[nodiscard]] PlacesFound placesFound(const policy::GatewayPaths &paths);

/// The names of the policy files in a folder, sorted: `*.json`, nothing hidden. Empty when it cannot be read.
[[nodiscard]] std::vector<std::string> policyNames(const std::string &folder);

/// The policy files of a folder in the order of their names. Files that may not be used become problems with a tenant.
struct PolicyFiles {
    std::vector<policy::NamedText> texts;
    std::vector<policy::Problem> refused;
};
[[nodiscard]] Result<PolicyFiles, policy::Problem> readPolicies(const std::string &folder);

} // namespace portcullis::resources
