// SPDX-License-Identifier: Apache-2.0
#include "ui/log/check_strip.h"

#include "ui/text/decision_text.h"
#include "ui/text/visible_text.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/plain_tip.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>

#include <algorithm>

namespace portcullis::ui {

namespace {

/// One check may have several entries in a trace; the strip shows the gravest.
struct Summary {
    Check check = Check::Input;
    CheckOutcome outcome = CheckOutcome::NotReached;
    Verdict verdict = Verdict::Allow;
    std::string detail;
};

int gravity(CheckOutcome outcome, Verdict verdict)
{
    switch (outcome) {
    case CheckOutcome::Decided:
        return 3 + static_cast<int>(verdict);
    case CheckOutcome::Noted:
        return 2;
    case CheckOutcome::Passed:
        return 1;
    case CheckOutcome::NotReached:
        break;
    }
    return 0;
}

std::vector<Summary> summaries(const std::vector<decision::TraceEntry> &trace)
{
    std::vector<Summary> result;
    for (const decision::TraceEntry &entry : trace) {
        auto found = std::ranges::find(result, entry.check, &Summary::check);
        if (found == result.end())
            found = result.insert(result.end(),
                                  Summary{.check = entry.check, .outcome = entry.outcome, .verdict = {}, .detail = {}});
        if (gravity(entry.outcome, entry.verdict) >= gravity(found->outcome, found->verdict)) {
            found->outcome = entry.outcome;
            found->verdict = entry.verdict;
            found->detail = entry.detail;
        }
    }
    std::ranges::stable_sort(result, {}, &Summary::check);
    return result;
}

Mark markOf(const Summary &summary)
{
    switch (summary.outcome) {
    case CheckOutcome::Decided:
        return ui::markOf(summary.verdict);
    case CheckOutcome::Noted:
        return Mark::Note;
    case CheckOutcome::Passed:
        return Mark::Check;
    case CheckOutcome::NotReached:
        break;
    }
    return Mark::Skip;
}

Tone toneOf(const Summary &summary)
{
    if (summary.outcome == CheckOutcome::Decided)
        return ui::toneOf(summary.verdict);
    return summary.outcome == CheckOutcome::Passed ? Tone::Allowed : Tone::Quiet;
}

QString outcomeWords(const Summary &summary)
{
    switch (summary.outcome) {
    case CheckOutcome::Decided:
        return text::verdictName(summary.verdict);
    case CheckOutcome::Noted:
        return CheckStrip::tr("noted");
    case CheckOutcome::Passed:
        return CheckStrip::tr("passed");
    case CheckOutcome::NotReached:
        break;
    }
    return CheckStrip::tr("not reached");
}

QWidget *chip(const Summary &summary, const QPalette &palette, int side)
{
    auto *widget = new QWidget;
    auto *layout = new QHBoxLayout(widget);
    layout->setContentsMargins(0, 0, 6, 0);
    layout->setSpacing(3);
    auto *sign = new QLabel;
    sign->setPixmap(markIcon(markOf(summary), toneColor(toneOf(summary), palette))
                        .pixmap(QSize(side, side), widget->devicePixelRatio()));
    auto *word = new QLabel(text::checkName(summary.check));
    word->setTextFormat(Qt::PlainText);
    if (summary.outcome == CheckOutcome::Decided) {
        QFont bold = word->font();
        bold.setBold(true);
        word->setFont(bold);
    }
    layout->addWidget(sign);
    layout->addWidget(word);
    const QString words = outcomeWords(summary);
    const QString detail = text::visibleText(summary.detail);
    const QString tip = detail.isEmpty() ? words : words + u'\n' + detail;
    widget->setToolTip(plainTip(tip));
    widget->setAccessibleName(text::checkName(summary.check) + QStringLiteral(": ") + words);
    return widget;
}

} // namespace

CheckStrip::CheckStrip(QWidget *parent) : QWidget(parent)
{
    new FlowLayout(this);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void CheckStrip::setTrace(const std::vector<decision::TraceEntry> &trace)
{
    m_trace = trace;
    rebuild();
}

void CheckStrip::rebuild()
{
    while (QLayoutItem *item = layout()->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const std::vector<Summary> checks = summaries(m_trace);
    QStringList spoken;
    for (const Summary &summary : checks) {
        layout()->addWidget(chip(summary, palette(), fontMetrics().ascent()));
        spoken.append(text::checkName(summary.check) + u' ' + outcomeWords(summary));
    }
    setAccessibleName(spoken.join(QStringLiteral(", ")));
    updateGeometry();
}

void CheckStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

} // namespace portcullis::ui
