// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thin layer over QSqlDatabase: bytes instead of QString, typed errors instead of texts. Only for this folder.

#include "runner/audit/audit_error.h"
#include "runner/base/result.h"

#include <QSqlDatabase>
#include <QSqlQuery>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace portcullis::audit {

enum class OpenMode {
    ReadWrite, ///< the file exists already
    ReadOnly,
    Immutable, ///< read-only, and nobody else can change the file: no locks, no `-wal`
};

class Connection;

/// A prepared statement, forward only. Values are bound in the order of their placeholders and must outlive `run`.
///
/// Texts are bytes and go in as blobs, so nothing is converted and nothing that is not UTF-8 is lost: SQL writes
/// `CAST(? AS TEXT)` to store or compare them and `CAST(x AS BLOB)` to read them.
class Statement
{
public:
    Statement &bytes(std::string_view value);
    /// For a value that does not outlive `run`.
    Statement &bytesCopy(const std::string &value);
    Statement &integer(std::int64_t value);
    Statement &integer(std::optional<std::int64_t> value);
    Statement &null();

    /// Executes with the values bound since the last time. `step` names the action in errors.
    [[nodiscard]] Result<void, AuditError> run(std::string_view step);
    /// Steps to the next row. False at the end and on errors: see `failed`.
    [[nodiscard]] bool next();
    /// The error that ended `next`, if any.
    [[nodiscard]] std::optional<AuditError> failed(std::string_view step) const;
    /// Ends the read transaction. Every function that runs a query calls it before it returns.
    void finish();

    [[nodiscard]] std::int64_t integerAt(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optionalAt(int column) const;
    [[nodiscard]] std::string bytesAt(int column) const;
    [[nodiscard]] std::int64_t lastInsertRow() const;
    [[nodiscard]] int changedRows() const;

private:
    friend class Connection;
    Statement(const Connection &connection, QSqlQuery query);
    const Connection *m_connection;
    QSqlQuery m_query;
    int m_position = 0;
};

/// A named connection that is closed and removed with this object; one thread only.
class Connection
{
public:
    [[nodiscard]] static Result<std::unique_ptr<Connection>, AuditError> open(const std::string &path, OpenMode mode,
                                                                              int busyMilliseconds);
    ~Connection();
    Connection(const Connection &) = delete;
    Connection &operator=(const Connection &) = delete;

    [[nodiscard]] Result<Statement, AuditError> prepare(std::string_view sql, std::string_view step) const;
    /// Runs one statement without values and rows.
    [[nodiscard]] Result<void, AuditError> execute(std::string_view sql, std::string_view step) const;
    /// The first column of the first row as a number.
    [[nodiscard]] Result<std::int64_t, AuditError> number(std::string_view sql, std::string_view step) const;

    [[nodiscard]] AuditError error(const QSqlError &error, std::string_view step) const;
    [[nodiscard]] AuditError error(AuditError::Code code, std::string_view step) const;
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    Connection(std::string path, QString name);
    std::string m_path;
    QString m_name;
    QSqlDatabase m_database;
};

} // namespace portcullis::audit
