// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/finding_popover.h"

#include "ui/widgets/marks.h"
#include "ui/widgets/plain_label.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QPainter>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace portcullis::ui {

namespace {

constexpr int widthCharacters = 64;

} // namespace

FindingPopover::FindingPopover(const ports::Finding &finding, QWidget *parent) : QFrame(parent, Qt::Popup)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setFrameShape(QFrame::StyledPanel);
    setAccessibleName(QString::fromStdString(finding.title));

    auto *title = new PlainLabel(QString::fromStdString(finding.title));
    QFont bold = title->font();
    bold.setBold(true);
    title->setFont(bold);
    auto *sign = new QLabel;
    const int side = fontMetrics().height();
    sign->setPixmap(markIcon(markOf(finding.severity), toneColor(toneOf(finding.severity), palette()))
                        .pixmap(QSize(side, side), devicePixelRatio()));
    auto *head = new QHBoxLayout;
    head->addWidget(sign, 0, Qt::AlignTop);
    head->addWidget(title, 1);

    auto *form = new QFormLayout;
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    form->setHorizontalSpacing(16);
    const auto add = [form](const QString &label, const std::string &text) {
        if (text.empty())
            return;
        auto *value = new PlainLabel(QString::fromStdString(text));
        form->addRow(formLabel(label, value), value);
    };
    add(tr("Tried"), finding.tried);
    add(tr("Found"), finding.happened);
    add(tr("What to do"), finding.todo);

    auto *close = new QPushButton(tr("Close"));
    connect(close, &QPushButton::clicked, this, &QWidget::close);
    auto *layout = new QVBoxLayout(this);
    layout->addLayout(head);
    layout->addLayout(form);
    layout->addWidget(close, 0, Qt::AlignRight);
    setFixedWidth(fontMetrics().averageCharWidth() * widthCharacters);
    close->setFocus();
}

/// The style's own edge is too faint for a window that lies on another of its colour.
void FindingPopover::paintEvent(QPaintEvent *event)
{
    QFrame::paintEvent(event);
    QPainter painter(this);
    QColor edge = palette().color(QPalette::WindowText);
    edge.setAlphaF(0.45F);
    painter.setPen(edge);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
}

void FindingPopover::openAbove(const QWidget &anchor)
{
    resize(width(), layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(width()) : sizeHint().height());
    const QRect room = anchor.screen()->availableGeometry();
    const QPoint corner = anchor.mapToGlobal(QPoint(0, 0));
    const int x = std::clamp(corner.x(), room.left(), std::max(room.left(), room.right() - width()));
    const int y = std::max(room.top(), corner.y() - height() - 4);
    move(x, y);
    show();
}

} // namespace portcullis::ui
