// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/check_command.h"

#include "app/runner/commands/batch_line.h"
#include "app/runner/request_options.h"
#include "app/runner/terminal_wrap.h"
#include "runner/decision/decision_json.h"
#include "ui/text/decision_text.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <iostream>
#include <set>

namespace portcullis::cli {
namespace {

using decision::Decision;
using decision::HostFacts;

int usageError(CommandContext &context, const std::string &message)
{
    context.err("check: " + message + '\n');
    return code(Exit::Usage);
}

std::string jsonLine(const Decision &decision, std::string_view id)
{
    const text::Explanation words = text::explain(decision);
    return decision::toJson(decision, id, PORTCULLIS_VERSION, {words.why.toStdString(), words.instead.toStdString()})
        + '\n';
}

/// What the text did not show belongs to the answer.
std::string allowedLine(const Decision &decision)
{
    if (decision.dynamic.empty())
        return "allowed\n";
    QStringList parts;
    for (const DynamicReason reason : decision.dynamic)
        parts += text::dynamicName(reason);
    return "allowed, not fully read: " + parts.join(QStringLiteral(", ")).toStdString() + '\n';
}

std::string plainLines(const Decision &decision)
{
    const text::Explanation words = text::explain(decision);
    if (decision.verdict == Verdict::Allow)
        return allowedLine(decision);
    QString what = words.title;
    if (!words.group.isEmpty())
        what += QStringLiteral(" (") + words.group + QLatin1Char(')');
    const char *first = decision.verdict == Verdict::Ask ? "needs approval: " : "denied: ";
    return first + what.toStdString() + "\nwhy: " + words.why.toStdString()
        + "\ninstead: " + words.instead.toStdString() + '\n';
}

Exit exitFor(const Decision &decision)
{
    if (decision.check == Check::Configuration)
        return Exit::Configuration;
    switch (decision.verdict) {
    case Verdict::Allow:
        return Exit::Ok;
    case Verdict::Ask:
        return Exit::NeedsApproval;
    case Verdict::Deny:
        break;
    }
    return Exit::Denied;
}

/// The facts of this machine, changed by --assume. Nothing when its text is wrong, which has then been said.
std::optional<HostFacts> assumedFacts(CommandContext &context)
{
    const std::string assumed = context.arguments().value("assume").value_or("");
    Result<HostFacts, decision::AssumeError> facts = decision::assume(context.hostFacts(), assumed);
    if (!facts) {
        context.err("check: --assume: '" + facts.error().part + "' is not accepted; it takes " + facts.error().allowed
                    + '\n');
        return std::nullopt;
    }
    if (!facts->isKnown())
        context.err("check: note: what this machine can confine could not be found out (step \"" + facts->unknownStep
                    + "\"): now no command of a tenant would start on it (71)\n");
    return std::move(*facts);
}

/// Decides lines of a stream and writes an answer for each as soon as it is there.
class Batch
{
public:
    Batch(CommandContext &context, const policy::Configuration &configuration, const HostFacts &facts)
        : m_context(context)
        , m_configuration(configuration)
        , m_facts(facts)
        , m_tenant(context.arguments().value("tenant").value_or(""))
        , m_nowUs(CommandContext::nowUs())
    {
    }

    Exit run(std::istream &input)
    {
        std::string line;
        while (std::getline(input, line)) {
            ++m_line;
            if (line.find_first_not_of(" \t\r") != std::string::npos)
                decideLine(line);
        }
        return m_bad ? Exit::BadInput : Exit::Ok;
    }

private:
    void decideLine(const std::string &line)
    {
        Result<BatchRequest, BatchError> read = readBatchLine(line, m_tenant);
        if (!read) {
            m_bad = true;
            m_context.out(batchErrorJson(read.error(), m_line) + '\n');
            return;
        }
        for (const std::string &field : read->unknownFields) {
            if (m_named.insert(field).second)
                m_context.err("check: unknown field '" + field + "' is ignored\n");
        }
        read->request.timeUs = m_nowUs;
        m_context.out(jsonLine(decision::decide(read->request, m_configuration, m_facts), read->request.id));
    }

    CommandContext &m_context;
    const policy::Configuration &m_configuration;
    const HostFacts &m_facts;
    std::string m_tenant;
    std::int64_t m_nowUs = 0;
    std::uint64_t m_line = 0;
    bool m_bad = false;
    std::set<std::string> m_named;
};

int checkBatch(CommandContext &context, const std::string &source)
{
    if (context.arguments().hasSeparator)
        return usageError(context, "--batch takes its commands from the file, not from the command line");
    std::ifstream file;
    if (source != "-") {
        file.open(source, std::ios::binary);
        if (!file) {
            context.err("check: cannot read '" + source + "': " + std::strerror(errno) + '\n');
            return code(Exit::BadInput);
        }
    }
    const std::shared_ptr<const policy::Configuration> configuration = context.configuration();
    if (!configuration)
        return code(Exit::Configuration);
    const std::optional<HostFacts> facts = assumedFacts(context);
    if (!facts)
        return code(Exit::Usage);
    Batch batch(context, *configuration, *facts);
    return code(batch.run(source == "-" ? std::cin : file));
}

int checkOne(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    const std::optional<std::string> command = commandText(arguments);
    if (!command)
        return usageError(context, "a command is needed after --");
    Result<decision::ExecRequest, RequestError> request = requestFromOptions(arguments);
    if (!request)
        return reportRequest(context, request.error());
    const std::shared_ptr<const policy::Configuration> configuration = context.configuration();
    if (!configuration)
        return code(Exit::Configuration);
    context.reportTenant(request->tenant);
    std::optional<HostFacts> facts = assumedFacts(context);
    if (!facts)
        return code(Exit::Usage);
    request->command = *command;
    request->timeUs = CommandContext::nowUs();
    const decision::ReadCommands read = decision::readCommand(*request, *configuration, *facts);
    facts->answers = context.answer(decision::questions(*request, *configuration, *facts, read));
    const Decision decision = decision::decide(*request, *configuration, *facts, read);
    if (arguments.has("json"))
        context.out(jsonLine(decision, request->id));
    else if (arguments.has("explain"))
        context.out(wrapped(text::explainForTerminal(*command, decision).toStdString(), terminalColumns()));
    else
        context.out(plainLines(decision));
    return code(exitFor(decision));
}

} // namespace

int checkCommand(CommandContext &context)
{
    const Arguments &arguments = context.arguments();
    if (const std::optional<std::string> batch = arguments.value("batch"))
        return checkBatch(context, *batch);
    return checkOne(context);
}

} // namespace portcullis::cli
