// SPDX-License-Identifier: Apache-2.0
#include "ui/text/event_text.h"

#include "runner/base/uuid.h"
#include "runner/config/json5.h"
#include "runner/replay/recorded_decision.h"
#include "ui/text/action_text.h"
#include "ui/text/decision_text.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QTimeZone>

#include <algorithm>

namespace portcullis::text {
namespace {

using record::Event;
using record::Output;

constexpr qsizetype labelWidth = 15; ///< with the blank behind it

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::text::Event)
};

QDateTime localTime(std::int64_t timeUs)
{
    return QDateTime::fromMSecsSinceEpoch(timeUs / 1000, QTimeZone::LocalTime);
}

QString where(const Event &event)
{
    if (event.outcome == Outcome::NotStarted || event.backend.empty())
        return QStringLiteral("–");
    return event.backend == nameOf(Backend::Docker) ? Words::tr("sandbox") : Words::tr("host");
}

QString padded(const QString &text, qsizetype width)
{
    return text.leftJustified(width) + u' ';
}

/// A text that must not push what follows out of its column.
QString bounded(const QString &text, qsizetype width)
{
    return padded(shortened(text, width), width);
}

constexpr qsizetype decidedByWidth = 26;
constexpr qsizetype resultWidth = 15;

struct Columns {
    QString time;
    QString id;
    QString tenant;
    QString agent;
    QString verdict;
    QString where;
    QString result;
    QString decidedBy;
    QString command;
};

/// A terminal with fewer characters takes two lines, so that the command does not stand alone below the rest.
constexpr std::size_t oneLineColumns = 140;
/// From here on there is room for long titles of rules.
constexpr std::size_t wideColumns = 180;
constexpr qsizetype wideDecidedByWidth = 44;

QString inColumns(const Columns &of, std::size_t columns)
{
    const QString who =
        padded(of.time, 20) + padded(of.id, 9) + padded(of.tenant, 10) + padded(of.agent, 8) + padded(of.verdict, 7);
    if (columns > 0 && columns < oneLineColumns)
        return who + of.result + QStringLiteral("\n    ") + padded(of.where, 8) + padded(of.decidedBy, decidedByWidth)
            + QStringLiteral(" ") + of.command;
    return who + padded(of.where, 8) + padded(of.result, resultWidth)
        + bounded(of.decidedBy, columns >= wideColumns ? wideDecidedByWidth : decidedByWidth) + QStringLiteral(" ")
        + of.command;
}

/// Lines of `label  value` under each other; empty values are left out.
class Facts
{
public:
    void add(const QString &label, const QString &value)
    {
        if (!value.isEmpty())
            m_text += label.leftJustified(labelWidth - 1) + u' ' + value + u'\n';
    }
    void add(const QString &label, std::string_view value) { add(label, visibleText(value)); }
    [[nodiscard]] const QString &text() const { return m_text; }

private:
    QString m_text;
};

QString timeWithZone(std::int64_t timeUs)
{
    if (timeUs <= 0)
        return {};
    const QDateTime time = localTime(timeUs);
    return time.toString(QStringLiteral("yyyy-MM-dd HH:mm:ss.zzz ")) + time.timeZoneAbbreviation();
}

QString duration(const Event &event)
{
    if (event.startedUs <= 0 || event.finishedUs <= 0)
        return {};
    return Words::tr("%1 s").arg(static_cast<double>(event.finishedUs - event.startedUs) / 1e6, 0, 'f', 3);
}

QString levelWords(const Event &event)
{
    const auto level = fromName<Level>(event.level);
    QString words = level ? levelName(*level) : visibleText(event.level);
    for (std::string_view left = event.missing; !left.empty();) {
        const std::size_t comma = std::min(left.find(','), left.size());
        words += QStringLiteral(", ") + missingName(left.substr(0, comma));
        left.remove_prefix(std::min(comma + 1, left.size()));
    }
    return words;
}

QString whoFacts(const Event &event)
{
    Facts facts;
    facts.add(Words::tr("id"), event.id);
    facts.add(Words::tr("time"), timeWithZone(event.timeUs));
    const bool isCommand = event.kind == record::Kind::Exec;
    if (!isCommand) {
        facts.add(Words::tr("kind"), nameOf(event.kind));
        facts.add(Words::tr("what"), actionWords(event));
    }
    facts.add(Words::tr("tenant"), event.tenant);
    // No agent did what an operator did; the agent that an exemption is for is in the words.
    facts.add(Words::tr("agent"), isCommand ? std::string_view(event.agent) : std::string_view());
    facts.add(Words::tr("session"), event.session);
    facts.add(Words::tr("origin"), nameOf(event.origin));
    facts.add(Words::tr("parent"), event.parent);
    facts.add(Words::tr("gateway"), event.gateway);
    facts.add(Words::tr("cwd"), event.cwd);
    return facts.text();
}

/// A number of a row's detail: moments as such, others as they are spelled.
QString detailNumber(bool isTime, const config::Json &value)
{
    constexpr double latest = 9e15; // a double holds every microsecond below it; some 285 years from 1970
    return isTime && value.number > 0 && value.number < latest ? timeWithZone(static_cast<std::int64_t>(value.number))
                                                               : visibleText(value.string);
}

/// One member of a row's detail as a person reads it; empty for what is not there.
QString detailValue(bool isTime, const config::Json &value, std::string_view json)
{
    switch (value.type) {
    case config::Json::Type::Null:
        return {};
    case config::Json::Type::Bool:
        return value.boolean ? Words::tr("yes") : Words::tr("no");
    case config::Json::Type::Number:
        return detailNumber(isTime, value);
    case config::Json::Type::String:
        return visibleText(value.string);
    case config::Json::Type::Array:
    case config::Json::Type::Object:
        break;
    }
    return visibleText(json.substr(value.place.offset, value.end - value.place.offset));
}

/// What was changed, replayed or removed, a line for each member of the row's detail.
QString detailFacts(const Event &event)
{
    Facts facts;
    const auto detail = config::readJson5(event.detailJson);
    if (!detail || !detail->isObject()) {
        facts.add(Words::tr("reason"), event.reason);
        facts.add(Words::tr("detail"), event.detailJson);
        return facts.text();
    }
    if (!detail->find("message"))
        facts.add(Words::tr("reason"), event.reason);
    for (const config::Json::Member &member : detail->object) {
        const bool isTime = member.key.ends_with("_us");
        const std::string_view name = std::string_view(member.key).substr(0, member.key.size() - (isTime ? 3 : 0));
        facts.add(visibleText(name).replace(u'_', u' '), detailValue(isTime, member.value, event.detailJson));
    }
    return facts.text();
}

QString runFacts(const Event &event)
{
    Facts facts;
    const bool isCommand = event.kind == record::Kind::Exec;
    const bool started = event.outcome != Outcome::NotStarted;
    if (isCommand)
        facts.add(Words::tr("result"), outcomeWords(event));
    facts.add(Words::tr("took"), duration(event));
    const RunFailureWords failed = recordedFailureWords(event.error);
    facts.add(Words::tr("error"), failed.why);
    facts.add(Words::tr("instead"), started ? QString() : failed.instead);
    for (const std::string_view note : runNotes(event.note))
        facts.add(Words::tr("note"), runNoteSentence(note));
    facts.add(Words::tr("where"), isCommand && started ? where(event) : QString());
    facts.add(Words::tr("confinement"), started && !event.level.empty() ? levelWords(event) : QString());
    facts.add(Words::tr("host policy"), event.mode);
    facts.add(Words::tr("shell"), event.shell);
    if (isRespelled(event))
        facts.add(Words::tr("read as"), event.normalised);
    if (event.masked)
        facts.add(Words::tr("masked"), Words::tr("secrets were masked before this was written"));
    facts.add(Words::tr("config"), event.configDigest);
    facts.add(Words::tr("engine"), event.engine);
    return facts.text();
}

/// One stream, line by line behind a bar that the output itself cannot leave, so that line ends stay and everything
/// else that is not plain becomes a token.
QString stream(const QString &title, std::string_view bytes, std::int64_t dropped)
{
    if (bytes.empty() && dropped == 0)
        return {};
    QString text = title + u'\n';
    while (!bytes.empty()) {
        const std::size_t end = std::min(bytes.find('\n'), bytes.size());
        text += QStringLiteral("│ ") + visibleText(bytes.substr(0, end)) + u'\n';
        bytes.remove_prefix(std::min(end + 1, bytes.size()));
    }
    if (dropped > 0)
        text += QStringLiteral("  ") + Words::tr("%1 bytes after the first 256 KiB were not kept").arg(dropped) + u'\n';
    return text;
}

} // namespace

QString outcomeWords(const Event &event)
{
    switch (event.outcome) {
    case Outcome::NotStarted:
        return event.error.empty() ? Words::tr("not run") : Words::tr("failed to start");
    case Outcome::Running:
        return Words::tr("running");
    case Outcome::Exited:
        return event.exitCode ? Words::tr("exit %1").arg(*event.exitCode) : Words::tr("done");
    case Outcome::Signalled:
        return Words::tr("signal %1").arg(event.signal.value_or(0));
    case Outcome::TimedOut:
        return Words::tr("timed out");
    case Outcome::Cancelled:
        return Words::tr("cancelled");
    case Outcome::Unfinished:
        return Words::tr("unfinished");
    }
    return {};
}

QString decidedByWords(const Event &event)
{
    if (!event.title.empty())
        return visibleText(event.title);
    if (event.check.empty())
        return QStringLiteral("–");
    if (const QString title = codeTitle(event.code); !title.isEmpty())
        return title;
    if (!event.rule.empty())
        return visibleText(event.rule);
    const auto check = fromName<Check>(event.check);
    return check ? checkName(*check) : visibleText(event.check);
}

QString eventLine(const Event &event, std::size_t columns)
{
    const bool isCommand = event.kind == record::Kind::Exec;
    const bool wouldRefuse = event.wouldDeny && event.check.empty();
    return inColumns({.time = localTimeText(event.timeUs),
                      .id = visibleText(shortId(event.id)),
                      .tenant = visibleText(event.tenant),
                      .agent = visibleText(event.agent),
                      .verdict = isCommand ? verdictName(event.verdict) : kindName(event.kind),
                      .where = where(event),
                      .result = isCommand ? outcomeWords(event) : QStringLiteral("–"),
                      .decidedBy = wouldRefuse ? Words::tr("would be refused by deny") : decidedByWords(event),
                      .command = isCommand ? commandLine(event.command) : actionWords(event)},
                     columns);
}

QString localTimeText(std::int64_t timeUs)
{
    return localTime(timeUs).toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"));
}

QString eventLineHeader(std::size_t columns)
{
    return inColumns({.time = Words::tr("time"),
                      .id = Words::tr("id"),
                      .tenant = Words::tr("tenant"),
                      .agent = Words::tr("agent"),
                      .verdict = Words::tr("verdict"),
                      .where = Words::tr("where"),
                      .result = Words::tr("result"),
                      .decidedBy = Words::tr("decided by"),
                      .command = Words::tr("command")},
                     columns);
}

QString eventForTerminal(const Event &event, const Output &output)
{
    QString text = whoFacts(event) + u'\n';
    if (event.kind == record::Kind::Exec)
        text += explainForTerminal(event.command, replay::recordedDecision(event),
                                   event.outcome == Outcome::NotStarted ? RunTense::Never : RunTense::Past)
            + u'\n';
    else
        text += detailFacts(event);
    text += runFacts(event);
    for (const QString &part : {stream(Words::tr("standard output"), output.out, output.outDropped),
                                stream(Words::tr("standard error"), output.err, output.errDropped)})
        text += part.isEmpty() ? QString() : u'\n' + part;
    return text;
}

std::int32_t localOffset(std::int64_t utcUs)
{
    return QTimeZone::systemTimeZone().offsetFromUtc(QDateTime::fromMSecsSinceEpoch(utcUs / 1000, QTimeZone::UTC));
}

} // namespace portcullis::text
