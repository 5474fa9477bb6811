// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inside of AuditReader. Only for this folder.

#include "runner/audit/audit_reader.h"
#include "runner/audit/connection.h"
#include "runner/audit/file_identity.h"
#include "runner/record/filter_sql.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::audit {

struct RowRange {
    std::int64_t from = 0;
    std::int64_t to = 0; ///< inclusive; less than `from`: none
};

/// A form of rows: which columns, and how they are read.
struct RowForm {
    std::string (*columns)();
    record::Event (*read)(const Statement &statement);
};

struct AuditReader::Private {
    [[nodiscard]] static Result<std::unique_ptr<Connection>, AuditError> connect(const std::string &path, int busy,
                                                                                 bool &immutable);
    /// Replaced, when the path no longer leads to the file that is open.
    [[nodiscard]] Result<void, AuditError> inPlace() const;
    /// An archive that somebody writes to again is opened anew, with locks.
    [[nodiscard]] Result<void, AuditError> ready();
    [[nodiscard]] Result<std::int64_t, AuditError> edge(std::string_view function) const;
    [[nodiscard]] Result<record::Event, AuditError> whole(std::string_view condition, std::int64_t row) const;
    [[nodiscard]] AuditError error(AuditError::Code code, std::string_view step) const
    {
        return connection->error(code, step);
    }

    /// The filter as a condition on this record, which may be of an older version.
    [[nodiscard]] record::FilterSql sqlOf(const record::Filter &filter) const;
    /// The rows that a filter can concern: from its bounds in time, by the index on time.
    [[nodiscard]] Result<RowRange, AuditError> rowsOf(const record::Filter &filter);
    /// Matching events of these rows, at most `limit`.
    [[nodiscard]] Result<std::vector<record::Event>, AuditError> events(const record::Filter &filter,
                                                                        const RowRange &rows, bool down, int limit,
                                                                        StopFlag stop, const RowForm &form);
    /// Their row numbers alone.
    [[nodiscard]] Result<std::vector<std::int64_t>, AuditError>
    matchingRows(const record::Filter &filter, const RowRange &range, bool down, int limit, StopFlag stop) const;
    /// Rows in the order given.
    [[nodiscard]] Result<std::vector<record::Event>, AuditError> theseRows(const std::vector<std::int64_t> &rows,
                                                                           const RowForm &form) const;
    [[nodiscard]] Result<std::optional<std::int64_t>, AuditError>
    neighbour(const record::Filter &filter, std::int64_t from, std::int64_t to, bool down, StopFlag stop);

    std::string path;
    int busyMilliseconds = 0;
    bool immutable = false;
    std::optional<FileIdentity> identity; ///< of the database as opened
    std::int64_t dataVersion = -1;
    std::unique_ptr<Connection> connection;

private:
    /// The rows of one stretch of time, as they were when `lastRow` was the newest.
    struct KnownRows {
        record::Interval times;
        std::int64_t lastRow = 0;
        RowRange rows;
    };
    std::optional<KnownRows> m_known;
};

/// Columns for `Filter::matches` on rows that a condition has found too generously.
[[nodiscard]] std::string filterColumns(const record::FilterSql &filter);
/// Reads them from column `first` on.
[[nodiscard]] record::Event readFilterColumns(const Statement &statement, int first, const record::FilterSql &filter);

} // namespace portcullis::audit
