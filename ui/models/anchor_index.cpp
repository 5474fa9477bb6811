// SPDX-License-Identifier: Apache-2.0
#include "ui/models/anchor_index.h"

#include <algorithm>

namespace portcullis::ui {

namespace {

bool fits(std::int64_t count, const QList<std::int64_t> &firstRows)
{
    const std::int64_t pages = (count + ports::pageRows - 1) / ports::pageRows;
    return count >= 0 && pages == firstRows.size() && std::ranges::is_sorted(firstRows, std::less_equal<>{});
}

} // namespace

void AnchorIndex::reset(const ports::LogIndex &index)
{
    const bool good = fits(index.count, index.firstRows);
    m_count = good ? index.count : 0;
    m_firstRows = good ? index.firstRows : QList<std::int64_t>{};
}

bool AnchorIndex::grow(std::int64_t count, const QList<std::int64_t> &newFirstRows)
{
    const QList<std::int64_t> all = m_firstRows + newFirstRows;
    if (count < m_count || !fits(count, all))
        return false;
    m_count = count;
    m_firstRows = all;
    return true;
}

std::optional<int> AnchorIndex::pageOf(std::int64_t storageRow) const
{
    const auto after = std::ranges::upper_bound(m_firstRows, storageRow);
    if (after == m_firstRows.begin())
        return std::nullopt;
    return static_cast<int>(std::distance(m_firstRows.begin(), after)) - 1;
}

} // namespace portcullis::ui
