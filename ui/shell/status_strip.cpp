// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/status_strip.h"

#include "ui/shell/finding_popover.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/plain_tip.h"

#include <QEvent>
#include <QResizeEvent>
#include <QToolButton>

#include <algorithm>
#include <functional>

namespace portcullis::ui {

namespace {

QString spokenSeverity(ports::Severity severity)
{
    switch (severity) {
    case ports::Severity::Good:
        return StatusStrip::tr("good");
    case ports::Severity::Note:
        return StatusStrip::tr("note");
    case ports::Severity::Warning:
        return StatusStrip::tr("warning");
    case ports::Severity::Problem:
        break;
    }
    return StatusStrip::tr("problem");
}

} // namespace

StatusStrip::StatusStrip(ports::HealthSource &health, QWidget *parent) : QWidget(parent), m_health(health)
{
    setAccessibleName(tr("State of this machine"));
    auto *flow = new FlowLayout(this);
    flow->setContentsMargins(6, 3, 6, 3);
    flow->setSpacing(2);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&health, &ports::HealthSource::changed, this, &StatusStrip::rebuild);
    rebuild();
}

void StatusStrip::rebuild()
{
    QHash<QString, QToolButton *> before;
    before.swap(m_buttons);
    QList<ports::Finding> findings = m_health.findings();
    std::ranges::stable_sort(findings, std::ranges::greater{}, &ports::Finding::severity);
    QWidget *previous = nullptr;
    for (const ports::Finding &finding : std::as_const(findings)) {
        if (!finding.onStrip)
            continue;
        const QString id = QString::fromStdString(finding.id);
        QToolButton *button = before.take(id);
        if (button == nullptr) {
            button = new QToolButton;
            button->setAutoRaise(true);
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
            button->setFocusPolicy(Qt::StrongFocus);
            connect(button, &QToolButton::clicked, this, [this, name = finding.id] { open(name); });
        }
        // At the end, where it is the last of those that came before it.
        layout()->removeWidget(button);
        layout()->addWidget(button);
        if (previous != nullptr)
            setTabOrder(previous, button);
        previous = button;
        dress(button, finding);
        m_buttons.insert(id, button);
    }
    qDeleteAll(before);
    setVisible(!m_buttons.isEmpty());
    fitHeight();
}

/// The lines that the items take at this width. Said as a fixed height: a window without room for it would else cut the
/// last line off.
void StatusStrip::fitHeight()
{
    setFixedHeight(layout()->heightForWidth(width()));
    updateGeometry();
}

void StatusStrip::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (event->size().width() != event->oldSize().width())
        fitHeight();
}

void StatusStrip::dress(QToolButton *button, const ports::Finding &finding)
{
    const QString label = QString::fromStdString(finding.label);
    // An ampersand in a label is a letter, not a mnemonic.
    button->setText(QString(label).replace(u'&', QStringLiteral("&&")));
    button->setIcon(markIcon(markOf(finding.severity), toneColor(toneOf(finding.severity), palette())));
    button->setToolTip(plainTip(QString::fromStdString(finding.title)));
    button->setAccessibleName(spokenSeverity(finding.severity) + QStringLiteral(": ") + label);
    button->setAccessibleDescription(QString::fromStdString(finding.title));
}

void StatusStrip::open(const std::string &id)
{
    QToolButton *button = m_buttons.value(QString::fromStdString(id));
    if (button == nullptr)
        return;
    for (const ports::Finding &finding : m_health.findings()) {
        if (finding.id == id)
            (new FindingPopover(finding, window()))->openAbove(*button);
    }
}

void StatusStrip::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        rebuild();
}

} // namespace portcullis::ui
