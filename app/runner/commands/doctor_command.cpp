// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/doctor_command.h"

#include "runner/audit/audit_check.h"
#include "runner/audit/audit_writer.h"
#include "runner/host/workspaces.h"
#include "runner/resources/config_loader.h"
#include "runner/service/break_out_probe.h"
#include "runner/service/engine.h"
#include "runner/service/missing_policies.h"
#include "ui/text/findings.h"

#include <QEventLoop>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <cstring>
#include <format>
#include <unistd.h>

namespace portcullis::cli {
namespace {

using ports::Finding;
using ports::Severity;
using service::AttemptResult;

QString q(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

/// Damage may lie in pages that opening does not read, and would then refuse commands later.
void lookAtRecord(text::DoctorFacts &facts)
{
    const auto writer = audit::AuditWriter::open({.path = facts.auditDb});
    if (!writer) {
        facts.auditError = nameOf(writer.error().code);
        return;
    }
    const auto health = audit::checkRecord(facts.auditDb);
    if (!health)
        facts.auditError = nameOf(health.error().code);
    else if (*health == audit::RecordHealth::Damaged)
        facts.auditError = nameOf(audit::AuditError::Code::Corrupt);
    else
        facts.auditUnchecked = *health == audit::RecordHealth::NotChecked;
}

text::DoctorFacts gather(CommandContext &context)
{
    text::DoctorFacts facts;
    facts.host = context.hostFacts();
    facts.configuration = context.configuration();
    facts.problems = context.problems();
    facts.auditDb = context.auditDb();
    facts.runnerIsRoot = ::geteuid() == 0;
    facts.nowUs = CommandContext::nowUs();
    if (facts.configuration) {
        facts.rootOwnedWorkspaces = host::rootOwnedWorkspaces(*facts.configuration);
        const resources::PlacesFound found = resources::placesFound(facts.configuration->paths());
        facts.gatewayFound = found.gatewayFile;
        facts.policiesFound = found.policiesDir;
        facts.dataDirFound = found.dataDir;
        facts.workspaceFound = found.workspace;
        service::MissingPolicies missing = service::missingPolicies(*facts.configuration, facts.auditDb);
        facts.withoutPolicy = std::move(missing.tenants);
        facts.lostPolicies = std::move(missing.lost);
    }
    if (facts.auditDb.empty())
        return facts;
    lookAtRecord(facts);
    return facts;
}

std::string markOf(Severity severity)
{
    switch (severity) {
    case Severity::Good:
        return "ok     ";
    case Severity::Note:
        return "note   ";
    case Severity::Warning:
        return "WARNING";
    case Severity::Problem:
        return "PROBLEM";
    }
    return "?      ";
}

void print(CommandContext &context, const QList<Finding> &findings)
{
    for (const Finding &finding : findings) {
        std::string happened = finding.happened;
        for (std::size_t at = 0; (at = happened.find('\n', at)) != std::string::npos; at += 10)
            happened.insert(at + 1, 9, ' ');
        context.out(markOf(finding.severity) + "  " + finding.title + "\n         " + happened + '\n');
        if (!finding.todo.empty())
            context.out("         → " + finding.todo + '\n');
    }
}

void print(CommandContext &context, const AttemptResult &result)
{
    std::string outcome = result.refused ? "refused"
        : result.documented              ? "succeeded (a documented gap of this level)"
                                         : "SUCCEEDED";
    if (!result.failure.empty())
        outcome = "NOT TRIED: " + result.failure;
    if (result.errnoValue != 0)
        outcome += std::string(": ") + std::strerror(result.errnoValue);
    context.out(std::format("{:7}  {:32} {:44} {:6.1f} ms\n", result.good() ? "ok" : "PROBLEM", result.name, outcome,
                            static_cast<double>(result.microseconds) / 1000.0));
}

QJsonObject toJson(const Finding &finding)
{
    return {{QStringLiteral("id"), q(finding.id)},
            {QStringLiteral("category"), q(nameOf(finding.category))},
            {QStringLiteral("severity"), q(nameOf(finding.severity))},
            {QStringLiteral("title"), q(finding.title)},
            {QStringLiteral("tried"), q(finding.tried)},
            {QStringLiteral("happened"), q(finding.happened)},
            {QStringLiteral("todo"), q(finding.todo)}};
}

QJsonObject toJson(const AttemptResult &result)
{
    const char *outcome = !result.failure.empty() ? "not_tried" : result.refused ? "refused" : "succeeded";
    return {{QStringLiteral("name"), q(result.name)},
            {QStringLiteral("outcome"), q(outcome)},
            {QStringLiteral("errno"), result.errnoValue},
            {QStringLiteral("good"), result.good()},
            {QStringLiteral("documented"), result.documented},
            {QStringLiteral("failure"), q(result.failure)},
            {QStringLiteral("ms"), static_cast<double>(result.microseconds) / 1000.0}};
}

struct ProbeRun {
    std::vector<AttemptResult> results;
    std::string failure;
};

ProbeRun runProbe(CommandContext &context, bool live)
{
    ProbeRun run;
    service::BreakOutProbe probe(
        {.guardPath = context.guardPath(), .resourcesDir = context.resourcesDir(), .facts = context.hostFacts()});
    QEventLoop loop;
    QObject::connect(&probe, &service::BreakOutProbe::attempted, &loop, [&](const AttemptResult &result) {
        run.results.push_back(result);
        if (live)
            print(context, result);
    });
    QObject::connect(&probe, &service::BreakOutProbe::finished, &loop, [&](const std::string &failure) {
        run.failure = failure;
        loop.quit();
    });
    probe.start();
    loop.exec();
    return run;
}

} // namespace

int doctorCommand(CommandContext &context)
{
    const bool json = context.arguments().has("json");
    const QList<Finding> findings = text::findings(gather(context));
    bool bad = text::worstOf(findings) == Severity::Problem;
    if (!json)
        print(context, findings);
    ProbeRun probe;
    if (context.arguments().has("probe")) {
        if (!json)
            context.out("\nBreak-out attempts from inside a confined command:\n");
        probe = runProbe(context, !json);
        if (!probe.failure.empty()) {
            bad = true;
            context.err("doctor: the probe could not be made: " + probe.failure + '\n');
        }
        for (const AttemptResult &result : probe.results)
            bad = bad || !result.good();
    }
    if (json) {
        QJsonArray list;
        for (const Finding &finding : findings)
            list.append(toJson(finding));
        QJsonObject object{{QStringLiteral("findings"), list}};
        QJsonArray attempts;
        for (const AttemptResult &result : probe.results)
            attempts.append(toJson(result));
        if (context.arguments().has("probe"))
            object[QStringLiteral("attempts")] = attempts;
        context.out(QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString() + '\n');
    }
    return bad ? code(Exit::Findings) : code(Exit::Ok);
}

} // namespace portcullis::cli
