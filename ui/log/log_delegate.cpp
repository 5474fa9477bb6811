// SPDX-License-Identifier: Apache-2.0
#include "ui/log/log_delegate.h"

#include "ui/models/exec_log_model.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/plain_tip.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QFontDatabase>
#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>
#include <utility>

namespace portcullis::ui {

namespace {

using Model = ExecLogModel;

Verdict verdictAt(const QModelIndex &index)
{
    return static_cast<Verdict>(index.data(Model::VerdictRole).toInt());
}

} // namespace

LogDelegate::LogDelegate(QObject *parent)
    : QStyledItemDelegate(parent), m_fixed(QFontDatabase::systemFont(QFontDatabase::FixedFont))
{
}

void LogDelegate::initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const
{
    QStyledItemDelegate::initStyleOption(option, index);
    // The row is the thing that has the focus; a frame around one cell would only add noise.
    option->state &= ~QStyle::State_HasFocus;
    option->textElideMode = Qt::ElideRight;
    const bool selected = option->state.testFlag(QStyle::State_Selected);
    const auto tint = [&](Tone tone) {
        if (!selected)
            option->palette.setColor(QPalette::Text, toneColor(tone, option->palette));
    };
    if (index.data(Model::MutedRole).toBool())
        tint(Tone::Quiet);
    if (index.column() == Model::VerdictColumn && index.data(Model::VerdictRole).isValid()) {
        const Verdict verdict = verdictAt(index);
        option->font.setBold(verdict != Verdict::Allow);
        const QColor color =
            selected ? option->palette.color(QPalette::HighlightedText) : toneColor(toneOf(verdict), option->palette);
        option->features |= QStyleOptionViewItem::HasDecoration;
        option->icon = markIcon(markOf(verdict), color);
        const int side = option->fontMetrics.ascent();
        option->decorationSize = {side, side};
        tint(toneOf(verdict));
    }
}

void LogDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    // High letters and stacked marks stay in their row.
    painter->save();
    painter->setClipRect(option.rect, Qt::IntersectClip);
    const bool loaded = index.data(Model::LoadedRole).toBool();
    if (index.column() == Model::Command && loaded)
        paintCommand(painter, option, index);
    else
        QStyledItemDelegate::paint(painter, option, index);
    if (index.column() == Model::Command && !loaded)
        paintPlaceholder(painter, option);
    painter->restore();
}

/// In place of a command that is being read.
void LogDelegate::paintPlaceholder(QPainter *painter, const QStyleOptionViewItem &option)
{
    QColor bar = option.palette.color(QPalette::Text);
    bar.setAlphaF(0.12F);
    const int height = option.fontMetrics.xHeight();
    const QRect room = option.rect.adjusted(4, (option.rect.height() - height) / 2, -4, 0);
    painter->fillRect(QRect(room.left(), room.top(), std::min(room.width(), 24 * height), height), bar);
}

/// The fixed-width font on the base line of the other columns: the style would centre each font by its own height.
void LogDelegate::paintCommand(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyleOptionViewItem item = option;
    initStyleOption(&item, index);
    const QString text = std::exchange(item.text, QString());
    const QStyle *style = item.widget != nullptr ? item.widget->style() : QApplication::style();
    style->drawControl(QStyle::CE_ItemViewItem, &item, painter, item.widget);

    const bool selected = item.state.testFlag(QStyle::State_Selected);
    const bool active = item.state.testFlag(QStyle::State_Active);
    const int margin = style->pixelMetric(QStyle::PM_FocusFrameHMargin, &item, item.widget) + 1;
    const QRect room = item.rect.adjusted(margin, 0, -margin, 0);
    const int baseLine = room.top() + (room.height() - option.fontMetrics.height()) / 2 + option.fontMetrics.ascent();
    painter->save();
    painter->setFont(m_fixed);
    painter->setPen(item.palette.color(active ? QPalette::Active : QPalette::Inactive,
                                       selected ? QPalette::HighlightedText : QPalette::Text));
    // Commands are read from left to right in every language.
    painter->setLayoutDirection(Qt::LeftToRight);
    painter->drawText(room.left(), baseLine, QFontMetrics(m_fixed).elidedText(text, Qt::ElideRight, room.width()));
    painter->restore();
}

bool LogDelegate::helpEvent(QHelpEvent *event, QAbstractItemView *view, const QStyleOptionViewItem &option,
                            const QModelIndex &index)
{
    if (event->type() != QEvent::ToolTip)
        return QStyledItemDelegate::helpEvent(event, view, option, index);
    QString tip = index.data(Qt::ToolTipRole).toString();
    // The command's own tip begins with the command.
    if (index.column() != Model::Command && sizeHint(option, index).width() > option.rect.width())
        tip = index.data().toString() + (tip.isEmpty() ? QString() : u'\n' + tip);
    QToolTip::showText(event->globalPos(), plainTip(tip), view, option.rect);
    return true;
}

} // namespace portcullis::ui
