// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/connection.h"

#include "runner/record/filter_node.h"

#include <sqlite3.h>

#include <QByteArray>

#include <utility>

namespace portcullis::audit {
namespace {

AuditError::Code codeOf(int extended)
{
    if (extended == SQLITE_IOERR_SHMSIZE) // extending the shared index fails only for want of room
        return AuditError::Code::Full;
    switch (extended & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return AuditError::Code::Locked;
    case SQLITE_READONLY:
        return AuditError::Code::ReadOnly;
    case SQLITE_CORRUPT:
        return AuditError::Code::Corrupt;
    case SQLITE_NOTADB:
        return AuditError::Code::NotARecord;
    case SQLITE_FULL:
        return AuditError::Code::Full;
    case SQLITE_CANTOPEN:
        return AuditError::Code::CannotOpen;
    case SQLITE_CONSTRAINT:
    case SQLITE_TOOBIG:
        return AuditError::Code::Refused;
    default:
        return AuditError::Code::Io;
    }
}

/// `file:` URI (sqlite.org/uri.html), so that the path may hold any byte and `immutable` can be said.
std::string uri(const std::string &path, OpenMode mode)
{
    std::string text = "file:"
        + QByteArray::fromRawData(path.data(), static_cast<qsizetype>(path.size()))
              .toPercentEncoding(QByteArrayLiteral("/"))
              .toStdString();
    text += mode == OpenMode::ReadWrite ? "?mode=rw" : "?mode=ro";
    if (mode == OpenMode::Immutable)
        text += "&immutable=1";
    return text;
}

/// A view without data would be bound as NULL.
const char *dataOf(std::string_view value)
{
    return value.data() != nullptr ? value.data() : "";
}

std::string_view bytesOf(sqlite3_value *value)
{
    const auto *data = static_cast<const char *>(sqlite3_value_blob(value)); // before the size: it may convert
    return {data != nullptr ? data : "", static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

/// SQL function contains_word(text, word), see filter_sql.h.
void containsWord(sqlite3_context *context, int, sqlite3_value **values)
{
    sqlite3_result_int(context, record::containsWord(bytesOf(values[0]), bytesOf(values[1])) ? 1 : 0);
}

/// SQL function matches_glob(text, pattern), see filter_sql.h. NULL of a text that is not there.
void matchesGlob(sqlite3_context *context, int, sqlite3_value **values)
{
    if (sqlite3_value_type(values[0]) == SQLITE_NULL)
        sqlite3_result_null(context);
    else
        sqlite3_result_int(context, record::globMatches(bytesOf(values[1]), bytesOf(values[0])) ? 1 : 0);
}

// What the macros SQLITE_STATIC and SQLITE_TRANSIENT are, without their casts.
constexpr sqlite3_destructor_type keptByCaller = nullptr;
const auto copied = reinterpret_cast<sqlite3_destructor_type>(-1);

} // namespace

void Statement::Finalizer::operator()(sqlite3_stmt *statement) const
{
    sqlite3_finalize(statement);
}

Statement::Statement(const Connection &connection, sqlite3_stmt *statement)
    : m_connection(&connection), m_statement(statement)
{
}

/// A statement takes no values while it still has rows.
int Statement::nextPlace()
{
    if (m_position == 0 && m_active)
        finish();
    return ++m_position;
}

void Statement::bound(int result)
{
    if (result != SQLITE_OK)
        m_bindError = result;
}

Statement &Statement::text(std::string_view value)
{
    bound(sqlite3_bind_text64(m_statement.get(), nextPlace(), dataOf(value), value.size(), keptByCaller, SQLITE_UTF8));
    return *this;
}

Statement &Statement::textCopy(const std::string &value)
{
    bound(sqlite3_bind_text64(m_statement.get(), nextPlace(), value.data(), value.size(), copied, SQLITE_UTF8));
    return *this;
}

Statement &Statement::bytes(std::string_view value)
{
    bound(sqlite3_bind_blob64(m_statement.get(), nextPlace(), dataOf(value), value.size(), keptByCaller));
    return *this;
}

Statement &Statement::bytesCopy(const std::string &value)
{
    bound(sqlite3_bind_blob64(m_statement.get(), nextPlace(), value.data(), value.size(), copied));
    return *this;
}

Statement &Statement::integer(std::int64_t value)
{
    bound(sqlite3_bind_int64(m_statement.get(), nextPlace(), value));
    return *this;
}

Statement &Statement::integer(std::optional<std::int64_t> value)
{
    return value ? integer(*value) : null();
}

Statement &Statement::null()
{
    bound(sqlite3_bind_null(m_statement.get(), nextPlace()));
    return *this;
}

bool Statement::step()
{
    const int result = sqlite3_step(m_statement.get());
    m_active = result == SQLITE_ROW;
    m_error = result == SQLITE_ROW || result == SQLITE_DONE ? SQLITE_OK : result;
    if (!m_active)
        sqlite3_reset(m_statement.get()); // says the same error once more
    return m_active;
}

Result<void, AuditError> Statement::run(std::string_view step)
{
    m_position = 0;
    finish();
    if (const int refused = std::exchange(m_bindError, SQLITE_OK); refused != SQLITE_OK)
        return failure(m_connection->error(refused, step));
    m_hasRow = this->step();
    if (m_error != SQLITE_OK)
        return failure(m_connection->error(m_error, step));
    return {};
}

bool Statement::next()
{
    if (std::exchange(m_hasRow, false))
        return true;
    return m_active && step();
}

std::optional<AuditError> Statement::failed(std::string_view step) const
{
    return m_error == SQLITE_OK ? std::nullopt : std::optional<AuditError>(m_connection->error(m_error, step));
}

void Statement::finish()
{
    sqlite3_reset(m_statement.get());
    m_hasRow = m_active = false;
}

std::int64_t Statement::integerAt(int column) const
{
    return sqlite3_column_int64(m_statement.get(), column);
}

bool Statement::isNullAt(int column) const
{
    return sqlite3_column_type(m_statement.get(), column) == SQLITE_NULL;
}

std::optional<std::int64_t> Statement::optionalAt(int column) const
{
    return isNullAt(column) ? std::nullopt : std::optional(integerAt(column));
}

std::string Statement::bytesAt(int column) const
{
    const void *data = sqlite3_column_blob(m_statement.get(), column);
    const int size = sqlite3_column_bytes(m_statement.get(), column);
    return data != nullptr ? std::string(static_cast<const char *>(data), static_cast<std::size_t>(size))
                           : std::string();
}

std::int64_t Statement::lastInsertRow() const
{
    return sqlite3_last_insert_rowid(sqlite3_db_handle(m_statement.get()));
}

int Statement::changedRows() const
{
    return sqlite3_changes(sqlite3_db_handle(m_statement.get()));
}

void Connection::Closer::operator()(sqlite3 *database) const
{
    sqlite3_close_v2(database);
}

Connection::Connection(std::string path) : m_path(std::move(path)) { }

Result<std::unique_ptr<Connection>, AuditError> Connection::open(const std::string &path, OpenMode mode,
                                                                 int busyMilliseconds)
{
    std::unique_ptr<Connection> self(new Connection(path));
    const int access = mode == OpenMode::ReadWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    constexpr int always = SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE;
    sqlite3 *database = nullptr;
    const int result = sqlite3_open_v2(uri(path, mode).c_str(), &database, access | always, nullptr);
    self->m_database.reset(database); // to be closed even where it could not be opened
    if (result != SQLITE_OK)
        return failure(database != nullptr ? self->error(result, "open")
                                           : self->error(AuditError::Code::CannotOpen, "open"));
    sqlite3_busy_timeout(database, busyMilliseconds);
    constexpr int pure = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
    for (const auto &[name, function] : {std::pair{"contains_word", &containsWord}, {"matches_glob", &matchesGlob}}) {
        const int added =
            sqlite3_create_function_v2(database, name, 2, pure, nullptr, function, nullptr, nullptr, nullptr);
        if (added != SQLITE_OK)
            return failure(self->error(added, "open"));
    }
    return self;
}

Result<Statement, AuditError> Connection::prepare(std::string_view sql, std::string_view step) const
{
    sqlite3_stmt *statement = nullptr;
    const int result = sqlite3_prepare_v3(m_database.get(), sql.data(), static_cast<int>(sql.size()),
                                          SQLITE_PREPARE_PERSISTENT, &statement, nullptr);
    if (result != SQLITE_OK)
        return failure(error(result, step));
    return Statement(*this, statement);
}

Result<void, AuditError> Connection::execute(std::string_view sql, std::string_view step) const
{
    auto statement = prepare(sql, step);
    return statement ? statement->run(step) : failure(statement.error());
}

Result<std::int64_t, AuditError> Connection::number(std::string_view sql, std::string_view step) const
{
    auto statement = prepare(sql, step);
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->run(step); !done)
        return failure(done.error());
    return statement->next() ? statement->integerAt(0) : 0;
}

AuditError Connection::error(int sqlite, std::string_view step) const
{
    AuditError out = error(codeOf(sqlite), step);
    out.sqlite = sqlite;
    return out;
}

AuditError Connection::error(AuditError::Code code, std::string_view step) const
{
    AuditError out;
    out.code = code;
    out.step = step;
    out.path = m_path;
    return out;
}

} // namespace portcullis::audit
