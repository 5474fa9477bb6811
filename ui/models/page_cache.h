// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/record/event.h"

#include <QHash>
#include <QList>

#include <cstdint>

namespace portcullis::ui {

/// The pages of the log that are in memory, bounded by number and by bytes; the least recently used one goes first.
/// The page that was added last always stays, however large it is.
class PageCache
{
public:
    struct Bounds {
        int pages = 32;
        std::int64_t bytes = 32LL << 20;
    };

    PageCache() = default;
    explicit PageCache(Bounds bounds) : m_bounds(bounds) { }

    void insert(int page, const QList<record::Event> &rows);
    void clear();

    /// A row, or nothing when it is not here. Counts as use of its page.
    [[nodiscard]] const record::Event *row(int page, int indexInPage);

    /// How many rows of the page are here; 0 when the page is not.
    [[nodiscard]] int rowsOf(int page) const;

    /// Whether the page is missing or was marked as outdated: worth asking for.
    [[nodiscard]] bool wanted(int page) const;
    void markStale(int page);
    /// Marks every page that holds a row which had not ended; returns their numbers.
    QList<int> markUnfinishedStale();

    /// The storage row's place in its page, or -1.
    [[nodiscard]] int indexOf(int page, std::int64_t storageRow) const;

    [[nodiscard]] int pageCount() const { return static_cast<int>(m_pages.size()); }
    [[nodiscard]] std::int64_t bytes() const { return m_bytes; }

private:
    struct Page {
        QList<record::Event> rows;
        std::int64_t bytes = 0;
        std::uint64_t used = 0;
        bool stale = false;
    };

    void evict(int keep);

    Bounds m_bounds;
    QHash<int, Page> m_pages;
    std::int64_t m_bytes = 0;
    std::uint64_t m_clock = 0;
};

} // namespace portcullis::ui
