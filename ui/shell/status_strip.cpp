// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/status_strip.h"

#include "ui/shell/finding_popover.h"
#include "ui/widgets/flow_layout.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/plain_tip.h"

#include <QEvent>
#include <QToolButton>

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
    for (const ports::Finding &finding : m_health.findings()) {
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
            layout()->addWidget(button);
        }
        dress(button, finding);
        m_buttons.insert(id, button);
    }
    qDeleteAll(before);
    setVisible(!m_buttons.isEmpty());
    updateGeometry();
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
