// SPDX-License-Identifier: Apache-2.0
#pragma once

// A thin layer over the C interface of SQLite: bytes instead of C strings, typed errors instead of texts. Only for this
// folder. Not Qt Sql: a row of the record has fifty columns, and each would become a QVariant on its way in and out.
// sqlite.org/cintro.html

#include "runner/audit/audit_error.h"
#include "runner/base/result.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace portcullis::audit {

enum class OpenMode {
    ReadWrite, ///< the file exists already
    ReadOnly,
    Immutable, ///< read-only, and nobody else can change the file: no locks, no `-wal`
};

class Connection;

/// A prepared statement, forward only. Values are bound in the order of their placeholders and must outlive `run`, or,
/// where rows are read, the last `next`.
///
/// Texts are bytes: nothing is converted, and nothing that is not UTF-8 is lost.
class Statement
{
public:
    /// Stored and compared as TEXT.
    Statement &text(std::string_view value);
    /// For a text that does not outlive `run`.
    Statement &textCopy(const std::string &value);
    /// Stored and compared as a BLOB.
    Statement &bytes(std::string_view value);
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

    /// Of the row that `next` came to.
    [[nodiscard]] std::int64_t integerAt(int column) const;
    [[nodiscard]] std::optional<std::int64_t> optionalAt(int column) const;
    [[nodiscard]] bool isNullAt(int column) const;
    /// Of a TEXT or a BLOB; empty for NULL.
    [[nodiscard]] std::string bytesAt(int column) const;
    [[nodiscard]] std::int64_t lastInsertRow() const;
    [[nodiscard]] int changedRows() const;

private:
    friend class Connection;
    struct Finalizer {
        void operator()(sqlite3_stmt *statement) const;
    };
    Statement(const Connection &connection, sqlite3_stmt *statement);
    int nextPlace();
    /// The result of binding a value; `run` tells of a failure.
    void bound(int result);
    /// True where there is a row.
    bool step();

    const Connection *m_connection;
    std::unique_ptr<sqlite3_stmt, Finalizer> m_statement;
    int m_position = 0; ///< of the last bound value; placeholders count from 1
    int m_bindError = 0;
    int m_error = 0; ///< extended result code of the last step
    bool m_hasRow = false; ///< found by `run`, not yet taken by `next`
    bool m_active = false; ///< more rows may come
};

/// A connection that is closed with this object; one thread only.
class Connection
{
public:
    [[nodiscard]] static Result<std::unique_ptr<Connection>, AuditError> open(const std::string &path, OpenMode mode,
                                                                              int busyMilliseconds);

    [[nodiscard]] Result<Statement, AuditError> prepare(std::string_view sql, std::string_view step) const;
    /// Runs one statement without values; its rows are not looked at.
    [[nodiscard]] Result<void, AuditError> execute(std::string_view sql, std::string_view step) const;
    /// The first column of the first row as a number; 0 where there is no row.
    [[nodiscard]] Result<std::int64_t, AuditError> number(std::string_view sql, std::string_view step) const;

    /// Of an extended result code, sqlite.org/rescode.html.
    [[nodiscard]] AuditError error(int sqlite, std::string_view step) const;
    [[nodiscard]] AuditError error(AuditError::Code code, std::string_view step) const;
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    struct Closer {
        void operator()(sqlite3 *database) const;
    };
    explicit Connection(std::string path);
    std::string m_path;
    std::unique_ptr<sqlite3, Closer> m_database;
};

} // namespace portcullis::audit
