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

QString personWords(const Json &detail)
{
    const QString by = member(detail, "by");
    return by.isEmpty() ? Words::tr("somebody") : by;
}

/// `: why (where)`: the reason stands before what is long, so that it is also in a row that is cut.
QString reasonAndDetails(const QString &reason, const QStringList &details)
{
    QString words = reason.isEmpty() ? QString() : QStringLiteral(": ") + reason;
    if (!details.isEmpty())
        words += QStringLiteral(" (") + details.join(QStringLiteral(", ")) + u')';
    return words;
}

QStringList exemptionDetails(const Event &event, const Json &detail)
{
    QStringList details{Words::tr("exemption \"%1\"").arg(member(detail, "exemption"))};
    if (const QString rule = member(detail, "rule"); !rule.isEmpty())
        details.append(Words::tr("rule \"%1\"").arg(rule));
    if (const QString agent = visibleText(event.agent); !agent.isEmpty())
        details.append(Words::tr("agent \"%1\"").arg(agent));
    const bool removed = member(detail, "action") == QLatin1StringView("remove_exemption");
    if (const QString until = member(detail, "expires"); !removed && !until.isEmpty())
        details.append(Words::tr("until %1").arg(until));
    return details;
}

QString editWords(const Event &event, const Json &detail)
{
    const QString who = personWords(detail);
    const QString tenant = visibleText(event.tenant);
    const QString reason = visibleText(event.reason);
    if (member(detail, "exemption").isEmpty()) {
        const QString what = tenant.isEmpty() ? Words::tr("%1 edited a policy").arg(who)
                                              : Words::tr("%1 edited the policy of %2").arg(who, tenant);
        const QString file = member(detail, "file");
        return what + reasonAndDetails(reason, file.isEmpty() ? QStringList() : QStringList(file));
    }
    const bool removed = member(detail, "action") == QLatin1StringView("remove_exemption");
    QString what =
        removed ? Words::tr("%1 removed an exemption").arg(who) : Words::tr("%1 added an exemption").arg(who);
    if (!tenant.isEmpty())
        what += u' ' + (removed ? Words::tr("of %1") : Words::tr("for %1")).arg(tenant);
    return what + reasonAndDetails(reason, exemptionDetails(event, detail));
}

QString pruneWords(const Event &event, const Json &detail)
{
    const QString rows = member(detail, "rows");
    QString order = visibleText(event.command);
    if (rows.isEmpty())
        return order;
    const QString who = personWords(detail);
    const QString count = rows == QLatin1StringView("1") ? Words::tr("%1 removed 1 row").arg(who)
                                                         : Words::tr("%1 removed %2 rows").arg(who, rows);
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

QString publishWords(const Event &event, const Json &detail)
{
    const QString who = personWords(detail);
    const QString tenant = visibleText(event.tenant);
    const QString file = member(detail, "file");
    const QString what = tenant.isEmpty() ? Words::tr("%1 published a policy").arg(who)
                                          : Words::tr("%1 published the policy of %2").arg(who, tenant);
    return what + reasonAndDetails(member(detail, "message"), file.isEmpty() ? QStringList() : QStringList(file));
}

/// What came of a change of policy, where it is not plainly made.
QString endOfChange(const Event &event)
{
    if (event.outcome == Outcome::NotStarted && !event.error.empty())
        return Words::tr(" (not put in force: %1)").arg(visibleText(event.error));
    if (event.outcome == Outcome::Running)
        return Words::tr(" (being put in force)");
    if (event.outcome == Outcome::Unfinished)
        return Words::tr(" (unfinished: the file tells whether it is in force)");
    return {};
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
        return editWords(event, *detail) + endOfChange(event);
    if (detail && event.kind == Kind::Prune)
        return pruneWords(event, *detail);
    if (detail && event.kind == Kind::Replay)
        return replayWords(*detail);
    if (detail && event.kind == Kind::Publish)
        return publishWords(event, *detail) + endOfChange(event);
    const QString command = visibleText(event.command);
    return command.isEmpty() ? visibleText(event.detailJson) : command;
}

} // namespace portcullis::text
