// SPDX-License-Identifier: Apache-2.0
#include "ui/text/difference_text.h"

#include "ui/text/visible_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <vector>

namespace portcullis::text {
namespace {

using policy::Difference;
using Effect = Difference::Effect;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::text::Difference)
};

QString whatName(const std::string &what)
{
    if (what == "rule")
        return Words::tr("rule");
    if (what == "exemption")
        return Words::tr("exemption");
    if (what == "test")
        return Words::tr("test");
    if (what == "policy")
        return Words::tr("policy");
    return Words::tr("tenant");
}

QString cameOrWent(const Difference &difference)
{
    if (difference.before.empty())
        return Words::tr("added");
    if (difference.after.empty())
        return Words::tr("removed");
    if (difference.what == "policy")
        return difference.after == R"("broken")" ? Words::tr("does not load any more") : Words::tr("loads again");
    return Words::tr("changed");
}

QString effectMark(Effect effect)
{
    switch (effect) {
    case Effect::Loosens:
        return Words::tr("loosens");
    case Effect::Tightens:
        return Words::tr("tightens");
    case Effect::Other:
        return Words::tr("changes");
    }
    return {};
}

} // namespace

QString differenceSentence(const Difference &difference)
{
    QString text;
    if (!difference.agent.empty())
        text = Words::tr("agent %1: ").arg(visibleText(difference.agent));
    if (difference.what == "value")
        return text + visibleText(difference.name) + QStringLiteral(": ") + visibleText(difference.before)
            + QStringLiteral(" → ") + visibleText(difference.after);
    return text + whatName(difference.what) + u' ' + visibleText(difference.name) + QStringLiteral(": ")
        + cameOrWent(difference);
}

QString differenceLines(std::span<const Difference> differences)
{
    constexpr qsizetype markWidth = 10;
    std::vector<const Difference *> sorted;
    for (const Difference &difference : differences)
        sorted.push_back(&difference);
    std::ranges::stable_sort(sorted, [](const Difference *a, const Difference *b) {
        return a->tenant != b->tenant ? a->tenant < b->tenant : a->effect < b->effect;
    });
    QString text;
    const std::string *tenant = nullptr;
    for (const Difference *difference : sorted) {
        if (!tenant || *tenant != difference->tenant)
            text += (difference->tenant.empty() ? Words::tr("shipped rules") : visibleText(difference->tenant)) + u'\n';
        tenant = &difference->tenant;
        text += QStringLiteral("  ") + effectMark(difference->effect).leftJustified(markWidth)
            + differenceSentence(*difference) + u'\n';
    }
    return text;
}

} // namespace portcullis::text
