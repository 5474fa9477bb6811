// SPDX-License-Identifier: Apache-2.0
#include "ui/models/log_cells.h"

#include "runner/base/utf8.h"
#include "ui/text/action_text.h"
#include "ui/text/decision_text.h"
#include "ui/text/event_text.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <QTimeZone>

namespace portcullis::ui {

namespace {

using Model = ExecLogModel;

// A cell shows a line; what lies behind is in the detail pane. Keeps the view quick with commands of 128 KiB.
constexpr std::size_t cellBytes = 400;
constexpr qsizetype cellUnits = 400;
constexpr std::size_t tipBytes = 4000;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::ui::LogCells)
};

QString line(const std::string &text, std::size_t limit = cellBytes)
{
    const std::string_view head = utf8Head(text, limit);
    return text::visibleText(head) + (head.size() < text.size() ? QStringLiteral("…") : QString());
}

QDateTime localTime(std::int64_t timeUs)
{
    return QDateTime::fromMSecsSinceEpoch(timeUs / 1000, QTimeZone::LocalTime);
}

QString timeText(std::int64_t timeUs, QDate today)
{
    const QDateTime time = localTime(timeUs);
    if (time.date() == today)
        return time.toString(QStringLiteral("HH:mm:ss"));
    const auto *form = time.date().year() == today.year() ? "d MMM HH:mm:ss" : "yyyy-MM-dd HH:mm:ss";
    return QLocale().toString(time, QString::fromLatin1(form));
}

bool probablyConfinement(const record::Event &event)
{
    return !text::refusedPaths(event.note).isEmpty();
}

/// What else is known of the end of a run, a line for each.
QString resultTip(const record::Event &event)
{
    QStringList lines;
    if (const QStringList paths = text::refusedPaths(event.note); !paths.isEmpty()) {
        lines.append(Words::tr("The command failed and its output speaks of missing permission: probably it met the "
                               "walls around it. Outside of them: %1")
                         .arg(paths.join(QStringLiteral(", "))));
    }
    for (const std::string_view note : text::runNotes(event.note)) {
        if (!note.starts_with("probably_confinement"))
            lines.append(text::asSentence(text::runNoteSentence(note)));
    }
    return lines.join(u'\n');
}

QString exitWords(const record::Event &event)
{
    const int code = event.exitCode.value_or(0);
    return probablyConfinement(event) ? Words::tr("exit %1, confined?").arg(code) : Words::tr("exit %1").arg(code);
}

QString whereText(const record::Event &event)
{
    if (event.kind != record::Kind::Exec || event.outcome == Outcome::NotStarted)
        return QStringLiteral("–");
    return event.backend == nameOf(Backend::Docker) ? Words::tr("sandbox") : Words::tr("host");
}

} // namespace

QString resultWords(const record::Event &event)
{
    if (event.kind != record::Kind::Exec)
        return QStringLiteral("–");
    return event.outcome == Outcome::Exited ? exitWords(event) : text::outcomeWords(event);
}

QString columnTitle(Model::Column column)
{
    switch (column) {
    case Model::Time:
        return Words::tr("Time");
    case Model::Tenant:
        return Words::tr("Tenant");
    case Model::Agent:
        return Words::tr("Agent");
    case Model::VerdictColumn:
        return Words::tr("Verdict");
    case Model::Command:
        return Words::tr("Command");
    case Model::DecidedBy:
        return Words::tr("Decided by");
    case Model::Where:
        return Words::tr("Where");
    case Model::Result:
        return Words::tr("Result");
    case Model::Would:
        return Words::tr("Host policy");
    case Model::ColumnCount:
        break;
    }
    return {};
}

QString columnTip(Model::Column column)
{
    switch (column) {
    case Model::Time:
        return Words::tr("When it was decided, in local time");
    case Model::Tenant:
        return Words::tr("The tenant for whom the command was to run");
    case Model::Agent:
        return Words::tr("The agent that asked for it");
    case Model::VerdictColumn:
        return Words::tr("What was decided: ALLOW, ASK or DENY; other words are changes of policies and of the record");
    case Model::Command:
        return Words::tr("What was to run, with hidden characters made visible");
    case Model::DecidedBy:
        return Words::tr("The rule or check that decided");
    case Model::Where:
        return Words::tr("Where it ran: on the host, confined, or in the sandbox");
    case Model::Result:
        return Words::tr("How the run ended");
    case Model::Would:
        return Words::tr("\"would refuse\": the host policy only warns, and set to deny it would refuse this command");
    case Model::ColumnCount:
        break;
    }
    return {};
}

QString cellText(const record::Event &event, Model::Column column, QDate today)
{
    switch (column) {
    case Model::Time:
        return timeText(event.timeUs, today);
    case Model::Tenant:
        return line(event.tenant);
    case Model::Agent:
        return line(event.agent);
    case Model::VerdictColumn:
        return event.kind == record::Kind::Exec ? text::verdictName(event.verdict) : text::kindName(event.kind);
    case Model::Command:
        return event.kind == record::Kind::Exec ? text::commandLine(event.command)
                                                : text::shortened(text::actionWords(event), cellUnits);
    case Model::DecidedBy:
        return text::shortened(text::decidedByWords(event), cellUnits);
    case Model::Where:
        return whereText(event);
    case Model::Result:
        return resultWords(event);
    case Model::Would:
        return event.wouldDeny ? Words::tr("would refuse") : QString();
    case Model::ColumnCount:
        break;
    }
    return {};
}

QString cellTip(const record::Event &event, Model::Column column)
{
    switch (column) {
    case Model::Time: {
        const QDateTime time = localTime(event.timeUs);
        return Words::tr("%1 (%2)").arg(QLocale().toString(time, QStringLiteral("dddd d MMMM yyyy HH:mm:ss.zzz")),
                                        time.timeZoneAbbreviation());
    }
    case Model::Command:
        return event.kind == record::Kind::Exec ? line(event.command, tipBytes)
                                                : text::shortened(text::actionWords(event), tipBytes);
    case Model::Result:
        return resultTip(event);
    case Model::Would:
        return event.wouldDeny
            ? Words::tr("The host policy warns: it would refuse this command if it were set to deny.")
            : QString();
    default:
        return {};
    }
}

QString filterQuoted(const QString &text)
{
    QString quoted = text;
    quoted.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\""));
    return u'"' + quoted + u'"';
}

QString cellFilter(const record::Event &event, Model::Column column)
{
    const auto term = [](QLatin1StringView field, const std::string &value) {
        return value.empty() ? QString() : QString(field) + u':' + filterQuoted(QString::fromStdString(value));
    };
    switch (column) {
    case Model::Time:
        return QStringLiteral("time:") + localTime(event.timeUs).toString(QStringLiteral("yyyy-MM-dd"));
    case Model::Tenant:
        return term(QLatin1StringView("tenant"), event.tenant);
    case Model::Agent:
        return term(QLatin1StringView("agent"), event.agent);
    case Model::VerdictColumn:
        return event.kind == record::Kind::Exec ? term(QLatin1StringView("verdict"), std::string(nameOf(event.verdict)))
                                                : term(QLatin1StringView("kind"), std::string(nameOf(event.kind)));
    case Model::Command:
        return filterQuoted(QString::fromStdString(std::string(utf8Head(event.command, cellBytes))));
    case Model::DecidedBy:
        return event.rule.empty() ? term(QLatin1StringView("check"), event.check)
                                  : term(QLatin1StringView("rule"), event.rule);
    case Model::Where:
        return term(QLatin1StringView("backend"), event.backend);
    case Model::Result:
        return term(QLatin1StringView("outcome"), std::string(nameOf(event.outcome)));
    case Model::Would:
        return event.wouldDeny ? QStringLiteral("would_deny:yes") : QStringLiteral("would_deny:no");
    case Model::ColumnCount:
        break;
    }
    return {};
}

} // namespace portcullis::ui
