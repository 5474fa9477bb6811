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
    int wanted;
    int least; ///< where the window is narrow, before the command gives up room
};

/// Widths in average characters until people change them by hand. The least of the time has no room for a year.
constexpr std::array widths{Width{Model::Time, 23, 12},      Width{Model::Tenant, 12, 9},
                            Width{Model::Agent, 10, 8},      Width{Model::VerdictColumn, 13, 11},
                            Width{Model::DecidedBy, 26, 16}, Width{Model::Where, 8, 7},
                            Width{Model::Result, 19, 15},    Width{Model::Would, 15, 12}};

/// The command has at least so much; a narrower window scrolls.
constexpr int leastCommand = 40;
constexpr int wantedCommand = 60;

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
    horizontalHeader()->setMinimumSectionSize(4 * fontMetrics().averageCharWidth());
    horizontalHeader()->setStretchLastSection(false);
    fitColumns();
    connect(horizontalHeader(), &QHeaderView::sectionResized, this, [this] { m_byHand = m_byHand || !m_fitting; });
}

/// Shares the room out: the command gets what the others leave, and they leave more where there is little.
void LogTable::fitColumns()
{
    if (m_byHand)
        return;
    const int character = fontMetrics().averageCharWidth();
    int wanted = 0;
    int least = 0;
    for (const Width &width : widths) {
        wanted += width.wanted * character;
        least += width.least * character;
    }
    const int room = viewport()->width();
    const double spare = static_cast<double>(room - wantedCommand * character - least) / (wanted - least);
    const double share = std::clamp(spare, 0.0, 1.0);
    m_fitting = true;
    int others = 0;
    for (const Width &width : widths) {
        const int size = static_cast<int>((width.least + share * (width.wanted - width.least)) * character);
        setColumnWidth(width.column, size);
        others += size;
    }
    setColumnWidth(Model::Command, std::max(room - others, leastCommand * character));
    m_fitting = false;
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
    fitColumns();
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
