// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every command of portcullis-runner gets: its arguments, the two streams and lazy access to configuration, host
// facts and record. One instance lives as long as the process.

#include "app/runner/arguments.h"
#include "runner/decision/facts.h"
#include "runner/policy/policy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace portcullis::cli {

class CommandContext
{
public:
    explicit CommandContext(Arguments arguments);
    ~CommandContext();

    [[nodiscard]] const Arguments &arguments() const { return m_arguments; }

    /// Writes to standard output / standard error, unbuffered across processes: whole lines at once. A closed output
    /// (EPIPE) is remembered and makes later writes do nothing.
    void out(std::string_view text);
    void err(std::string_view text);
    /// Whether the reader of standard output is gone: nothing is worth writing any more.
    [[nodiscard]] bool outClosed() const;

    /// The configuration in force. On failure every problem is written to stderr and nullptr is returned: exit 78.
    [[nodiscard]] std::shared_ptr<const policy::Configuration> configuration();
    /// Errors and warnings of the configuration (also of broken tenant policies), filled by configuration().
    [[nodiscard]] const std::vector<policy::Problem> &problems();
    /// Says why nothing can be decided for this tenant: it is not known, or its policy has errors (with their places).
    void reportTenant(const std::string &tenant);
    /// `; there are acme, globex, master`, to end a message with. Empty when the configuration cannot be loaded.
    [[nodiscard]] std::string knownTenants();
    /// What this machine can do; probed on first use.
    [[nodiscard]] const decision::HostFacts &hostFacts();
    /// Answers path questions by looking at the host.
    [[nodiscard]] std::map<decision::PathQuestion, std::string>
    answer(const std::vector<decision::PathQuestion> &questions);
    /// Absolute path of portcullis-guard and of share/portcullis.
    [[nodiscard]] std::string guardPath() const;
    [[nodiscard]] std::string resourcesDir() const;
    /// The audit database: --audit-db, else the configuration's. Empty when that cannot be loaded: exit 78.
    [[nodiscard]] std::string auditDb();
    /// UTC, microseconds.
    [[nodiscard]] static std::int64_t nowUs();

private:
    struct Private;
    void noteMissingGateway();
    Arguments m_arguments;
    std::unique_ptr<Private> d;
};

} // namespace portcullis::cli
