// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/vocabulary.h"
#include "runner/record/event.h"
#include "runner/record/filter.h"

#include <QList>
#include <QObject>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

namespace portcullis::ports {

/// Numbers the filters that a reader of the log has set, ascending. Every answer carries the number of the filter
/// that it belongs to, so answers that were overtaken are recognised and dropped.
using Generation = std::uint64_t;

/// Rows of one page of the log.
inline constexpr int pageRows = 256;

/// Why the record cannot be read.
struct LogError {
    std::string code; ///< stable, as the names of `audit::AuditError::Code`: `cannot_open`, `corrupt`, `locked` …
    std::string path; ///< of the record
    int errorNumber = 0; ///< where a system call failed
    int version = 0; ///< schema of the file, for `newer_version`
    std::int64_t lastGoodRow = 0; ///< storage number of the last row that was read whole, 0 when none
};

/// What a filter finds: how many rows there are and the storage number of the first row of each page, ascending.
struct LogIndex {
    std::int64_t count = 0;
    QList<std::int64_t> firstRows; ///< one for each started page of `pageRows`
};

/// One row with everything that the record keeps of it. `event` is empty when there is no such row.
struct LogDetail {
    std::optional<record::Event> event;
    record::Output output;
};

/// How the rows of a filter lie in time: bars of equal width over [fromUs, toUs), UTC microseconds.
struct LogHistogram {
    std::int64_t fromUs = 0;
    std::int64_t toUs = 0;
    QList<std::array<std::int64_t, 3>> bars; ///< counts by Verdict
    friend bool operator==(const LogHistogram &, const LogHistogram &) = default;
};

enum class Direction { Older, Newer };

/// The record, as the log page needs it: a filter, an index of pages, and pages on request.
///
/// All functions return at once; answers are signals in the thread of this object. Rows are in storage order, oldest
/// first, and never move: the log only grows at its end, until a filter is set anew.
class LogSource : public QObject
{
    Q_OBJECT
public:
    using QObject::QObject;

    /// Starts over with this filter. Answered by `indexed` or `failed`.
    virtual void setFilter(Generation generation, const record::Filter &filter) = 0;

    /// Asks for pages, in the order in which they are wanted. Each is answered by one `pageReady`, or the lot by
    /// `failed`.
    virtual void requestPages(Generation generation, const QList<int> &pages) = 0;

    /// Asks for one row whole, with its output. Answered by `detailReady` with the same number.
    virtual void requestDetail(std::uint64_t request, const std::string &eventId) = 0;

    /// Asks for the nearest refused row of the filter before or after a row. Answered by `neighbourFound`.
    virtual void requestDenial(Generation generation, std::int64_t fromRow, portcullis::ports::Direction direction) = 0;

    /// Asks how the rows lie in time, in so many bars. Answered by `histogramReady`; may take a moment on a large
    /// record.
    virtual void requestHistogram(Generation generation, int bars) = 0;

Q_SIGNALS:
    /// The filter is in force.
    void indexed(portcullis::ports::Generation generation, const portcullis::ports::LogIndex &index);

    /// The rows of a page, in storage order. The last page may be shorter, and may run ahead of the count that was
    /// announced: a source sends the last page first and then `tailGrew`, so that new rows appear with their content.
    void pageReady(portcullis::ports::Generation generation, int page, const QList<portcullis::record::Event> &rows);

    /// Rows were added at the end: the new total, and the first rows of the pages that began since.
    void tailGrew(portcullis::ports::Generation generation, std::int64_t count,
                  const QList<std::int64_t> &newFirstRows);

    /// Rows that were still running may have ended: pages that hold such rows are worth asking for again.
    void rowsCompleted(portcullis::ports::Generation generation);

    /// Rows were removed, or rows that had been counted do not match any more: the filter is to be set anew.
    void outdated(portcullis::ports::Generation generation);

    void histogramReady(portcullis::ports::Generation generation, const portcullis::ports::LogHistogram &histogram);
    void detailReady(std::uint64_t request, const portcullis::ports::LogDetail &detail);
    /// `row` is nothing when there is no refused row in that direction.
    void neighbourFound(portcullis::ports::Generation generation, std::optional<std::int64_t> row);
    void failed(portcullis::ports::Generation generation, const portcullis::ports::LogError &error);
};

} // namespace portcullis::ports
