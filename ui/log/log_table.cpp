// SPDX-License-Identifier: Apache-2.0
#include "ui/log/log_table.h"

#include "ui/log/log_delegate.h"

#include <QContextMenuEvent>
#include <QFontDatabase>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>

#include <array>

namespace portcullis::ui {

namespace {

using Model = ExecLogModel;

struct Width {
    Model::Column column;
    int characters;
};

/// First widths, in average characters; people change them by hand.
constexpr std::array widths{Width{Model::Tenant, 12},    Width{Model::Agent, 10}, Width{Model::VerdictColumn, 13},
                            Width{Model::DecidedBy, 24}, Width{Model::Where, 10}, Width{Model::Result, 18},
                            Width{Model::Would, 8}};

} // namespace

LogTable::LogTable(ExecLogModel &model, QWidget *parent) : QTableView(parent), m_model(model)
{
    setModel(&model);
    setItemDelegate(new LogDelegate(this));
    setAccessibleName(tr("Log of commands"));
    setSelectionBehavior(SelectRows);
    setSelectionMode(SingleSelection);
    setEditTriggers(NoEditTriggers);
    setAlternatingRowColors(true);
    setShowGrid(false);
    setWordWrap(false);
    setTabKeyNavigation(false);
    setCornerButtonEnabled(false);
    setVerticalScrollMode(ScrollPerItem);
    setHorizontalScrollMode(ScrollPerPixel);
    verticalHeader()->hide();
    verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    horizontalHeader()->setSectionsMovable(true);
    setUpColumns();
    fitRows();

    // Follow the tail: only a reader who is at the end is taken along.
    connect(&model, &QAbstractItemModel::rowsAboutToBeInserted, this, [this] { m_atEnd = isAtEnd(); });
    connect(&model, &QAbstractItemModel::rowsInserted, this, [this] {
        if (m_atEnd)
            scrollToBottom();
    });
    // The newest row is chosen first: its details are the ones most asked for.
    connect(&model, &QAbstractItemModel::modelReset, this, &LogTable::goToNewest, Qt::QueuedConnection);
}

void LogTable::setUpColumns()
{
    const int character = fontMetrics().averageCharWidth();
    for (const Width &width : widths)
        setColumnWidth(width.column, width.characters * character);
    // The longest form of a time, of another year, must fit: a cut one is worth nothing.
    setColumnWidth(Model::Time, fontMetrics().horizontalAdvance(QStringLiteral("2000-00-00 00:00:00")) + 2 * character);
    horizontalHeader()->setSectionResizeMode(Model::Command, QHeaderView::Stretch);
    horizontalHeader()->setMinimumSectionSize(4 * character);
    horizontalHeader()->setStretchLastSection(false);
}

void LogTable::fitRows()
{
    const QFontMetrics fixed(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    verticalHeader()->setDefaultSectionSize(std::max(fontMetrics().height(), fixed.height()) + 6);
}

bool LogTable::isAtEnd() const
{
    return verticalScrollBar()->value() == verticalScrollBar()->maximum();
}

void LogTable::resizeEvent(QResizeEvent *event)
{
    const bool atEnd = isAtEnd();
    QTableView::resizeEvent(event);
    if (atEnd)
        scrollToBottom();
}

void LogTable::choose(int row)
{
    const int column = std::max(0, currentIndex().column());
    setCurrentIndex(m_model.index(row, column));
    scrollTo(m_model.index(row, column), PositionAtCenter);
}

void LogTable::goToNewest()
{
    if (m_model.rowCount() > 0)
        setCurrentIndex(m_model.index(m_model.rowCount() - 1, std::max(0, currentIndex().column())));
    scrollToBottom();
}

void LogTable::keyPressEvent(QKeyEvent *event)
{
    if (event->matches(QKeySequence::Copy)) {
        Q_EMIT copyRequested();
        return;
    }
    const bool plain = event->modifiers() == Qt::NoModifier || event->modifiers() == Qt::KeypadModifier;
    switch (plain ? event->key() : 0) {
    case Qt::Key_Space:
        Q_EMIT freezeToggled();
        return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
        Q_EMIT detailsRequested();
        return;
    case Qt::Key_P:
        Q_EMIT denialRequested(ports::Direction::Older);
        return;
    case Qt::Key_N:
        Q_EMIT denialRequested(ports::Direction::Newer);
        return;
    case Qt::Key_Home:
        choose(0);
        return;
    case Qt::Key_End:
        goToNewest();
        return;
    default:
        QTableView::keyPressEvent(event);
    }
}

/// Searching by typing would walk through every row of the record.
void LogTable::keyboardSearch(const QString &) { }

QPoint LogTable::menuPosition(const QContextMenuEvent &event) const
{
    if (event.reason() == QContextMenuEvent::Mouse)
        return event.globalPos();
    return viewport()->mapToGlobal(visualRect(currentIndex()).center());
}

void LogTable::contextMenuEvent(QContextMenuEvent *event)
{
    Q_EMIT menuRequested(menuPosition(*event));
}

void LogTable::currentChanged(const QModelIndex &current, const QModelIndex &previous)
{
    QTableView::currentChanged(current, previous);
    if (current.row() != previous.row())
        Q_EMIT rowChosen(current.row());
}

void LogTable::changeEvent(QEvent *event)
{
    QTableView::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange)
        fitRows();
}

} // namespace portcullis::ui
