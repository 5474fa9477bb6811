// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_reader.h"

#include "runner/audit/audit_place.h"
#include "runner/audit/reader_private.h"
#include "runner/audit/row_codec.h"
#include "runner/audit/schema.h"
#include "runner/base/uuid.h"

#include <algorithm>
#include <format>
#include <utility>

namespace portcullis::audit {
namespace {

using record::Event;

std::string lower(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(),
                           [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return out;
}

Result<std::unique_ptr<Connection>, AuditError> openKnown(const std::string &path, OpenMode mode, int busy)
{
    auto connection = Connection::open(path, mode, busy);
    if (!connection)
        return connection;
    if (auto known = checkReadable(**connection); !known)
        return failure(known.error());
    return connection;
}

} // namespace

Result<std::unique_ptr<Connection>, AuditError> AuditReader::Private::connect(const std::string &path, int busy,
                                                                              bool &immutable)
{
    const auto place = lookForReading(path);
    if (!place)
        return failure(place.error());
    immutable = !place->logExists && !place->folderWritable;
    auto connection = openKnown(path, immutable ? OpenMode::Immutable : OpenMode::ReadOnly, busy);
    // A reader shares an index with the writers, for which a full device has no room. Nobody writes where no log is.
    if (!connection && connection.error().code == AuditError::Code::Full && !place->logExists) {
        immutable = true;
        connection = openKnown(path, OpenMode::Immutable, busy);
    }
    return connection;
}

Result<void, AuditError> AuditReader::Private::inPlace() const
{
    if (identityOf(path) == identity)
        return {};
    return failure(error(AuditError::Code::Replaced, "open"));
}

Result<void, AuditError> AuditReader::Private::ready()
{
    if (auto there = inPlace(); !there)
        return there;
    if (!immutable)
        return {};
    const auto place = lookForReading(path);
    if (!place)
        return failure(place.error());
    if (!place->logExists)
        return {};
    auto fresh = connect(path, busyMilliseconds, immutable);
    if (!fresh)
        return failure(fresh.error());
    connection = std::move(*fresh);
    dataVersion = -1;
    m_known.reset();
    return {};
}

Result<std::int64_t, AuditError> AuditReader::Private::edge(std::string_view function) const
{
    return connection->number(std::format("SELECT ifnull({}(row), 0) FROM events", function), "edge");
}

record::FilterSql AuditReader::Private::sqlOf(const record::Filter &filter) const
{
    // Asked each time: a writer may have brought it up to date since.
    const auto version = connection->number("PRAGMA user_version", "version");
    return record::filterSql(filter, version && *version >= respelledSince);
}

Result<RowRange, AuditError> AuditReader::Private::rowsOf(const record::Filter &filter)
{
    const auto first = edge("min");
    const auto last = edge("max");
    if (!first || !last)
        return failure(first ? last.error() : first.error());
    RowRange all{*first, *first == 0 ? -1 : *last};
    const record::Interval times = record::timeBounds(filter);
    if (times == record::Interval{})
        return all;
    if (!m_known || m_known->times != times) {
        auto statement = connection->prepare("SELECT min(row), max(row) FROM events INDEXED BY events_time "
                                             "WHERE time_us >= ? AND time_us < ?",
                                             "time");
        if (!statement)
            return failure(statement.error());
        if (auto done = statement->integer(times.from).integer(times.to).run("time"); !done)
            return failure(done.error());
        const bool any = statement->next() && statement->optionalAt(0).has_value();
        m_known = {times, *last, any ? RowRange{statement->integerAt(0), statement->integerAt(1)} : RowRange{1, 0}};
        statement->finish();
    }
    // Rows that came since may belong to it too.
    const RowRange &known = m_known->rows;
    if (*last == m_known->lastRow)
        return known;
    return RowRange{known.from <= known.to ? known.from : m_known->lastRow + 1, *last};
}

Result<Event, AuditError> AuditReader::Private::whole(std::string_view condition, std::int64_t row) const
{
    auto statement = connection->prepare(
        "SELECT " + wholeColumns() + " FROM " + std::string(eventTables) + " WHERE " + std::string(condition), "event");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->integer(row).run("event"); !done)
        return failure(done.error());
    if (!statement->next())
        return failure(statement->failed("event").value_or(error(AuditError::Code::NotFound, "event")));
    Event event = readWholeRow(*statement);
    statement->finish();
    return event;
}

Result<std::unique_ptr<AuditReader>, AuditError> AuditReader::open(const std::string &path, int busyMilliseconds)
{
    auto d = std::make_unique<Private>();
    d->path = path;
    d->busyMilliseconds = busyMilliseconds;
    d->identity = identityOf(path);
    auto connection = Private::connect(path, busyMilliseconds, d->immutable);
    if (!connection)
        return failure(connection.error());
    d->connection = std::move(*connection);
    if (auto there = d->inPlace(); !there) // replaced while it was being opened
        return failure(there.error());
    return std::unique_ptr<AuditReader>(new AuditReader(std::move(d)));
}

AuditReader::AuditReader(std::unique_ptr<Private> priv) : d(std::move(priv)) { }

AuditReader::~AuditReader() = default;

Result<bool, AuditError> AuditReader::changed()
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    const auto version = d->connection->number("PRAGMA data_version", "changed");
    if (!version)
        return failure(version.error());
    return std::exchange(d->dataVersion, *version) != *version;
}

Result<Changes, AuditError> AuditReader::changes()
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    Changes changes;
    const auto first = d->edge("min");
    const auto last = d->edge("max");
    if (!first || !last)
        return failure(first ? last.error() : first.error());
    changes.firstRow = *first;
    changes.lastRow = *last;
    auto running = d->connection->prepare("SELECT row FROM events WHERE outcome = 'running' "
                                          "AND outcome NOT IN ('exited', 'not_started') ORDER BY row",
                                          "changes");
    if (!running)
        return failure(running.error());
    if (auto done = running->run("changes"); !done)
        return failure(done.error());
    while (running->next())
        changes.running.push_back(running->integerAt(0));
    running->finish();
    return changes;
}

Result<bool, AuditError> AuditReader::prunedBetween(const Changes &before, const Changes &after)
{
    if (before.firstRow != after.firstRow && before.firstRow != 0)
        return true;
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    // A pruning has its row before it removes anything, and is over when that row no longer runs.
    auto statement = d->connection->prepare("SELECT 1 FROM events WHERE row = ? AND kind = 'prune'", "changes");
    if (!statement)
        return failure(statement.error());
    for (const std::int64_t row : before.running) {
        if (std::ranges::binary_search(after.running, row))
            continue;
        if (auto done = statement->integer(row).run("changes"); !done)
            return failure(done.error());
        const bool found = statement->next();
        statement->finish();
        if (found)
            return true;
    }
    const auto since = d->connection->number(
        std::format("SELECT EXISTS (SELECT 1 FROM events WHERE row > {} AND row <= {} AND kind = 'prune' "
                    "AND outcome <> 'running')",
                    before.lastRow, after.lastRow),
        "changes");
    if (!since)
        return failure(since.error());
    return *since != 0;
}

Result<Totals, AuditError> AuditReader::totals()
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    Totals totals;
    struct Part {
        std::int64_t *value;
        std::string_view sql;
    };
    std::int64_t pages = 0;
    std::int64_t pageSize = 0;
    for (const auto &[value, sql] : {Part{&totals.rows, "SELECT count(*) FROM events"},
                                     Part{&totals.firstUs, "SELECT ifnull(min(time_us), 0) FROM events"},
                                     Part{&totals.lastUs, "SELECT ifnull(max(time_us), 0) FROM events"},
                                     Part{&pages, "PRAGMA page_count"}, Part{&pageSize, "PRAGMA page_size"}}) {
        const auto number = d->connection->number(sql, "totals");
        if (!number)
            return failure(number.error());
        *value = *number;
    }
    totals.bytes = pages * pageSize;
    return totals;
}

Result<std::vector<Event>, AuditError> AuditReader::Private::theseRows(const std::vector<std::int64_t> &rows,
                                                                       const RowForm &form) const
{
    auto statement = connection->prepare(
        "SELECT " + form.columns() + " FROM " + std::string(eventTables) + " WHERE e.row = ?", "rows");
    if (!statement)
        return failure(statement.error());
    std::vector<Event> events;
    for (const std::int64_t row : rows) {
        if (auto done = statement->integer(row).run("rows"); !done)
            return failure(done.error());
        if (statement->next())
            events.push_back(form.read(*statement));
        statement->finish();
    }
    return events;
}

Result<std::vector<Event>, AuditError> AuditReader::rows(const std::vector<std::int64_t> &wanted)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    std::vector<std::int64_t> sorted = wanted;
    std::ranges::sort(sorted);
    return d->theseRows(sorted, {&listColumns, &readListRow});
}

Result<Event, AuditError> AuditReader::event(std::int64_t row)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    return d->whole("e.row = ?", row);
}

Result<Event, AuditError> AuditReader::eventById(std::string_view id)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    const std::string wanted = lower(id);
    if (wanted.size() < shortIdMinimum)
        return failure(d->error(AuditError::Code::NotFound, "event"));
    const std::string after = wanted + '\x7f'; // behind every id that begins so: ids are hex digits and hyphens
    std::vector<std::int64_t> found;
    const bool isStart = wanted.size() >= 8;
    const auto search = [&](std::string_view condition, bool range) -> Result<void, AuditError> {
        auto statement =
            d->connection->prepare(std::format("SELECT row FROM events WHERE {} LIMIT 2", condition), "event");
        if (!statement)
            return failure(statement.error());
        statement->text(wanted);
        if (range)
            statement->text(after);
        if (auto done = statement->run("event"); !done)
            return done;
        while (statement->next())
            found.push_back(statement->integerAt(0));
        statement->finish();
        return {};
    };
    Result<void, AuditError> done;
    if (isStart)
        done = search("id >= ? AND id < ?", true);
    if (done && !isUuid(wanted))
        done = search(std::format("substr(id, -{}) = ?", wanted.size()), false);
    if (!done)
        return failure(done.error());
    std::ranges::sort(found);
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    if (found.size() != 1)
        return failure(d->error(found.empty() ? AuditError::Code::NotFound : AuditError::Code::Ambiguous, "event"));
    return d->whole("e.row = ?", found.front());
}

Result<record::Output, AuditError> AuditReader::output(std::int64_t row)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    auto statement =
        d->connection->prepare("SELECT out, err, out_dropped, err_dropped FROM outputs WHERE row = ?", "output");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->integer(row).run("output"); !done)
        return failure(done.error());
    record::Output output;
    if (statement->next())
        output = {statement->bytesAt(0), statement->bytesAt(1), statement->integerAt(2), statement->integerAt(3)};
    statement->finish();
    return output;
}

Result<std::string, AuditError> AuditReader::configuration(std::string_view digest)
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    auto statement = d->connection->prepare(
        "SELECT canonical FROM configurations WHERE digest = ? AND canonical IS NOT NULL", "configuration");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->text(digest).run("configuration"); !done)
        return failure(done.error());
    if (!statement->next())
        return failure(
            statement->failed("configuration").value_or(d->error(AuditError::Code::NotFound, "configuration")));
    std::string text = statement->bytesAt(0);
    statement->finish();
    return text;
}

Result<std::vector<Heartbeat>, AuditError> AuditReader::heartbeats()
{
    if (auto ready = d->ready(); !ready)
        return failure(ready.error());
    auto statement = d->connection->prepare("SELECT runner, config_digest, engine, role, time_us "
                                            "FROM heartbeats ORDER BY time_us DESC",
                                            "heartbeats");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->run("heartbeats"); !done)
        return failure(done.error());
    std::vector<Heartbeat> beats;
    while (statement->next())
        beats.push_back({statement->bytesAt(0), statement->bytesAt(1), statement->bytesAt(2), statement->bytesAt(3),
                         statement->integerAt(4)});
    statement->finish();
    return beats;
}

} // namespace portcullis::audit
