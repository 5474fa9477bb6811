// SPDX-License-Identifier: Apache-2.0
#include "ui/models/exec_log_model.h"

#include "ui/models/log_cells.h"

#include <algorithm>
#include <chrono>
#include <limits>

using namespace std::chrono_literals;

namespace portcullis::ui {

namespace {

// A slow record must not be buried under wishes of a dragged scroll bar: few pages are under way at a time, and of the
// noted ones only the latest count, because those are on the screen.
constexpr int maxAsked = 4;
constexpr int maxWishes = 8;

constexpr auto tickInterval = 100ms;

constexpr int pageOfRow(int row)
{
    return row / ports::pageRows;
}

} // namespace

ExecLogModel::ExecLogModel(ports::LogSource &source, PageCache::Bounds bounds, QObject *parent)
    : QAbstractTableModel(parent), m_source(source), m_cache(bounds)
{
    m_wishTimer.setSingleShot(true);
    m_wishTimer.setInterval(0ms);
    m_tick.setSingleShot(true);
    m_tick.setInterval(tickInterval);
    connect(&m_wishTimer, &QTimer::timeout, this, &ExecLogModel::sendWishes);
    connect(&m_tick, &QTimer::timeout, this, &ExecLogModel::tick);
    connect(&source, &ports::LogSource::indexed, this, &ExecLogModel::onIndexed);
    connect(&source, &ports::LogSource::pageReady, this, &ExecLogModel::onPage);
    connect(&source, &ports::LogSource::tailGrew, this, &ExecLogModel::onGrew);
    connect(&source, &ports::LogSource::rowsCompleted, this, &ExecLogModel::onCompleted);
    connect(&source, &ports::LogSource::outdated, this, &ExecLogModel::onOutdated);
    connect(&source, &ports::LogSource::neighbourFound, this, &ExecLogModel::onDenial);
    connect(&source, &ports::LogSource::failed, this, &ExecLogModel::onFailed);
}

void ExecLogModel::setFilter(const record::Filter &filter)
{
    m_filter = filter;
    refresh();
}

void ExecLogModel::refresh()
{
    ++m_generation;
    m_broken = false;
    m_completed = false;
    m_wishes.clear();
    m_asked.clear();
    m_locating.reset();
    m_denialWish.reset();
    setIndexing(true);
    m_source.setFilter(m_generation, m_filter);
}

void ExecLogModel::setIndexing(bool indexing)
{
    if (m_indexing == indexing)
        return;
    m_indexing = indexing;
    Q_EMIT indexingChanged();
}

void ExecLogModel::onIndexed(ports::Generation generation, const ports::LogIndex &index)
{
    if (generation != m_generation)
        return;
    beginResetModel();
    m_cache.clear();
    m_index.reset(index);
    m_shown = m_index.count();
    endResetModel();
    setIndexing(false);
    Q_EMIT heldChanged();
}

void ExecLogModel::onFailed(ports::Generation generation, const ports::LogError &error)
{
    if (generation != m_generation)
        return;
    m_broken = true;
    m_asked.clear();
    m_wishes.clear();
    m_locating.reset();
    if (m_indexing) {
        beginResetModel();
        m_cache.clear();
        m_index.reset({});
        m_shown = 0;
        endResetModel();
        setIndexing(false);
        Q_EMIT heldChanged();
    }
    Q_EMIT failed(error);
}

void ExecLogModel::setFrozen(bool frozen)
{
    if (m_frozen == frozen)
        return;
    m_frozen = frozen;
    if (!m_frozen)
        showTail();
    Q_EMIT heldChanged();
}

void ExecLogModel::onGrew(ports::Generation generation, std::int64_t count, const QList<std::int64_t> &newFirstRows)
{
    if (generation != m_generation || m_indexing)
        return;
    if (!m_index.grow(count, newFirstRows)) {
        refresh(); // the record was pruned or replaced under us
        return;
    }
    markTailStale();
    if (!m_tick.isActive())
        tick();
}

/// The page that was last and not full gets more rows: it is outdated unless they came ahead of the announcement.
void ExecLogModel::markTailStale()
{
    if (m_shown == 0)
        return;
    const int page = pageOfRow(static_cast<int>(m_shown - 1));
    const auto present =
        std::min<std::int64_t>(ports::pageRows, m_index.count() - std::int64_t{page} * ports::pageRows);
    if (m_cache.rowsOf(page) < present)
        m_cache.markStale(page);
}

void ExecLogModel::onCompleted(ports::Generation generation)
{
    if (generation != m_generation || m_indexing)
        return;
    m_completed = true;
    if (!m_tick.isActive())
        tick();
}

void ExecLogModel::onOutdated(ports::Generation generation)
{
    if (generation == m_generation && !m_indexing)
        refresh();
}

void ExecLogModel::tick()
{
    const bool grown = held() > 0;
    if (!grown && !m_completed)
        return;
    m_tick.start();
    if (m_completed) {
        m_completed = false;
        for (const int page : m_cache.markUnfinishedStale())
            note(page);
    }
    if (!grown)
        return;
    if (!m_frozen)
        showTail();
    Q_EMIT heldChanged();
}

void ExecLogModel::showTail()
{
    const std::int64_t count = m_index.count();
    if (count == m_shown)
        return;
    beginInsertRows({}, static_cast<int>(m_shown), static_cast<int>(count - 1));
    m_shown = count;
    endInsertRows();
    answerLocate();
}

const record::Event *ExecLogModel::eventAt(int row) const
{
    if (row < 0 || row >= m_shown)
        return nullptr;
    const int page = pageOfRow(row);
    if (m_cache.wanted(page))
        note(page);
    return m_cache.row(page, row % ports::pageRows);
}

void ExecLogModel::note(int page) const
{
    if (m_broken || m_indexing || m_asked.contains(page))
        return;
    if (!m_wishes.isEmpty() && m_wishes.last() == page)
        return;
    m_wishes.removeOne(page);
    m_wishes.append(page);
    if (m_wishes.size() > maxWishes)
        m_wishes.removeFirst();
    if (!m_wishTimer.isActive())
        m_wishTimer.start();
}

void ExecLogModel::sendWishes()
{
    QList<int> pages;
    while (!m_wishes.isEmpty() && m_asked.size() < maxAsked) {
        const int page = m_wishes.takeLast();
        if (page >= m_index.pageCount())
            continue;
        m_asked.insert(page);
        pages.append(page);
    }
    if (!pages.isEmpty())
        m_source.requestPages(m_generation, pages);
}

void ExecLogModel::onPage(ports::Generation generation, int page, const QList<record::Event> &rows)
{
    if (generation != m_generation || m_indexing)
        return;
    m_asked.remove(page);
    m_cache.insert(page, rows);
    const int first = page * ports::pageRows;
    const int last = static_cast<int>(std::min<std::int64_t>(m_shown, first + rows.size())) - 1;
    if (first <= last)
        Q_EMIT dataChanged(index(first, 0), index(last, ColumnCount - 1));
    answerLocate();
    if (m_denialWish && pageOfRow(m_denialWish->row) == page)
        findDenial(m_denialWish->row, m_denialWish->direction);
    sendWishes();
}

void ExecLogModel::findDenial(int row, ports::Direction direction)
{
    m_denialWish.reset();
    if (m_broken || m_indexing)
        return;
    const record::Event *event = eventAt(row);
    if (event == nullptr && row >= 0 && row < m_shown) {
        m_denialWish = {.row = row, .direction = direction};
        return;
    }
    constexpr std::int64_t beforeAll = 0;
    const std::int64_t afterAll = std::numeric_limits<std::int64_t>::max();
    const std::int64_t open = direction == ports::Direction::Older ? afterAll : beforeAll;
    m_source.requestDenial(m_generation, event != nullptr ? event->row : open, direction);
}

void ExecLogModel::onDenial(ports::Generation generation, std::optional<std::int64_t> row)
{
    if (generation != m_generation)
        return;
    if (row)
        locate(*row);
    else
        Q_EMIT noDenial();
}

void ExecLogModel::locate(std::int64_t storageRow)
{
    m_locating = storageRow;
    answerLocate();
}

void ExecLogModel::answerLocate()
{
    if (!m_locating)
        return;
    const std::optional<int> page = m_index.pageOf(*m_locating);
    if (!page)
        return; // the first row of all may be on its way
    const int place = m_cache.indexOf(*page, *m_locating);
    if (place >= 0) {
        const int row = *page * ports::pageRows + place;
        if (row >= m_shown && !m_frozen)
            return; // its announcement is on the way
        m_locating.reset();
        if (row < m_shown)
            Q_EMIT located(row);
        else
            Q_EMIT noDenial();
    } else if (m_cache.wanted(*page)) {
        note(*page);
    } else if (*page + 1 < m_index.pageCount()) {
        m_locating.reset(); // not in the filter; on the last page it may still arrive
    }
}

int ExecLogModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown);
}

int ExecLogModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant ExecLogModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const record::Event *event = eventAt(index.row());
    if (role == LoadedRole)
        return event != nullptr;
    if (event == nullptr)
        return {};
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return cellText(*event, column, QDate::currentDate());
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole:
        return cellTip(*event, column);
    case VerdictRole:
        return event->kind == record::Kind::Exec ? QVariant(static_cast<int>(event->verdict)) : QVariant();
    case MutedRole:
        return column == Would || (column == Result && event->outcome == Outcome::NotStarted);
    case FilterRole:
        return cellFilter(*event, column);
    case EventIdRole:
        return QString::fromStdString(event->id);
    default:
        return {};
    }
}

QVariant ExecLogModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const auto column = static_cast<Column>(section);
    if (role == Qt::ToolTipRole || role == Qt::AccessibleDescriptionRole)
        return columnTip(column);
    return role == Qt::DisplayRole ? QVariant(columnTitle(column)) : QVariant();
}

} // namespace portcullis::ui
