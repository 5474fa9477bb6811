// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/log_source.h"
#include "ui/models/anchor_index.h"
#include "ui/models/page_cache.h"

#include <QAbstractTableModel>
#include <QSet>
#include <QTimer>

#include <optional>

namespace portcullis::ui {

/// The log as a table, oldest row first, over a record of any size.
///
/// `data()` never loads: a row that is not in memory is an empty cell, its page is noted, and one request goes out
/// when control returns to the event loop. While frozen the log keeps growing in the record and `held()` counts what
/// is not shown. At most ten times a second rows are added.
class ExecLogModel : public QAbstractTableModel
{
    Q_OBJECT
public:
    enum Column { Time, Tenant, Agent, VerdictColumn, Command, DecidedBy, Where, Result, Would, ColumnCount };
    enum Role {
        LoadedRole = Qt::UserRole, ///< bool: the row is in memory
        VerdictRole, ///< int of Verdict
        MutedRole, ///< bool: draw in the subdued text colour
        FilterRole, ///< QString: `field:value` that the cell stands for, empty when none
        EventIdRole ///< QString
    };

    ExecLogModel(ports::LogSource &source, PageCache::Bounds bounds, QObject *parent = nullptr);

    void setFilter(const record::Filter &filter);
    /// Asks for the index anew, e.g. after an error.
    void refresh();
    [[nodiscard]] ports::Generation generation() const { return m_generation; }
    [[nodiscard]] bool indexing() const { return m_indexing; }

    void setFrozen(bool frozen);
    [[nodiscard]] bool frozen() const { return m_frozen; }
    /// Rows that were added since the log was frozen.
    [[nodiscard]] std::int64_t held() const { return m_index.count() - m_shown; }

    /// The event of a row, or nothing while it is not in memory. Valid until control returns to the event loop.
    [[nodiscard]] const record::Event *eventAt(int row) const;

    /// Looks for the nearest refused row from `row` on; answered by `denialFound`.
    void findDenial(int row, ports::Direction direction);
    /// Looks for a row by its storage number; answered by `located` as soon as its page is here.
    void locate(std::int64_t storageRow);
    /// Gives up looking, e.g. because the reader chose another row by hand.
    void stopLocating() { m_locating.reset(); }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

Q_SIGNALS:
    void indexingChanged();
    void heldChanged();
    void located(int row);
    /// There is no refused row in the direction that was asked for.
    void noDenial();
    void failed(const portcullis::ports::LogError &error);

private:
    void onIndexed(ports::Generation generation, const ports::LogIndex &index);
    void onPage(ports::Generation generation, int page, const QList<record::Event> &rows);
    void onGrew(ports::Generation generation, std::int64_t count, const QList<std::int64_t> &newFirstRows);
    void onCompleted(ports::Generation generation);
    void onOutdated(ports::Generation generation);
    void onDenial(ports::Generation generation, std::optional<std::int64_t> row);
    void onFailed(ports::Generation generation, const ports::LogError &error);

    void note(int page) const;
    void sendWishes();
    void tick();
    void showTail();
    void markTailStale();
    void answerLocate();
    void setIndexing(bool indexing);

    ports::LogSource &m_source;
    record::Filter m_filter;
    ports::Generation m_generation = 0;
    AnchorIndex m_index;
    std::int64_t m_shown = 0; ///< rows that the views know of, never more than the index has
    bool m_indexing = false;
    bool m_frozen = false;
    bool m_broken = false; ///< nothing more is asked for until the filter is set anew
    bool m_completed = false; ///< rows ended since the last tick
    std::optional<std::int64_t> m_locating;
    struct DenialWish {
        int row = 0;
        ports::Direction direction = ports::Direction::Older;
    };
    std::optional<DenialWish> m_denialWish; ///< waits for the page of its row

    // Looking is not changing: these serve data(), which is const.
    mutable PageCache m_cache;
    mutable QList<int> m_wishes; ///< pages that a view looked for, oldest wish first
    mutable QTimer m_wishTimer;
    QSet<int> m_asked;
    QTimer m_tick;
};

} // namespace portcullis::ui
