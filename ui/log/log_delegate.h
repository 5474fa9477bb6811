// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QStyledItemDelegate>

namespace portcullis::ui {

/// Draws the cells of the log: the verdict as sign and word, commands in a fixed-width font, side remarks subdued, and
/// a row that is not in memory yet as a faint bar.
class LogDelegate : public QStyledItemDelegate
{
    Q_OBJECT

public:
    explicit LogDelegate(QObject *parent = nullptr);

    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;

    /// Shows the tool tip as plain text, whatever the command looks like.
    bool helpEvent(QHelpEvent *event, QAbstractItemView *view, const QStyleOptionViewItem &option,
                   const QModelIndex &index) override;

protected:
    void initStyleOption(QStyleOptionViewItem *option, const QModelIndex &index) const override;

private:
    void paintCommand(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const;
    static void paintPlaceholder(QPainter *painter, const QStyleOptionViewItem &option);

    QFont m_fixed;
};

} // namespace portcullis::ui
