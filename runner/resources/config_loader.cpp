// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/config_loader.h"

#include "runner/base/paths.h"
#include "runner/policy/problem.h"
#include "runner/resources/trusted_file.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <pwd.h>
#include <set>
#include <string_view>
#include <unistd.h>

namespace portcullis::resources {
namespace {

namespace fs = std::filesystem;
using policy::ConfigurationInput;
using policy::GatewayPaths;
using policy::Problem;
using Problems = std::vector<Problem>;

constexpr std::string_view policySuffix = ".json";

std::string variable(const LoadOptions &options, const std::string &name)
{
    const auto found = options.environment.find(name);
    return found == options.environment.end() ? std::string() : found->second;
}

/// A path as the operator typed it on the command line.
std::string fromCommandLine(const std::string &path)
{
    if (path.empty() || path.starts_with('/') || path == "~" || path.starts_with("~/"))
        return path;
    std::error_code error;
    const fs::path here = fs::current_path(error);
    return error ? path : paths::normalised(path, here.string());
}

std::string absoluteOr(const std::string &path, const std::string &standard)
{
    return path.starts_with('/') ? path : standard;
}

/// Places by the role of the process: a service and root write system-wide, a person below the home folder.
GatewayPaths defaultPlaces(const LoadOptions &options)
{
    const std::string service = variable(options, "STATE_DIRECTORY");
    const std::string runtime = variable(options, "XDG_RUNTIME_DIR");
    GatewayPaths out;
    if (options.root || !service.empty())
        out.stateDir = absoluteOr(service.substr(0, service.find(':')), "/var/lib/portcullis");
    else
        out.stateDir = absoluteOr(variable(options, "XDG_STATE_HOME"), options.home + "/.local/state") + "/portcullis";
    out.auditDb = out.stateDir + "/audit.db";
    out.sockets = {options.root || !runtime.starts_with('/') ? "/run/portcullis" : runtime + "/portcullis",
                   "/tmp/pkg.sock"};
    return out;
}

struct ConfigChoice {
    std::string path;
    bool named = false; ///< must exist
};

Result<ConfigChoice, Problem> chooseConfig(const LoadOptions &options)
{
    if (!options.configFile.empty())
        return ConfigChoice{fromCommandLine(options.configFile), true};
    const std::string named = variable(options, "GOCLAW_CONFIG");
    if (named.empty())
        return ConfigChoice{options.home + "/.goclaw/config.json", false};
    if (named.starts_with("~/"))
        return ConfigChoice{options.home + named.substr(1), true};
    if (named.starts_with('/'))
        return ConfigChoice{named, true};
    Problem problem;
    problem.code = nameOf(policy::ProblemCode::NotAbsolute);
    problem.file = "GOCLAW_CONFIG";
    problem.found = policy::shown(named);
    return failure(std::move(problem));
}

Result<void, Problem> readGateway(const LoadOptions &options, ConfigurationInput &input)
{
    const auto choice = chooseConfig(options);
    if (!choice)
        return failure(choice.error());
    auto text = readTrustedFile(choice->path, maxGatewayBytes);
    input.overrides.configFile = choice->path;
    if (text)
        input.gateway = std::move(*text);
    else if (choice->named || text.error().code != nameOf(policy::ProblemCode::NotFound))
        return failure(std::move(text.error()));
    return {};
}

std::vector<std::string> namesIn(const std::string &folder, std::string_view suffix, std::error_code &error)
{
    std::vector<std::string> names;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::string name = it->path().filename().string();
        if (!name.starts_with('.') && name.ends_with(suffix))
            names.push_back(std::move(name));
    }
    std::ranges::sort(names);
    return names;
}

std::vector<std::string> namesIn(const std::string &folder, std::string_view suffix)
{
    std::error_code error;
    return namesIn(folder, suffix, error);
}

/// Real folders only: a link in the place of a tenant's folder is not a tenant.
void addFolders(const std::string &parent, std::set<std::string> &out)
{
    for (const std::string &name : namesIn(parent, {})) {
        std::error_code error;
        if (fs::symlink_status(parent + '/' + name, error).type() == fs::file_type::directory)
            out.insert(name);
    }
}

/// Names alone, and only from where nobody but root and we can add one: each opens a folder of the store to every
/// tenant.
std::vector<std::string> bundledSkills(const std::string &folder)
{
    std::set<std::string> names;
    if (!folder.empty() && checkTrustedFolder(folder))
        addFolders(folder, names);
    return {names.begin(), names.end()};
}

Problems readRules(const std::string &folder, ConfigurationInput &input)
{
    Problems problems;
    for (const std::string &name : namesIn(folder, policySuffix)) {
        auto text = readOwnFile(folder + '/' + name, maxGatewayBytes);
        if (text)
            input.builtinRules.push_back(std::move(*text));
        else
            problems.push_back(std::move(text.error()));
    }
    if (problems.empty() && input.builtinRules.empty()) {
        Problem problem;
        problem.code = nameOf(policy::ProblemCode::NotFound);
        problem.file = folder;
        problems.push_back(std::move(problem));
    }
    return problems;
}

Result<void, Problem> addPolicies(const LoadOptions &options, const std::string &folder, ConfigurationInput &input)
{
    auto files = readPolicies(folder);
    if (files) {
        input.policies = std::move(files->texts);
        input.refusedPolicies = std::move(files->refused);
        return {};
    }
    const bool missing = files.error().code == nameOf(policy::ProblemCode::NotFound);
    if (missing && options.policiesDir.empty() && variable(options, "PORTCULLIS_POLICIES").empty())
        return {};
    return failure(std::move(files.error()));
}

std::string homeOfProcess(const std::map<std::string, std::string> &environment)
{
    const auto home = environment.find("HOME");
    if (home != environment.end() && home->second.starts_with('/'))
        return paths::normalised(home->second);
    const struct passwd *entry = ::getpwuid(::geteuid());
    return entry && entry->pw_dir ? paths::normalised(entry->pw_dir) : std::string();
}

} // namespace

LoadOptions optionsOfProcess()
{
    LoadOptions options;
    for (char **entry = environ; entry && *entry; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos)
            options.environment.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    options.home = homeOfProcess(options.environment);
    options.root = ::geteuid() == 0;
    return options;
}

std::string auditDbOf(const LoadOptions &options, const policy::Configuration *configuration)
{
    if (!options.auditDb.empty())
        return fromCommandLine(options.auditDb);
    return configuration ? configuration->paths().auditDb : variable(options, "PORTCULLIS_AUDIT_DB");
}

PlacesFound placesFound(const GatewayPaths &paths)
{
    std::error_code error;
    return {.gatewayFile = fs::is_regular_file(paths.configFile, error),
            .policiesDir = fs::is_directory(paths.policiesDir, error),
            .dataDir = fs::is_directory(paths.dataDir, error),
            .workspace = fs::is_directory(paths.workspace, error)};
}

std::vector<std::string> policyNames(const std::string &folder)
{
    return namesIn(folder, policySuffix);
}

Result<PolicyFiles, Problem> readPolicies(const std::string &folder)
{
    if (auto trusted = checkTrustedFolder(folder); !trusted)
        return failure(std::move(trusted.error()));
    PolicyFiles out;
    std::error_code error;
    const std::vector<std::string> names = namesIn(folder, policySuffix, error);
    if (error) // a folder that cannot be listed has policies that nobody knows
        return failure(unreadable(folder, error.value()));
    for (const std::string &name : names) {
        auto text = readTrustedFile(folder + '/' + name, maxPolicyBytes);
        if (text) {
            out.texts.push_back(std::move(*text));
            continue;
        }
        text.error().tenant = name.substr(0, name.size() - policySuffix.size());
        out.refused.push_back(std::move(text.error()));
    }
    return out;
}

Result<ConfigurationInput, Problems> readInput(const LoadOptions &options)
{
    ConfigurationInput input;
    input.home = options.home;
    input.checkExamples = options.checkExamples;
    input.defaults = defaultPlaces(options);
    input.overrides.dataDir = fromCommandLine(options.dataDir);
    input.overrides.auditDb = fromCommandLine(options.auditDb);
    input.overrides.policiesDir = fromCommandLine(options.policiesDir);
    for (const std::string_view name : policy::environmentNames()) {
        if (std::string value = variable(options, std::string(name)); !value.empty())
            input.environment.emplace(name, std::move(value));
    }
    if (auto read = readGateway(options, input); !read)
        return failure(Problems{std::move(read.error())});
    const auto places = policy::gatewayPaths(input);
    if (!places)
        return failure(places.error());
    if (auto read = addPolicies(options, places->policiesDir, input); !read)
        return failure(Problems{std::move(read.error())});
    std::set<std::string> folders;
    addFolders(places->dataDir + "/tenants", folders);
    addFolders(places->workspace + "/tenants", folders);
    input.tenantFolders.assign(folders.begin(), folders.end());
    input.bundledSkills = bundledSkills(places->bundledSkillsDir);
    if (Problems problems = readRules(options.resourcesDir + "/rules", input); !problems.empty())
        return failure(std::move(problems));
    return input;
}

Result<std::shared_ptr<const policy::Configuration>, Problems> loadConfiguration(const LoadOptions &options)
{
    const auto input = readInput(options);
    if (!input)
        return failure(input.error());
    return policy::Configuration::load(*input);
}

} // namespace portcullis::resources
