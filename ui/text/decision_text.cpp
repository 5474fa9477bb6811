// SPDX-License-Identifier: Apache-2.0
#include "ui/text/decision_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace portcullis::text {
namespace {

using decision::Blocker;
using decision::Decision;
using decision::TraceEntry;

constexpr char context[] = "Decision";

QString tr(const char *text)
{
    return QCoreApplication::translate(context, text);
}

QString fromBytes(std::string_view bytes)
{
    return QString::fromUtf8(bytes.data(), static_cast<qsizetype>(bytes.size()));
}

template <class E, std::size_t N>
QString named(const std::array<const char *, N> &names, E value)
{
    static_assert(N == Names<E>::all.size());
    return tr(names.at(static_cast<std::size_t>(value)));
}

constexpr std::array<const char *, 16> groupNames{QT_TRANSLATE_NOOP("Decision", "destructive operations"),
                                                  QT_TRANSLATE_NOOP("Decision", "data exfiltration"),
                                                  QT_TRANSLATE_NOOP("Decision", "reverse shell"),
                                                  QT_TRANSLATE_NOOP("Decision", "code injection"),
                                                  QT_TRANSLATE_NOOP("Decision", "privilege escalation"),
                                                  QT_TRANSLATE_NOOP("Decision", "dangerous paths"),
                                                  QT_TRANSLATE_NOOP("Decision", "environment injection"),
                                                  QT_TRANSLATE_NOOP("Decision", "container escape"),
                                                  QT_TRANSLATE_NOOP("Decision", "crypto mining"),
                                                  QT_TRANSLATE_NOOP("Decision", "filter bypass"),
                                                  QT_TRANSLATE_NOOP("Decision", "network reconnaissance"),
                                                  QT_TRANSLATE_NOOP("Decision", "package installation"),
                                                  QT_TRANSLATE_NOOP("Decision", "persistence"),
                                                  QT_TRANSLATE_NOOP("Decision", "process control"),
                                                  QT_TRANSLATE_NOOP("Decision", "environment dump"),
                                                  QT_TRANSLATE_NOOP("Decision", "path guard")};

constexpr std::array<const char *, 12> checkNames{QT_TRANSLATE_NOOP("Decision", "input"),
                                                  QT_TRANSLATE_NOOP("Decision", "readings"),
                                                  QT_TRANSLATE_NOOP("Decision", "credentialed"),
                                                  QT_TRANSLATE_NOOP("Decision", "deny rules"),
                                                  QT_TRANSLATE_NOOP("Decision", "path guard"),
                                                  QT_TRANSLATE_NOOP("Decision", "backend"),
                                                  QT_TRANSLATE_NOOP("Decision", "host policy"),
                                                  QT_TRANSLATE_NOOP("Decision", "confinement"),
                                                  QT_TRANSLATE_NOOP("Decision", "working directory"),
                                                  QT_TRANSLATE_NOOP("Decision", "dynamic parts"),
                                                  QT_TRANSLATE_NOOP("Decision", "approval"),
                                                  QT_TRANSLATE_NOOP("Decision", "configuration")};

constexpr std::array<const char *, 4> levelNames{
    QT_TRANSLATE_NOOP("Decision", "unconfined"), QT_TRANSLATE_NOOP("Decision", "confined in part"),
    QT_TRANSLATE_NOOP("Decision", "Landlock"), QT_TRANSLATE_NOOP("Decision", "both walls")};

constexpr std::array<const char *, 6> dynamicNames{
    QT_TRANSLATE_NOOP("Decision", "unknown program"), QT_TRANSLATE_NOOP("Decision", "unknown word"),
    QT_TRANSLATE_NOOP("Decision", "unseen code"),     QT_TRANSLATE_NOOP("Decision", "unbounded loop"),
    QT_TRANSLATE_NOOP("Decision", "too complex"),     QT_TRANSLATE_NOOP("Decision", "syntax error")};

struct MissingWords {
    std::string_view missing;
    const char *words;
};
constexpr auto missingWords = std::to_array<MissingWords>({
    {"landlock", QT_TRANSLATE_NOOP("Decision", "no Landlock")},
    {"view", QT_TRANSLATE_NOOP("Decision", "no private view")},
    {"metadata", QT_TRANSLATE_NOOP("Decision", "modes, owners and times of files not covered")},
    {"signals", QT_TRANSLATE_NOOP("Decision", "signals not covered")},
    {"uid", QT_TRANSLATE_NOOP("Decision", "no user of its own")},
    {"network", QT_TRANSLATE_NOOP("Decision", "network not closed")},
    {"master", QT_TRANSLATE_NOOP("Decision", "master tenant, not confined")},
});

/// The entry of the trace that a blocker came from.
const TraceEntry *entryOf(const Decision &decision, const Blocker &blocker)
{
    const auto it = std::ranges::find_if(decision.trace, [&](const TraceEntry &entry) {
        return entry.outcome == CheckOutcome::Decided && entry.check == blocker.check && entry.rule == blocker.rule
            && entry.code == blocker.code;
    });
    return it == decision.trace.end() ? nullptr : &*it;
}

bool isDecisive(const Decision &decision, const Blocker &blocker)
{
    return decision.check == blocker.check && decision.rule == blocker.rule && decision.code == blocker.code;
}

/// One other blocker in words.
QString alsoLine(const Decision &decision, const Blocker &blocker)
{
    const TraceEntry *entry = entryOf(decision, blocker);
    QString title = entry && !entry->title.empty() ? fromBytes(entry->title) : codeTitle(blocker.code);
    if (title.isEmpty())
        title = fromBytes(blocker.rule.empty() ? blocker.code : blocker.rule);
    const QString place = blocker.group ? groupName(*blocker.group) : checkName(blocker.check);
    return blocker.verdict == Verdict::Ask ? tr("%1 (%2) asks for approval").arg(title, place)
                                           : tr("%1 (%2)").arg(title, place);
}

QString headlineOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Allow:
        return tr("Allowed");
    case Verdict::Ask:
        return tr("Needs approval");
    case Verdict::Deny:
        return tr("Denied");
    }
    return {};
}

QStringList notesOf(const Decision &decision)
{
    QStringList notes;
    for (const TraceEntry &entry : decision.trace) {
        // That the host policy only warns matters where everything else lets the command through.
        if (entry.outcome != CheckOutcome::Noted || (entry.code == "host_policy_warn" && !decision.wouldDeny))
            continue;
        QString sentence = whySentence(entry.code, fromBytes(entry.detail));
        if (!entry.exemption.empty())
            sentence = tr("Exemption %1 answers rule %2.").arg(fromBytes(entry.exemption), fromBytes(entry.rule));
        if (!sentence.isEmpty())
            notes.append(sentence);
    }
    if (decision.timeoutClamped)
        notes.append(
            tr("The time limit was lowered to %1 seconds, the longest that is allowed.").arg(decision.timeoutSeconds));
    notes.removeDuplicates();
    return notes;
}

} // namespace

QString groupName(Group group)
{
    return named(groupNames, group);
}

QString checkName(Check check)
{
    return named(checkNames, check);
}

QString levelName(Level level)
{
    return named(levelNames, level);
}

QString dynamicName(DynamicReason reason)
{
    return named(dynamicNames, reason);
}

QString verdictName(Verdict verdict)
{
    return fromBytes(nameOf(verdict)).toUpper();
}

QString missingName(std::string_view missing)
{
    if (missing.starts_with("view:"))
        return tr("no private view (step %1 failed)").arg(fromBytes(missing.substr(5)));
    if (constexpr std::string_view unknown = "unknown:"; missing.starts_with(unknown))
        return tr("not found out (step %1 gave no answer)").arg(fromBytes(missing.substr(unknown.size())));
    const auto it = std::ranges::find(missingWords, missing, &MissingWords::missing);
    return it == missingWords.end() ? fromBytes(missing) : tr(it->words);
}

Explanation explain(const Decision &decision)
{
    Explanation out;
    out.headline = headlineOf(decision.verdict);
    out.notes = notesOf(decision);
    if (decision.verdict == Verdict::Allow)
        return out;
    const QString detail = fromBytes(decision.detail);
    out.title = decision.title.empty() ? codeTitle(decision.code) : fromBytes(decision.title);
    if (out.title.isEmpty() && decision.check)
        out.title = decision.rule.empty() ? checkName(*decision.check) : fromBytes(decision.rule);
    if (decision.group)
        out.group = groupName(*decision.group);
    out.why = decision.reason.empty() ? whySentence(decision.code, detail) : fromBytes(decision.reason);
    out.instead = decision.advice.empty() ? insteadSentence(decision.code, detail) : fromBytes(decision.advice);
    bool first = true;
    for (const Blocker &blocker : decision.blockers) {
        // Two blockers may be alike; the decisive one is left out once.
        if (first && isDecisive(decision, blocker))
            first = false;
        else
            out.also.append(alsoLine(decision, blocker));
    }
    if (std::ranges::contains(decision.trace, CheckOutcome::NotReached, &TraceEntry::outcome))
        out.also.append(tr("not known: the other checks were not reached"));
    return out;
}

} // namespace portcullis::text
