// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/log_source.h"

#include <QList>

#include <cstdint>
#include <optional>

namespace portcullis::ui {

/// Where the pages of the log begin, for the filter in force: a million rows are 3,907 numbers. With it the scroll bar
/// tells the truth and every page is one look-up by key.
class AnchorIndex
{
public:
    /// Starts over. An index whose parts contradict each other becomes empty.
    void reset(const ports::LogIndex &index);

    /// Takes rows that were added at the end. False, without any change, when the numbers do not fit the present ones.
    bool grow(std::int64_t count, const QList<std::int64_t> &newFirstRows);

    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] int pageCount() const { return static_cast<int>(m_firstRows.size()); }
    [[nodiscard]] std::int64_t firstRow(int page) const { return m_firstRows.at(page); }

    /// The page that a row stands on if it is in the filter at all, by its storage number.
    [[nodiscard]] std::optional<int> pageOf(std::int64_t storageRow) const;

private:
    std::int64_t m_count = 0;
    QList<std::int64_t> m_firstRows;
};

} // namespace portcullis::ui
