// SPDX-License-Identifier: Apache-2.0

// Rows per second of processor time into the record, in batches (with synchronous=NORMAL a commit waits for no device),
// and what one commit of a decision takes before its command may start.
// Peer: the same rows with the same statements through SQLite alone, without masking, checks and savepoints.

#include "runner/audit/audit_writer.h"
#include "tests/bench/bench.h"
#include "tests/bench/bench_events.h"
#include "tests/support/audit_events.h"

#include <sqlite3.h>

#include <QCoreApplication>
#include <QTemporaryDir>

#include <functional>

using namespace portcullis;

namespace {

constexpr std::uint64_t batch = 1000;
constexpr std::uint64_t batches = 20;

std::unique_ptr<audit::AuditWriter> openWriter(const std::string &path)
{
    auto writer = audit::AuditWriter::open({.path = path});
    if (!writer)
        qFatal("%s", writer.error().step.c_str());
    return std::move(*writer);
}

using MakeEvent = std::function<record::Event(std::uint64_t)>;

double ours(audit::AuditWriter &writer, const MakeEvent &make, std::uint64_t &next)
{
    std::vector<audit::WriteRequest> requests;
    for (std::uint64_t i = 0; i < batch; ++i)
        requests.emplace_back(audit::Append{make(next++), {}});
    const double start = bench::threadMicroseconds();
    for (const audit::WriteResult &result : writer.commit(std::move(requests))) {
        if (!result)
            qFatal("%s", result.error().step.c_str());
    }
    return bench::threadMicroseconds() - start;
}

/// Copies one row of a record again and again, with another id and time each, into another record.
class Copier
{
public:
    Copier(const std::string &from, const std::string &to)
    {
        check(sqlite3_open(from.c_str(), &m_from));
        check(sqlite3_open(to.c_str(), &m_to));
        sqlite3_exec(m_to, "PRAGMA synchronous = NORMAL; PRAGMA cache_size = -8192", nullptr, nullptr, nullptr);
        take("events", m_events);
        take("details", m_details);
    }
    ~Copier()
    {
        for (const Table *table : {&m_events, &m_details}) {
            for (sqlite3_value *value : table->values)
                sqlite3_value_free(value);
            sqlite3_finalize(table->insert);
        }
        sqlite3_close(m_from);
        sqlite3_close(m_to);
    }
    Copier(const Copier &) = delete;
    Copier &operator=(const Copier &) = delete;

    double copy(std::uint64_t &next)
    {
        const double start = bench::threadMicroseconds();
        sqlite3_exec(m_to, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
        for (std::uint64_t i = 0; i < batch; ++i) {
            const std::uint64_t row = next++;
            const std::string id = test::eventId(row);
            insert(m_events, row, id);
            insert(m_details, row, {});
        }
        sqlite3_exec(m_to, "COMMIT", nullptr, nullptr, nullptr);
        return bench::threadMicroseconds() - start;
    }

private:
    struct Table {
        std::vector<sqlite3_value *> values;
        sqlite3_stmt *insert = nullptr;
        int rowColumn = 0;
        int idColumn = 0;
        int timeColumn = 0;
    };

    void check(int result)
    {
        if (result != SQLITE_OK && result != SQLITE_DONE)
            qFatal("%s", sqlite3_errmsg(m_to));
    }

    void take(const std::string &name, Table &table)
    {
        sqlite3_stmt *select = nullptr;
        check(sqlite3_prepare_v2(m_from, ("SELECT * FROM " + name + " ORDER BY row LIMIT 1").c_str(), -1, &select,
                                 nullptr));
        if (sqlite3_step(select) != SQLITE_ROW)
            qFatal("no row");
        std::string places;
        for (int i = 0; i < sqlite3_column_count(select); ++i) {
            const std::string column = sqlite3_column_name(select, i);
            for (const auto &[wanted, place] : {std::pair{"row", &table.rowColumn}, std::pair{"id", &table.idColumn},
                                                std::pair{"time_us", &table.timeColumn}}) {
                if (column == wanted)
                    *place = i + 1;
            }
            table.values.push_back(sqlite3_value_dup(sqlite3_column_value(select, i)));
            places += i == 0 ? "?" : ", ?";
        }
        sqlite3_finalize(select);
        check(sqlite3_prepare_v2(m_to, ("INSERT INTO " + name + " VALUES (" + places + ")").c_str(), -1, &table.insert,
                                 nullptr));
    }

    void insert(const Table &table, std::uint64_t row, const std::string &id)
    {
        for (std::size_t i = 0; i < table.values.size(); ++i)
            sqlite3_bind_value(table.insert, static_cast<int>(i) + 1, table.values[i]);
        sqlite3_bind_int64(table.insert, table.rowColumn, static_cast<sqlite3_int64>(row));
        if (table.idColumn != 0) {
            sqlite3_bind_text(table.insert, table.idColumn, id.data(), static_cast<int>(id.size()), nullptr);
            sqlite3_bind_int64(table.insert, table.timeColumn, static_cast<sqlite3_int64>(1'790'000'000'000'000 + row));
        }
        check(sqlite3_step(table.insert));
        sqlite3_reset(table.insert);
    }

    sqlite3 *m_from = nullptr;
    sqlite3 *m_to = nullptr;
    Table m_events;
    Table m_details;
};

double rowsPerSecond(const std::vector<double> &times)
{
    return static_cast<double>(batch) * 1e6 / bench::median(times);
}

void batchesOf(const char *what, const MakeEvent &make)
{
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("audit.db")).toStdString();
    const std::string other = folder.filePath(QStringLiteral("other.db")).toStdString();
    const auto writer = openWriter(path);
    std::uint64_t next = 1;
    static_cast<void>(ours(*writer, make, next));
    openWriter(other).reset(); // makes the tables
    Copier copier(path, other);
    std::uint64_t copied = 1;
    std::vector<double> mine;
    std::vector<double> bare;
    for (std::uint64_t i = 0; i < batches; ++i) {
        mine.push_back(ours(*writer, make, next));
        bare.push_back(copier.copy(copied));
    }
    bench::row(what, {rowsPerSecond(mine), "rows/s"}, bench::Peer{"SQLite alone", rowsPerSecond(bare)},
               bench::atLeast(100'000));
}

void commitsBeforeStart(const MakeEvent &make)
{
    const QTemporaryDir folder;
    const auto writer = openWriter(folder.filePath(QStringLiteral("audit.db")).toStdString());
    std::uint64_t next = 1;
    std::vector<record::Event> events;
    for (int i = 0; i < 500; ++i) {
        record::Event event = make(next++);
        event.outcome = Outcome::Running;
        events.push_back(std::move(event));
    }
    auto event = events.begin();
    const auto single = bench::measured(500, bench::wallMicroseconds, [&] {
        if (!writer->begin(*event++))
            qFatal("begin");
    });
    bench::row("commit of a decision before its start, median", {bench::quantile(single, 0.5) / 1000, "ms"}, {},
               bench::atMost(1));
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    const bench::RecordedCommands commands;
    const auto whole = [&](std::uint64_t n) {
        record::Event event = commands.event(n);
        event.outcome = Outcome::NotStarted;
        return event;
    };
    batchesOf("audit writes, whole rows of decisions, batches of 1,000", whole);
    batchesOf("audit writes, rows without a trace, batches of 1,000", test::deniedEvent);
    commitsBeforeStart(whole);
    return 0;
}
