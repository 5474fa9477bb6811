// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/connection.h"

#include <QFile>
#include <QSqlError>
#include <QUrl>

#include <cerrno>

namespace portcullis::audit {
namespace {

// Primary result codes, sqlite.org/rescode.html. The header of SQLite is not needed for anything else.
enum Sqlite {
    SqliteBusy = 5,
    SqliteLocked = 6,
    SqliteReadOnly = 8,
    SqliteIo = 10,
    SqliteCorrupt = 11,
    SqliteFull = 13,
    SqliteCantOpen = 14,
    SqliteConstraint = 19,
    SqliteTooBig = 18,
    SqliteNotADatabase = 26,
    SqliteIoShmSize = SqliteIo | (19 << 8),
};

AuditError::Code codeOf(int extended)
{
    if (extended == SqliteIoShmSize) // extending the shared index fails only for want of room
        return AuditError::Code::Full;
    switch (extended & 0xff) {
    case SqliteBusy:
    case SqliteLocked:
        return AuditError::Code::Locked;
    case SqliteReadOnly:
        return AuditError::Code::ReadOnly;
    case SqliteCorrupt:
        return AuditError::Code::Corrupt;
    case SqliteNotADatabase:
        return AuditError::Code::NotARecord;
    case SqliteFull:
        return AuditError::Code::Full;
    case SqliteCantOpen:
        return AuditError::Code::CannotOpen;
    case SqliteConstraint:
    case SqliteTooBig:
        return AuditError::Code::Refused;
    default:
        return AuditError::Code::Io;
    }
}

/// `file:` URI (sqlite.org/uri.html), so that the path may hold any byte and `immutable` can be said.
QString uri(const std::string &path, OpenMode mode)
{
    QString text = QStringLiteral("file:")
        + QString::fromLatin1(QByteArray::fromStdString(path).toPercentEncoding(QByteArrayLiteral("/")));
    text += mode == OpenMode::ReadWrite ? QStringLiteral("?mode=rw") : QStringLiteral("?mode=ro");
    if (mode == OpenMode::Immutable)
        text += QStringLiteral("&immutable=1");
    return text;
}

} // namespace

Statement::Statement(const Connection &connection, QSqlQuery query)
    : m_connection(&connection), m_query(std::move(query))
{
}

Statement &Statement::bytes(std::string_view value)
{
    // A view without data would be bound as NULL.
    const char *data = value.data() != nullptr ? value.data() : "";
    m_query.bindValue(m_position++, QByteArray::fromRawData(data, static_cast<qsizetype>(value.size())));
    return *this;
}

Statement &Statement::bytesCopy(const std::string &value)
{
    m_query.bindValue(m_position++, QByteArray(value.data(), static_cast<qsizetype>(value.size())));
    return *this;
}

Statement &Statement::integer(std::int64_t value)
{
    m_query.bindValue(m_position++, QVariant::fromValue<qlonglong>(value));
    return *this;
}

Statement &Statement::integer(std::optional<std::int64_t> value)
{
    return value ? integer(*value) : null();
}

Statement &Statement::null()
{
    m_query.bindValue(m_position++, QVariant());
    return *this;
}

Result<void, AuditError> Statement::run(std::string_view step)
{
    m_position = 0;
    if (!m_query.exec())
        return failure(m_connection->error(m_query.lastError(), step));
    return {};
}

bool Statement::next()
{
    return m_query.next();
}

std::optional<AuditError> Statement::failed(std::string_view step) const
{
    const QSqlError error = m_query.lastError();
    if (error.type() == QSqlError::NoError)
        return std::nullopt;
    return m_connection->error(error, step);
}

void Statement::finish()
{
    m_query.finish();
}

std::int64_t Statement::integerAt(int column) const
{
    return m_query.value(column).toLongLong();
}

std::optional<std::int64_t> Statement::optionalAt(int column) const
{
    const QVariant value = m_query.value(column);
    return value.isNull() ? std::nullopt : std::optional<std::int64_t>(value.toLongLong());
}

std::string Statement::bytesAt(int column) const
{
    return m_query.value(column).toByteArray().toStdString();
}

std::int64_t Statement::lastInsertRow() const
{
    return m_query.lastInsertId().toLongLong();
}

int Statement::changedRows() const
{
    return m_query.numRowsAffected();
}

Connection::Connection(std::string path, QString name) : m_path(std::move(path)), m_name(std::move(name)) { }

Result<std::unique_ptr<Connection>, AuditError> Connection::open(const std::string &path, OpenMode mode,
                                                                 int busyMilliseconds)
{
    std::unique_ptr<Connection> self(new Connection(path, {}));
    self->m_name = QStringLiteral("portcullis-audit-%1").arg(reinterpret_cast<quintptr>(self.get()));
    self->m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), self->m_name);
    QString options = QStringLiteral("QSQLITE_OPEN_URI;QSQLITE_BUSY_TIMEOUT=%1").arg(busyMilliseconds);
    if (mode != OpenMode::ReadWrite)
        options += QStringLiteral(";QSQLITE_OPEN_READONLY");
    self->m_database.setConnectOptions(options);
    self->m_database.setDatabaseName(uri(path, mode));
    if (!self->m_database.open())
        return failure(self->error(self->m_database.lastError(), "open"));
    return self;
}

Connection::~Connection()
{
    m_database.close();
    m_database = QSqlDatabase(); // the last reference must be gone before the name is
    QSqlDatabase::removeDatabase(m_name);
}

Result<Statement, AuditError> Connection::prepare(std::string_view sql, std::string_view step) const
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.prepare(QString::fromUtf8(sql.data(), static_cast<qsizetype>(sql.size()))))
        return failure(error(query.lastError(), step));
    return Statement(*this, std::move(query));
}

Result<void, AuditError> Connection::execute(std::string_view sql, std::string_view step) const
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.exec(QString::fromUtf8(sql.data(), static_cast<qsizetype>(sql.size()))))
        return failure(error(query.lastError(), step));
    return {};
}

Result<std::int64_t, AuditError> Connection::number(std::string_view sql, std::string_view step) const
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.exec(QString::fromUtf8(sql.data(), static_cast<qsizetype>(sql.size()))))
        return failure(error(query.lastError(), step));
    return query.next() ? query.value(0).toLongLong() : 0;
}

AuditError Connection::error(const QSqlError &error, std::string_view step) const
{
    bool known = false;
    const int number = error.nativeErrorCode().toInt(&known);
    AuditError out;
    out.code = known ? codeOf(number) : AuditError::Code::CannotOpen;
    out.step = step;
    out.path = m_path;
    out.sqlite = known ? number : 0;
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
