// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_error.h"
#include "runner/audit/audit_writer.h"
#include "runner/base/result.h"
#include "runner/record/event.h"
#include "runner/record/filter.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::audit {

/// Rows of a page.
inline constexpr int pageRows = 256;

/// The first row of every page of a filter, so that any page is one keyset query from its anchor.
///
/// Build it by calling `AuditReader::extendAnchors` until `complete`; later calls extend it at the tail as rows arrive.
/// Pages are counted from the oldest row; a view that shows the newest first mirrors its row numbers.
struct Anchors {
    std::vector<std::int64_t> firstRows; ///< anchor of page n
    std::int64_t count = 0; ///< rows that match so far; page n is full unless it is the last
    std::int64_t scannedTo = 0; ///< every row up to this one has been looked at
    std::int64_t lastRow = 0; ///< newest row in the record when it was last extended
    std::int64_t earliestUs = 0; ///< of the times of those that match; a clock that is set back leaves them unsorted
    std::int64_t latestUs = 0;
    bool complete = false; ///< scannedTo has reached lastRow
};

/// What other processes and threads have changed.
struct Changes {
    std::int64_t firstRow = 0; ///< oldest row
    std::int64_t lastRow = 0; ///< newest row
    std::vector<std::int64_t> running; ///< rows of running commands, ascending: who leaves this list has been completed
};

/// One bar of the histogram: events of [startUs, next bar's start).
struct Bucket {
    std::int64_t startUs = 0;
    std::array<std::int64_t, 3> counts{}; ///< by Verdict
};

struct ValueCount {
    std::string value;
    std::int64_t count = 0;
};

struct Totals {
    std::int64_t rows = 0;
    std::int64_t bytes = 0; ///< size of the database
    std::int64_t firstUs = 0; ///< earliest time of an event
    std::int64_t lastUs = 0; ///< latest
};

/// A read-only connection to the record. Not thread-safe: all calls come from the thread that opened it. Every query is
/// finished before its function returns, so no read transaction keeps the log file from shrinking.
///
/// Rows are in the order in which they were recorded, also where the clock of the host was set back in between. What
/// asks for times, asks each row for its own.
///
/// Functions that may look at many rows do so in slices of at most 65,536 rows, each a query of its own, and take a
/// stop flag; when it is set they return `Stopped` within some milliseconds.
class AuditReader
{
public:
    using StopFlag = const std::atomic_bool *; ///< may be null

    /// Every function answers `Replaced` once the path leads to another file or to none; open it anew then.
    /// Opens an existing record; never makes or changes one. An archive without a `-wal` file in a place that we cannot
    /// write is read as immutable until a `-wal` appears.
    [[nodiscard]] static Result<std::unique_ptr<AuditReader>, AuditError> open(const std::string &path,
                                                                               int busyMilliseconds = 2000);
    ~AuditReader();
    AuditReader(const AuditReader &) = delete;
    AuditReader &operator=(const AuditReader &) = delete;

    /// Whether somebody has committed since the last call; the first call answers true. Cheap: poll it.
    [[nodiscard]] Result<bool, AuditError> changed();
    [[nodiscard]] Result<Changes, AuditError> changes();
    /// Whether rows were pruned between two looks at the changes: anchors of before must be built anew then. The oldest
    /// row alone does not tell, it may be of a command that still runs.
    [[nodiscard]] Result<bool, AuditError> prunedBetween(const Changes &before, const Changes &after);
    [[nodiscard]] Result<Totals, AuditError> totals();

    /// Looks at about `rowBudget` more rows. Call again until `anchors.complete`.
    [[nodiscard]] Result<void, AuditError> extendAnchors(const record::Filter &filter, Anchors &anchors,
                                                         std::int64_t rowBudget = 100'000, StopFlag stop = nullptr);
    /// Up to `limit` matching events from row `first` on, ascending. They carry everything that a list shows; not
    /// argv, blockersJson, traceJson and hostFactsJson, which `event` gives.
    [[nodiscard]] Result<std::vector<record::Event>, AuditError> page(const record::Filter &filter, std::int64_t first,
                                                                      int limit = pageRows, StopFlag stop = nullptr);
    /// As `page`, with hostFactsJson: what deciding again needs.
    [[nodiscard]] Result<std::vector<record::Event>, AuditError>
    decisions(const record::Filter &filter, std::int64_t first, int limit = pageRows, StopFlag stop = nullptr);
    /// Up to `limit` matching events before row `before`, newest first; 0 starts at the newest. Same fields as `page`.
    [[nodiscard]] Result<std::vector<record::Event>, AuditError>
    pageBackward(const record::Filter &filter, std::int64_t before, int limit = pageRows, StopFlag stop = nullptr);
    /// The events of these rows, ascending, those that exist. Same fields as `page`.
    [[nodiscard]] Result<std::vector<record::Event>, AuditError> rows(const std::vector<std::int64_t> &wanted);
    /// The matching row next to `row`, for "previous denial" and "next".
    [[nodiscard]] Result<std::optional<std::int64_t>, AuditError> next(const record::Filter &filter, std::int64_t row,
                                                                       StopFlag stop = nullptr);
    [[nodiscard]] Result<std::optional<std::int64_t>, AuditError> previous(const record::Filter &filter,
                                                                           std::int64_t row, StopFlag stop = nullptr);

    /// A whole event with its trace. Errors: NotFound.
    [[nodiscard]] Result<record::Event, AuditError> event(std::int64_t row);
    /// By whole id, by its beginning (8 characters or more) or by the short form at its end (6 or more).
    /// Errors: NotFound, Ambiguous.
    [[nodiscard]] Result<record::Event, AuditError> eventById(std::string_view id);
    [[nodiscard]] Result<record::Output, AuditError> output(std::int64_t row);

    [[nodiscard]] Result<std::int64_t, AuditError> count(const record::Filter &filter, StopFlag stop = nullptr);
    /// `buckets` bars of equal width over [fromUs, toUs).
    [[nodiscard]] Result<std::vector<Bucket>, AuditError> histogram(const record::Filter &filter, std::int64_t fromUs,
                                                                    std::int64_t toUs, int buckets,
                                                                    StopFlag stop = nullptr);
    /// Values of a text field with their number of events, most frequent first: for completion and faceting.
    [[nodiscard]] Result<std::vector<ValueCount>, AuditError> distinct(record::Field field, int limit = 100);

    [[nodiscard]] Result<std::string, AuditError> configuration(std::string_view digest);
    [[nodiscard]] Result<std::vector<Heartbeat>, AuditError> heartbeats();
    /// A policy's text by the id that `revisions` shows. Errors: NotFound.
    [[nodiscard]] Result<Revision, AuditError> revision(std::string_view id);
    /// Newest first; of all tenants for an empty name.
    [[nodiscard]] Result<std::vector<Revision>, AuditError> revisions(std::string_view tenant, int limit);

private:
    struct Private;
    explicit AuditReader(std::unique_ptr<Private> d);
    std::unique_ptr<Private> d;
};

} // namespace portcullis::audit
