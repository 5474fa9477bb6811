// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/exec_command.h"

#include "app/runner/commands/exec_report.h"
#include "app/runner/commands/exec_result.h"
#include "app/runner/commands/record_access.h"
#include "app/runner/request_options.h"
#include "app/runner/write_all.h"
#include "runner/host/input_relay.h"
#include "runner/host/signal_watch.h"
#include "runner/resources/config_loader.h"
#include "runner/service/engine.h"

#include <QCoreApplication>

#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace portcullis::cli {
namespace {

using confinement::UniqueFd;
using service::Engine;
using service::RunResult;

/// One request through an engine of its own; lives until its result is there.
class ExecSession : public QObject
{
public:
    ExecSession(CommandContext &context, Engine &engine) : m_context(context), m_engine(engine)
    {
        connect(&engine, &Engine::securityEvent, this,
                [this](const QByteArray &line) { m_context.err(line.toStdString() + '\n'); });
        connect(&engine, &Engine::decided, this,
                [this](const std::string &, const decision::Decision &decision) { m_decision = decision; });
        connect(&engine, &Engine::output, this,
                [this](const std::string &id, service::Channel channel, const QByteArray &bytes) {
                    const int fd = channel == service::Channel::Out ? STDOUT_FILENO : STDERR_FILENO;
                    // As SIGPIPE would do it: a command whose reader has gone is ended.
                    if (!writeAll(fd, {bytes.constData(), static_cast<std::size_t>(bytes.size())}))
                        m_engine.cancel(id);
                });
        connect(&engine, &Engine::finished, this, [this](const RunResult &result) {
            m_result = result;
            QCoreApplication::quit();
        });
        connect(&m_signals, &host::SignalWatch::interrupted, this, [this] { m_engine.cancel(m_id); });
    }

    RunResult run(const decision::ExecRequest &request, UniqueFd input)
    {
        m_id = request.id;
        QMetaObject::invokeMethod(
            this,
            [this, request, fd = std::make_shared<UniqueFd>(std::move(input))] {
                m_engine.submitWithInput(request, std::move(*fd));
            },
            Qt::QueuedConnection);
        QCoreApplication::exec();
        return m_result;
    }

    [[nodiscard]] const decision::Decision &decision() const { return m_decision; }

private:
    CommandContext &m_context;
    Engine &m_engine;
    host::SignalWatch m_signals;
    std::string m_id;
    decision::Decision m_decision;
    RunResult m_result;
};

service::EngineSettings settingsFor(CommandContext &context,
                                    const std::shared_ptr<const policy::Configuration> &configuration)
{
    service::EngineSettings settings;
    settings.configuration = [configuration] { return configuration; };
    settings.facts = context.hostFacts();
    settings.guardPath = context.guardPath();
    settings.resourcesDir = context.resourcesDir();
    settings.gateway = configuration->paths().configFile;
    settings.role = "cli";
    return settings;
}

/// For people, who may have moved the folder; agents, whose output it would stand in, can do nothing about it.
void noteMissingPolicies(CommandContext &context, const policy::Configuration &configuration)
{
    const policy::GatewayPaths &paths = configuration.paths();
    if (::isatty(STDERR_FILENO) == 1 && !resources::placesFound(paths).policiesDir)
        context.err("exec: there is no policies folder " + paths.policiesDir
                    + ": the gateway's settings alone are in force\n");
}

} // namespace

int execCommand(CommandContext &context)
{
    auto request = requestFromOptions(context.arguments());
    if (!request)
        return reportRequest(context, request.error());
    const std::optional<std::string> command = commandText(context.arguments());
    if (!command) {
        context.err("exec: no command: put it after --, e.g. portcullis-runner exec --tenant acme -- 'ls -l'\n");
        return code(Exit::Usage);
    }
    const auto target = ExecResult::from(context.arguments());
    if (!target)
        return reportRequest(context, target.error());
    const auto configuration = context.configuration();
    if (!configuration)
        return code(Exit::Configuration);
    if (const auto placed = target->checkPlace(configuration->paths(), context.auditDb()); !placed)
        return reportRequest(context, placed.error());
    const bool known = configuration->isKnown(request->tenant);
    if (known) // of one that is not, the refusal tells
        context.reportTenant(request->tenant);
    noteMissingPolicies(context, *configuration);
    request->command = *command;
    request->id = service::newRequestId();

    std::error_code missing;
    const bool newRecord = std::filesystem::file_size(context.auditDb(), missing) == 0 || missing;
    auto writer = openToWrite(context);
    if (writer && newRecord)
        context.err("exec: a new record was made at " + context.auditDb() + '\n');
    if (!writer) {
        context.err("exec: nothing ran: " + recordWords(writer.error()) + '\n');
        return code(Exit::Record);
    }
    Engine engine(settingsFor(context, configuration), std::make_unique<service::DirectRecorder>(std::move(*writer)));
    ExecSession session(context, engine);
    UniqueFd input;
    if (context.arguments().has("stdin"))
        input.reset(::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3));
    std::optional<host::InputRelay> relay;
    if (input && host::InputRelay::isNeeded(input.get())) {
        relay.emplace(std::move(input));
        input = relay->takeReadingEnd();
    }
    const RunResult result = session.run(*request, std::move(input));
    context.err(reportLines(*request, session.decision(), result, known ? std::string() : context.knownTenants()));
    if (const int error = target->write(resultJson(*request, session.decision(), result) + '\n'); error != 0)
        context.err("exec: the result could not be written to " + *context.arguments().value("result") + ": "
                    + std::strerror(error) + '\n');
    return exitCode(session.decision(), result);
}

} // namespace portcullis::cli
