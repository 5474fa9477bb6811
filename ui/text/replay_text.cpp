// SPDX-License-Identifier: Apache-2.0
#include "ui/text/replay_text.h"

#include "ui/text/decision_text.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QStringList>

#include <array>

namespace portcullis::text {
namespace {

using replay::Change;
using replay::Obstacle;
using replay::Side;
using replay::Totals;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::text::Replay)
};

constexpr std::array strictestFirst{Verdict::Deny, Verdict::Ask, Verdict::Allow};
constexpr qsizetype labelWidth = 8;
constexpr qsizetype numberWidth = 9;

QString verdictWord(Verdict verdict)
{
    return QString::fromLatin1(nameOf(verdict));
}

std::int64_t cell(const Totals &totals, Verdict before, Verdict after)
{
    return totals.matrix.at(static_cast<std::size_t>(before)).at(static_cast<std::size_t>(after));
}

QString codeOrCheck(const Side &side)
{
    QString title = codeTitle(side.code);
    if (!title.isEmpty())
        return title;
    const auto check = fromName<Check>(side.check);
    return check ? checkName(*check) : visibleText(side.check);
}

} // namespace

QString obstacleName(Obstacle obstacle)
{
    switch (obstacle) {
    case Obstacle::NoCommand:
        return Words::tr("no command");
    case Obstacle::NoHostFacts:
        return Words::tr("host not recorded");
    case Obstacle::Masked:
        return Words::tr("masked");
    case Obstacle::TenantGone:
        return Words::tr("tenant gone");
    case Obstacle::PolicyBroken:
        return Words::tr("policy broken");
    case Obstacle::ConfigurationGone:
        return Words::tr("configuration gone");
    case Obstacle::PathUnanswered:
        return Words::tr("path not looked at");
    }
    return {};
}

QString obstacleSentence(Obstacle obstacle)
{
    switch (obstacle) {
    case Obstacle::NoCommand:
        return Words::tr("This event is no command: nothing was decided.");
    case Obstacle::NoHostFacts:
        return Words::tr("The record does not say what the machine could enforce then.");
    case Obstacle::Masked:
        return Words::tr("A secret was masked where the decision looks; what stood there is not kept.");
    case Obstacle::TenantGone:
        return Words::tr("The configuration does not know this tenant.");
    case Obstacle::PolicyBroken:
        return Words::tr("The tenant's policy does not load in this configuration; policy validate says why.");
    case Obstacle::ConfigurationGone:
        return Words::tr("The configuration that was in force then is not in the record.");
    case Obstacle::PathUnanswered:
        return Words::tr("The decision depends on where a path led then, which nobody looked up; check decides it "
                         "with the paths as they are now.");
    }
    return {};
}

QString sideReason(const Side &side)
{
    if (side.check.empty())
        return {};
    const QString title = side.title.empty() ? codeOrCheck(side) : visibleText(side.title);
    const QString where = side.group.empty() ? visibleText(side.rule)
        : side.rule.empty()                  ? visibleText(side.group)
                                             : visibleText(side.group + '/' + side.rule);
    return where.isEmpty() ? title : title + QStringLiteral(" (") + where + QLatin1Char(')');
}

QString changeWords(const replay::Row &row)
{
    if (row.before.verdict == row.after.verdict)
        return verdictWord(row.before.verdict);
    return verdictWord(row.before.verdict) + QStringLiteral("→") + verdictWord(row.after.verdict);
}

QString totalsLine(const Totals &totals)
{
    const auto number = [](std::int64_t n) { return QString::number(n); };
    QString line =
        Words::tr("%1 replayed: %2 unchanged · %3 loosened · %4 tightened · %5 other reason · %6 not replayable")
            .arg(number(totals.replayed), number(totals.of(Change::Unchanged)), number(totals.of(Change::Loosened)),
                 number(totals.of(Change::Tightened)), number(totals.of(Change::ChangedReason)),
                 number(totals.notReplayable()));
    QStringList reasons;
    for (const auto &[obstacle, count] : totals.obstacles)
        reasons += obstacleName(obstacle) + QLatin1Char(' ') + number(count);
    return reasons.isEmpty() ? line
                             : line + QStringLiteral(" (") + reasons.join(QStringLiteral(", ")) + QLatin1Char(')');
}

QString matrixLines(const Totals &totals)
{
    QString text = QString(labelWidth, u' ');
    for (const Verdict after : strictestFirst)
        text += (QStringLiteral("→ ") + verdictName(after)).rightJustified(numberWidth);
    text += u'\n';
    for (const Verdict before : strictestFirst) {
        text += verdictName(before).leftJustified(labelWidth);
        for (const Verdict after : strictestFirst)
            text += QString::number(cell(totals, before, after)).rightJustified(numberWidth);
        text += u'\n';
    }
    return text;
}

} // namespace portcullis::text
