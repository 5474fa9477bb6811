// SPDX-License-Identifier: Apache-2.0
#include "app/runner/command_context.h"

#include "app/runner/write_all.h"

#include "app/runner/load_options.h"
#include "runner/confinement/probe.h"
#include "runner/host/host_facts.h"
#include "runner/host/path_answers.h"
#include "runner/resources/config_loader.h"
#include "runner/resources/resource_locator.h"
#include "runner/service/engine.h"
#include "ui/text/problem_text.h"
#include "ui/text/visible_text.h"

#include <QEventLoop>

#include <cerrno>
#include <optional>
#include <tuple>
#include <unistd.h>

namespace portcullis::cli {
namespace {

constexpr std::uint32_t nobodyId = 65534;

decision::HostFacts probeHost(const std::string &guardPath)
{
    const auto location = confinement::GuardLocation::at(guardPath);
    confinement::ProbeReport report;
    if (!location) {
        report.landlock = confinement::landlockAbi();
        report.landlockFailure = location.error();
        return host::hostFacts(report);
    }
    const bool root = ::geteuid() == 0;
    confinement::Probe probe(*location, root ? nobodyId : ::geteuid(), root ? nobodyId : ::getegid());
    QEventLoop loop;
    QObject::connect(&probe, &confinement::Probe::finished, &loop, [&](const confinement::ProbeReport &found) {
        report = found;
        loop.quit();
    });
    probe.start();
    loop.exec();
    return host::hostFacts(report);
}

} // namespace

struct CommandContext::Private {
    resources::Resources resources;
    std::shared_ptr<const policy::Configuration> configuration;
    std::vector<policy::Problem> problems;
    bool tried = false; ///< to load the configuration; its problems are said once
    std::optional<decision::HostFacts> facts;
    bool outClosed = false;
};

CommandContext::CommandContext(Arguments arguments) : m_arguments(std::move(arguments)), d(std::make_unique<Private>())
{
    d->resources = resources::locateResources(resources::ownExecutable());
}

CommandContext::~CommandContext() = default;

void CommandContext::out(std::string_view text)
{
    if (!d->outClosed)
        d->outClosed = !writeAll(STDOUT_FILENO, text);
}

bool CommandContext::outClosed() const
{
    return d->outClosed;
}

/// Line by line, since values of others may stand in it: a terminal must show them, not obey them.
void CommandContext::err(std::string_view text)
{
    std::string safe;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        safe += text::visibleText(text.substr(0, end)).toStdString();
        if (end < text.size())
            safe += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    writeAll(STDERR_FILENO, safe);
}

std::shared_ptr<const policy::Configuration> CommandContext::configuration()
{
    if (d->tried)
        return d->configuration;
    d->tried = true;
    auto loaded = resources::loadConfiguration(loadOptions(m_arguments));
    if (!loaded) {
        d->problems = std::move(loaded.error());
        err(text::problemLines(d->problems));
        return nullptr;
    }
    d->configuration = std::move(*loaded);
    d->problems = d->configuration->problems();
    noteMissingGateway();
    return d->configuration;
}

/// Defaults that nobody chose must not pass for a gateway's configuration. `doctor` and `validate` say it themselves.
void CommandContext::noteMissingGateway()
{
    const policy::GatewayPaths &paths = d->configuration->paths();
    const bool saysItself = m_arguments.command == "doctor" || m_arguments.command == "policy";
    if (!saysItself && !resources::placesFound(paths).gatewayFile)
        err(m_arguments.command + ": note: there is no gateway configuration at " + paths.configFile
            + ": defaults are in force; name one with --config FILE or GOCLAW_CONFIG\n");
}

const std::vector<policy::Problem> &CommandContext::problems()
{
    return d->problems;
}

void CommandContext::reportTenant(const std::string &tenant)
{
    if (d->configuration && !d->configuration->isKnown(tenant)) {
        err(m_arguments.command + ": there is no tenant \"" + tenant + '"' + knownTenants() + '\n');
        return;
    }
    std::vector<policy::Problem> own;
    for (const policy::Problem &problem : d->problems) {
        if (problem.tenant == tenant && problem.severity == policy::Problem::Severity::Error)
            own.push_back(problem);
    }
    err(text::problemLines(own));
}

std::string CommandContext::knownTenants()
{
    const auto known = configuration();
    if (!known)
        return {};
    if (known->tenants().empty())
        return "; the only tenant is " + std::string(policy::masterTenant);
    std::string names;
    for (const std::string &tenant : known->tenants())
        names += tenant + ", ";
    return "; there are " + names + std::string(policy::masterTenant);
}

const decision::HostFacts &CommandContext::hostFacts()
{
    if (!d->facts)
        d->facts = probeHost(d->resources.guard);
    return *d->facts;
}

std::map<decision::PathQuestion, std::string>
CommandContext::answer(const std::vector<decision::PathQuestion> &questions)
{
    return host::answerQuestions(questions);
}

std::string CommandContext::guardPath() const
{
    return d->resources.guard;
}

std::string CommandContext::resourcesDir() const
{
    return d->resources.dataDir;
}

std::string CommandContext::auditDb()
{
    const resources::LoadOptions options = loadOptions(m_arguments);
    if (options.auditDb.empty())
        std::ignore = configuration();
    return resources::auditDbOf(options, d->configuration.get());
}

std::int64_t CommandContext::nowUs()
{
    return service::nowUs();
}

} // namespace portcullis::cli
