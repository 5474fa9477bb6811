// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/exec_report.h"

#include "ui/text/decision_text.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

namespace portcullis::cli {
namespace {

using decision::Decision;
using decision::ExecRequest;
using service::RunResult;

QString q(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

QJsonValue orNull(std::string_view text)
{
    return text.empty() ? QJsonValue() : QJsonValue(q(text));
}

QJsonArray array(const std::vector<std::string> &texts)
{
    QJsonArray out;
    for (const std::string &text : texts)
        out.append(q(text));
    return out;
}

text::RunFailure failureOf(const RunResult &result)
{
    return {.kind = result.failure, .step = result.step, .errorNumber = result.errnoValue, .path = result.path};
}

/// Values of the request may stand in a sentence; they must not act on a terminal or look like another line of ours.
std::string oneLine(const QString &sentence)
{
    return text::visibleText(sentence.toStdString()).toStdString();
}

std::string fourLines(std::string_view first, const QString &what, const QString &why, const QString &instead,
                      const std::string &id)
{
    return std::string(first) + ": " + oneLine(what) + "\nwhy: " + oneLine(why) + "\ninstead: " + oneLine(instead)
        + "\nid: " + id + '\n';
}

std::string refusalLines(const Decision &decision, const std::string &id, std::string_view knownTenants)
{
    text::Explanation words = text::explain(decision);
    if (decision.code == "unknown_tenant" && !knownTenants.empty()) {
        while (words.instead.endsWith(QLatin1Char('.')))
            words.instead.chop(1);
        words.instead += q(knownTenants) + QLatin1Char('.');
    }
    const QString what =
        words.group.isEmpty() ? words.title : words.title + QStringLiteral(" (") + words.group + QLatin1Char(')');
    return fourLines(decision.verdict == Verdict::Ask ? "needs approval" : "denied", what, words.why, words.instead,
                     id);
}

} // namespace

std::string reportLines(const ExecRequest &request, const Decision &decision, const RunResult &result,
                        std::string_view knownTenants)
{
    if (result.failure != RunResult::Failure::None) {
        const text::RunFailureWords words = text::runFailureWords(failureOf(result));
        return fourLines("failed", words.what, words.why, words.instead, request.id);
    }
    if (decision.verdict != Verdict::Allow)
        return refusalLines(decision, request.id, knownTenants);
    std::string out;
    if (result.outcome == Outcome::TimedOut)
        out += "timed out: the limit of " + std::to_string(decision.timeoutSeconds)
            + " s was reached; everything it started was ended\n";
    if (result.outcome == Outcome::Unfinished)
        out += "unfinished: the command was being started or ran when its supervisor died; how it ended is not known\n";
    if (decision.timeoutClamped)
        out += "note: the time limit was lowered to " + std::to_string(decision.timeoutSeconds)
            + " s, the most that policy allows\n";
    for (const std::string &note : result.notes)
        out += "note: " + oneLine(text::runNoteSentence(note)) + '\n';
    if (!out.empty())
        out += "id: " + request.id + '\n';
    return out;
}

std::string resultJson(const ExecRequest &request, const Decision &decision, const RunResult &result)
{
    QJsonObject object;
    object[QStringLiteral("id")] = q(request.id);
    object[QStringLiteral("tenant")] = q(request.tenant);
    object[QStringLiteral("agent")] = q(request.agent);
    object[QStringLiteral("verdict")] = q(nameOf(decision.verdict));
    object[QStringLiteral("check")] = decision.check ? QJsonValue(q(nameOf(*decision.check))) : QJsonValue();
    object[QStringLiteral("group")] = decision.group ? QJsonValue(q(nameOf(*decision.group))) : QJsonValue();
    object[QStringLiteral("rule")] = orNull(decision.rule);
    const text::Explanation words = text::explain(decision);
    object[QStringLiteral("reason")] = words.why;
    object[QStringLiteral("advice")] = words.instead;
    object[QStringLiteral("backend")] = q(nameOf(decision.backend));
    object[QStringLiteral("level")] = decision.levelKnown ? QJsonValue(q(nameOf(decision.level))) : QJsonValue();
    object[QStringLiteral("would_deny")] = decision.wouldDeny;
    object[QStringLiteral("outcome")] = q(nameOf(result.outcome));
    object[QStringLiteral("exit")] = result.exitCode ? QJsonValue(*result.exitCode) : QJsonValue();
    object[QStringLiteral("signal")] = result.signal ? QJsonValue(*result.signal) : QJsonValue();
    object[QStringLiteral("truncated")] = result.truncated;
    object[QStringLiteral("notes")] = array(result.notes);
    object[QStringLiteral("config")] = q(decision.configDigest);
    object[QStringLiteral("engine")] = QStringLiteral(PORTCULLIS_VERSION);
    if (result.failure != RunResult::Failure::None) {
        object[QStringLiteral("step")] = q(result.step);
        object[QStringLiteral("errno")] = result.errnoValue;
        object[QStringLiteral("path")] = orNull(result.path);
    }
    return QJsonDocument(object).toJson(QJsonDocument::Compact).toStdString();
}

int exitCode(const Decision &decision, const RunResult &result)
{
    switch (result.failure) {
    case RunResult::Failure::None:
        break;
    case RunResult::Failure::Plan:
    case RunResult::Failure::Confinement:
        return code(Exit::Confinement);
    case RunResult::Failure::Record:
        return code(Exit::Record);
    case RunResult::Failure::Backend:
        return code(Exit::Unavailable);
    case RunResult::Failure::Internal:
        return code(Exit::Internal);
    }
    if (decision.verdict == Verdict::Ask)
        return code(Exit::NeedsApproval);
    if (decision.verdict == Verdict::Deny) {
        if (decision.check == Check::Configuration)
            return code(Exit::Configuration);
        return code(decision.check == Check::Backend ? Exit::Unavailable : Exit::Denied);
    }
    switch (result.outcome) {
    case Outcome::Exited:
        return result.exitCode.value_or(code(Exit::Internal));
    case Outcome::Signalled:
        return 128 + result.signal.value_or(0);
    case Outcome::TimedOut:
        return code(Exit::TimedOut);
    case Outcome::Cancelled:
        return code(Exit::Cancelled);
    default:
        return code(Exit::Internal);
    }
}

} // namespace portcullis::cli
