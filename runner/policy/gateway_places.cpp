// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/gateway_places.h"

#include "runner/base/paths.h"
#include "runner/policy/layer.h"

namespace portcullis::policy {
namespace {

/// Chooses among the sources of one path: command line, environment, file, default.
class Chooser
{
public:
    Chooser(const ConfigurationInput &input, std::vector<Problem> &problems) : m_input(input), m_problems(problems) { }

    std::string choose(const std::string &override, std::string_view variable,
                       const std::optional<Sourced<std::string>> &file, const std::string &standard)
    {
        const config::Place nowhere{.line = 0, .column = 0};
        if (!override.empty()) {
            ProblemSink sink(m_problems, {});
            return readPath(override, m_input.home, nowhere, {}, sink).value_or(std::string());
        }
        const auto found = m_input.environment.find(std::string(variable));
        if (!variable.empty() && found != m_input.environment.end() && !found->second.empty()) {
            ProblemSink sink(m_problems, std::string(variable));
            return readPath(found->second, m_input.home, nowhere, {}, sink).value_or(std::string());
        }
        if (file)
            return file->value;
        ProblemSink sink(m_problems, {});
        return standard.empty() ? std::string()
                                : readPath(standard, m_input.home, nowhere, {}, sink).value_or(std::string());
    }

private:
    const ConfigurationInput &m_input;
    std::vector<Problem> &m_problems;
};

} // namespace

GatewayPaths resolvePlaces(const ConfigurationInput &input, const GatewayFile &file, std::vector<Problem> &problems)
{
    Chooser chooser(input, problems);
    const GatewayPaths &over = input.overrides;
    const GatewayPaths &standard = input.defaults;
    GatewayPaths out;
    out.home = over.home.empty() ? input.home : over.home;
    const std::string configFile = input.gateway ? input.gateway->path : std::string();
    out.configFile = chooser.choose(over.configFile, {}, {}, configFile.empty() ? "~/.goclaw/config.json" : configFile);
    const std::string configDir = paths::parentOf(out.configFile.empty() ? "/" : std::string_view(out.configFile));
    const auto inConfigDir = [&configDir](std::string_view name) { return paths::normalised(name, configDir); };
    out.environmentFile = chooser.choose(over.environmentFile, "PORTCULLIS_ENVIRONMENT_FILE", file.environmentFile,
                                         inConfigDir(".env.local"));
    out.dataDir = chooser.choose(over.dataDir, "GOCLAW_DATA_DIR", file.dataDir, "~/.goclaw/data");
    out.workspace = chooser.choose(over.workspace, "GOCLAW_WORKSPACE", file.workspace, "~/.goclaw/workspace");
    out.database = chooser.choose(over.database, "GOCLAW_SQLITE_PATH", {}, out.dataDir + "/goclaw.db");
    out.stateDir = chooser.choose(over.stateDir, "PORTCULLIS_STATE_DIR", {}, standard.stateDir);
    out.auditDb = chooser.choose(over.auditDb, "PORTCULLIS_AUDIT_DB", file.auditDb,
                                 standard.auditDb.empty() && !out.stateDir.empty() ? out.stateDir + "/audit.db"
                                                                                   : standard.auditDb);
    out.policiesDir = chooser.choose(over.policiesDir, "PORTCULLIS_POLICIES", {}, inConfigDir("portcullis/policies"));
    out.runtimeDir = chooser.choose(over.runtimeDir, "RUNTIME_DIR", {}, out.dataDir + "/.runtime");
    out.skillsStore = chooser.choose(over.skillsStore, {}, {}, out.dataDir + "/skills-store");
    out.bundledSkillsDir = chooser.choose(over.bundledSkillsDir, "GOCLAW_BUNDLED_SKILLS_DIR", {}, {});
    out.sockets = over.sockets.empty() ? standard.sockets : over.sockets;
    return out;
}

} // namespace portcullis::policy
