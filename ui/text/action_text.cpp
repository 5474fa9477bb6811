// SPDX-License-Identifier: Apache-2.0
#include "ui/text/action_text.h"

#include "runner/config/json5.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>

namespace portcullis::text {
namespace {

using config::Json;
using record::Event;
using record::Kind;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::text::Action)
};

/// A text of the row's detail; empty where there is none.
QString member(const Json &detail, std::string_view key)
{
    const Json *value = detail.find(key);
    return value && (value->isString() || value->isNumber()) ? visibleText(value->string) : QString();
}

QString editWords(const Event &event, const Json &detail)
{
    const QString by = member(detail, "by");
    const QString who = by.isEmpty() ? Words::tr("somebody") : by;
    const QString exemption = member(detail, "exemption");
    if (exemption.isEmpty())
        return Words::tr("%1 edited %2").arg(who, member(detail, "file"));
    const bool removed = member(detail, "action") == QLatin1StringView("remove_exemption");
    QString words = removed ? Words::tr("%1 removed exemption \"%2\"").arg(who, exemption)
                            : Words::tr("%1 added exemption \"%2\"").arg(who, exemption);
    if (const QString rule = member(detail, "rule"); !rule.isEmpty())
        words += u' ' + Words::tr("for rule \"%1\"").arg(rule);
    if (const QString until = member(detail, "expires"); !removed && !until.isEmpty())
        words += u' ' + Words::tr("until %1").arg(until);
    return event.reason.empty() ? words : words + QStringLiteral(": ") + visibleText(event.reason);
}

QString pruneWords(const Event &event, const Json &detail)
{
    const QString rows = member(detail, "rows");
    QString order = visibleText(event.command);
    if (rows.isEmpty())
        return order;
    const QString count =
        rows == QLatin1StringView("1") ? Words::tr("removed 1 row") : Words::tr("removed %1 rows").arg(rows);
    return order.isEmpty() ? count : count + QStringLiteral(": ") + order;
}

QString replayWords(const Json &detail)
{
    const QString filter = member(detail, "filter");
    const QString loosened = member(detail, "loosened");
    return Words::tr("%1 replayed %2 commands%3 against %4: %5 loosened, %6 tightened")
        .arg(member(detail, "by"), member(detail, "replayed"),
             filter.isEmpty() ? filter : QStringLiteral(" (") + filter + u')', member(detail, "against"), loosened,
             member(detail, "tightened"));
}

QString publishWords(const Json &detail)
{
    return Words::tr("%1 published %2: %3")
        .arg(member(detail, "by"), member(detail, "file"), member(detail, "message"));
}

} // namespace

QString kindName(Kind kind)
{
    return QString::fromLatin1(nameOf(kind)).toUpper();
}

QString actionWords(const Event &event)
{
    if (event.kind == Kind::Exec)
        return visibleText(event.command);
    const auto detail = config::readJson5(event.detailJson);
    if (detail && event.kind == Kind::Edit)
        return editWords(event, *detail);
    if (detail && event.kind == Kind::Prune)
        return pruneWords(event, *detail);
    if (detail && event.kind == Kind::Replay)
        return replayWords(*detail);
    if (detail && event.kind == Kind::Publish)
        return publishWords(*detail);
    const QString command = visibleText(event.command);
    return command.isEmpty() ? visibleText(event.detailJson) : command;
}

} // namespace portcullis::text
