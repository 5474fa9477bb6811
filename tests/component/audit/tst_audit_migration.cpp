// SPDX-License-Identifier: Apache-2.0

// How a record of an older version becomes one of a newer: with everything that is in it, or not at all.

#include "runner/audit/audit_reader.h"
#include "runner/audit/audit_writer.h"
#include "runner/audit/connection.h"
#include "runner/audit/schema.h"
#include "tests/support/audit_events.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QThread>

#include <atomic>
#include <memory>
#include <vector>

using namespace Qt::StringLiterals;
using namespace portcullis;
using namespace portcullis::audit;
using Code = AuditError::Code;

namespace {

std::unique_ptr<Connection> connectionTo(const std::string &path)
{
    auto connection = Connection::open(path, OpenMode::ReadWrite, 5000);
    return connection ? std::move(*connection) : nullptr;
}

/// All rows of a query as text, as SQLite writes them.
QByteArray rowsOf(const Connection &connection, std::string_view sql)
{
    auto statement = connection.prepare(sql, "dump");
    if (!statement || !statement->run("dump"))
        return "cannot be read: " + QByteArray::fromStdString(std::string(sql));
    QByteArray out;
    while (statement->next())
        out += QByteArray::fromStdString(statement->bytesAt(0)) + '\n';
    statement->finish();
    return out;
}

/// Everything that is in the tables that version 1 has, by its own columns, which later steps do not touch.
QByteArray contentOf(const Connection &connection, const QByteArrayList &tables)
{
    QByteArray out;
    for (const QByteArray &each : tables) {
        const qsizetype open = each.indexOf('(');
        const QByteArray table = each.left(open);
        for (const QByteArray &column : each.mid(open + 1).split(','))
            out += table + '.' + column + '\n'
                + rowsOf(connection,
                         "SELECT CAST(quote(" + column.toStdString() + ") AS BLOB) FROM " + table.toStdString()
                             + " ORDER BY 1");
    }
    return out;
}

/// `table(column,column…)` of every table.
QByteArrayList tablesOf(const Connection &connection)
{
    return rowsOf(connection,
                  "SELECT CAST(m.name || '(' || group_concat(c.name) AS BLOB) FROM sqlite_schema m "
                  "JOIN pragma_table_info(m.name) c WHERE m.type = 'table' GROUP BY m.name ORDER BY m.name")
        .trimmed()
        .split('\n');
}

QByteArray schemaOf(const Connection &connection)
{
    return rowsOf(connection, "SELECT CAST(ifnull(sql, '') AS BLOB) FROM sqlite_schema ORDER BY type, name");
}

std::int64_t versionOf(const Connection &connection)
{
    return connection.number("PRAGMA user_version", "version").value_or(-1);
}

/// A record with a row in every table.
void fill(const std::string &path)
{
    auto writer = AuditWriter::open({.path = path, .reserveBytes = 0});
    QVERIFY(writer);
    for (std::uint64_t n = 1; n <= 200; ++n)
        QVERIFY((*writer)->append(test::deniedEvent(n), {std::string("out\0\xff", 5), "err", 1, 2}));
    QVERIFY((*writer)->begin(test::allowedEvent(201, "1:2:3")));
    QVERIFY((*writer)->storeConfiguration("sha256:aa", "text", 5));
    Revision revision;
    revision.tenant = "acme";
    revision.digest = "sha256:bb";
    revision.content = "{}";
    QVERIFY((*writer)->storeRevision(revision));
    QVERIFY((*writer)->heartbeat({"1:2:3", "sha256:aa", "0.1.0", "cli", 7}));
}

constexpr std::array<std::string_view, 2> second{
    "ALTER TABLE events ADD COLUMN weight INTEGER NOT NULL DEFAULT 7",
    "UPDATE events SET weight = row WHERE verdict = 'deny'",
};
constexpr std::array<std::string_view, 2> third{
    "CREATE TABLE notes (row INTEGER PRIMARY KEY REFERENCES events(row), text TEXT NOT NULL)",
    "INSERT INTO notes SELECT row, 'of ' || id FROM events",
};
constexpr std::array<std::string_view, 2> broken{
    "DELETE FROM events",
    "UPDATE no_such_table SET a = 1",
};

/// What this program knows, and further steps.
std::vector<Migration> stepsWith(std::initializer_list<std::span<const std::string_view>> further)
{
    std::vector<Migration> steps(migrations().begin(), migrations().end());
    for (const auto &statements : further)
        steps.push_back({steps.back().version + 1, statements});
    return steps;
}

} // namespace

class TstAuditMigration : public QObject
{
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::string m_path;

private Q_SLOTS:
    void init()
    {
        m_folder = std::make_unique<QTemporaryDir>();
        m_path = m_folder->filePath(u"audit.db"_s).toStdString();
        fill(m_path);
    }

    void a_new_record_has_the_newest_version()
    {
        const auto connection = connectionTo(m_path);
        QVERIFY(connection);
        QCOMPARE(versionOf(*connection), std::int64_t{schemaVersion()});
        QCOMPARE(migrations().back().version, schemaVersion());
        for (std::size_t i = 0; i < migrations().size(); ++i)
            QCOMPARE(migrations()[i].version, static_cast<int>(i) + 1);
    }

    /// As a version 1 of this program has left it: rows that know nothing of words that a command hides.
    void a_record_of_the_first_version_is_read_as_it_is_and_brought_up_to_date_by_a_writer()
    {
        const std::string old = m_folder->filePath(u"old.db"_s).toStdString();
        {
            QFile file(QString::fromStdString(old));
            QVERIFY(file.open(QIODevice::WriteOnly));
        }
        {
            const auto connection = connectionTo(old);
            QVERIFY(connection);
            QVERIFY(migrate(*connection, migrations().first(1)));
            QVERIFY(connection->execute(
                "INSERT INTO events VALUES (1, '0198c0de-0000-7000-8000-000000000001', 5, 'exec', 'gw', 'acme', "
                "'main', "
                "'cli', 'agent', 'c\"\"url x', 0, '/srv', 'allow', '', '', '', 0, '', 'host', 'full', 'exited', 0, "
                "NULL, 5, 6, 0, 0, NULL)",
                "old"));
            QVERIFY(connection->execute(
                "INSERT INTO details VALUES (1, '', '', '', x'', 'bash', NULL, 'default', NULL, 0, '', '', '', '', "
                "'[]', '[]', '', 0, 'warn', '', '', '', '0.1.0', '', '1:2:3', '')",
                "old"));
        }
        const auto found = [](AuditReader &reader, const char *filter) {
            const auto parsed = record::Filter::parse(filter, {});
            const auto rows = reader.page(*parsed, 0);
            return rows ? static_cast<int>(rows->size()) : -1;
        };
        const auto reader = AuditReader::open(old);
        QVERIFY(reader);
        QCOMPARE(found(**reader, "url"), 1);
        QCOMPARE(found(**reader, "/url/ tenant:acme"), 1);
        QCOMPARE(found(**reader, "curl"), 0);
        const auto whole = (*reader)->event(1);
        QVERIFY(whole);
        QCOMPARE(whole->command, std::string("c\"\"url x"));

        const auto writer = AuditWriter::open({.path = old, .reserveBytes = 0});
        QVERIFY(writer);
        record::Event hidden = test::deniedEvent(300);
        hidden.command = "cu''rl y";
        hidden.normalised = "curl y";
        QVERIFY((*writer)->append(hidden));
        QCOMPARE(versionOf(*connectionTo(old)), std::int64_t{schemaVersion()});
        // The reader that was there before sees what has come.
        QCOMPARE(found(**reader, "curl"), 1);
        QCOMPARE(found(**reader, "/curl/"), 1);
        QCOMPARE(found(**reader, "-curl"), 1);
        QCOMPARE(found(**reader, "url"), 2);
        QVERIFY(*(*reader)->event(1) == *whole);
    }

    void steps_run_one_after_the_other_and_lose_nothing()
    {
        const auto connection = connectionTo(m_path);
        QVERIFY(connection);
        const QByteArrayList tables = tablesOf(*connection);
        const QByteArray before = contentOf(*connection, tables);
        QVERIFY(before.size() > 10'000);
        QVERIFY(migrate(*connection, stepsWith({second, third})));
        QCOMPARE(versionOf(*connection), std::int64_t{schemaVersion()} + 2);
        QCOMPARE(contentOf(*connection, tables), before);
        QCOMPARE(connection->number("SELECT sum(weight) FROM events", "t").value_or(0),
                 std::int64_t{200 * 201 / 2 + 7});
        QCOMPARE(connection->number("SELECT count(*) FROM notes", "t").value_or(0), std::int64_t{201});
        QVERIFY(migrate(*connection, stepsWith({second, third}))); // once is enough
        QCOMPARE(connection->number("SELECT count(*) FROM notes", "t").value_or(0), std::int64_t{201});
        // This program does not touch it any more.
        QCOMPARE(AuditWriter::open({.path = m_path, .reserveBytes = 0}).error().code, Code::NewerVersion);
        QCOMPARE(AuditReader::open(m_path).error().code, Code::NewerVersion);
    }

    void a_step_that_fails_leaves_the_file_as_it_was()
    {
        const auto connection = connectionTo(m_path);
        QVERIFY(connection);
        const QByteArrayList tables = tablesOf(*connection);
        const QByteArray before = contentOf(*connection, tables) + schemaOf(*connection);
        QVERIFY(!migrate(*connection, stepsWith({second, broken}))); // the step before it is taken back too
        QCOMPARE(versionOf(*connection), std::int64_t{schemaVersion()});
        QCOMPARE(contentOf(*connection, tables) + schemaOf(*connection), before);
        const auto writer = AuditWriter::open({.path = m_path, .reserveBytes = 0});
        QVERIFY(writer);
        QVERIFY((*writer)->append(test::deniedEvent(300)));
    }

    void several_processes_may_do_it_at_once()
    {
        const auto steps = stepsWith({second, third});
        std::atomic_int good = 0;
        std::vector<std::unique_ptr<QThread>> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back(QThread::create([&] {
                const auto connection = connectionTo(m_path);
                if (connection && migrate(*connection, steps))
                    ++good;
            }));
            threads.back()->start();
        }
        for (const auto &thread : threads)
            QVERIFY(thread->wait(60'000));
        QCOMPARE(good.load(), 4);
        const auto connection = connectionTo(m_path);
        QCOMPARE(connection->number("SELECT count(*) FROM notes", "t").value_or(0), std::int64_t{201});
    }
};

QTEST_GUILESS_MAIN(TstAuditMigration)
#include "tst_audit_migration.moc"
