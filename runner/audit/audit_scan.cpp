// SPDX-License-Identifier: Apache-2.0

// The queries of AuditReader that may look at many rows. All work in slices of row numbers: each slice is a short query
// of its own, so that a scan can be stopped and never holds a read transaction for long.

#include "runner/audit/reader_private.h"
#include "runner/audit/row_codec.h"

#include <algorithm>
#include <format>
#include <functional>
#include <limits>

namespace portcullis::audit {
namespace {

using record::Event;
using record::Filter;
using record::FilterSql;
using StopFlag = AuditReader::StopFlag;

constexpr std::int64_t firstSlice = 4096; ///< most pages are full after this many rows
constexpr std::int64_t largestSlice = 65'536;
constexpr std::string_view narrowTables = "events e LEFT JOIN configurations c ON c.id = e.config";

bool stopped(StopFlag stop)
{
    return stop != nullptr && stop->load(std::memory_order_relaxed);
}

enum class Direction { Up, Down };

/// What a scan asks for.
struct Question {
    std::string columns;
    std::string_view tables = narrowTables;
    std::string_view tail = " ORDER BY e.row"; ///< after the condition
    Direction direction = Direction::Up;
    std::string_view step;
    /// Gets each row that the SQL finds and answers whether to go on.
    std::function<bool(const Statement &)> row;
};

enum class SliceEnd { Through, Enough };

Result<SliceEnd, AuditError> scanSlice(Statement &statement, const FilterSql &sql, const RowRange &rows,
                                       const Question &question)
{
    for (const record::SqlValue &value : sql.values) {
        if (const auto *number = std::get_if<std::int64_t>(&value))
            statement.integer(*number);
        else
            statement.bytes(std::get<std::string>(value));
    }
    if (auto done = statement.integer(rows.from).integer(rows.to).run(question.step); !done)
        return failure(done.error());
    SliceEnd end = SliceEnd::Through;
    while (end == SliceEnd::Through && statement.next()) {
        if (!question.row(statement))
            end = SliceEnd::Enough;
    }
    const auto failed = end == SliceEnd::Through ? statement.failed(question.step) : std::nullopt;
    statement.finish();
    if (failed)
        return failure(*failed);
    return end;
}

/// Asks slice by slice, upwards or downwards, until a row says enough or all rows are through.
Result<void, AuditError> scan(const Connection &connection, const FilterSql &sql, RowRange all, StopFlag stop,
                              const Question &question)
{
    const bool down = question.direction == Direction::Down;
    auto statement =
        connection.prepare(std::format("SELECT {} FROM {} WHERE {} AND e.row >= ? AND e.row <= ?{}{}", question.columns,
                                       question.tables, sql.condition, question.tail, down ? " DESC" : ""),
                           question.step);
    if (!statement)
        return failure(statement.error());
    std::int64_t size = firstSlice;
    while (all.from <= all.to) {
        if (stopped(stop))
            return failure(connection.error(AuditError::Code::Stopped, question.step));
        const RowRange slice = down ? RowRange{std::max(all.from, all.to - size + 1), all.to}
                                    : RowRange{all.from, std::min(all.to, all.from + size - 1)};
        const auto end = scanSlice(*statement, sql, slice, question);
        if (!end)
            return failure(end.error());
        if (*end == SliceEnd::Enough)
            return {};
        if (down)
            all.to = slice.from - 1;
        else
            all.from = slice.to + 1;
        size = std::min(size * 2, largestSlice);
    }
    return {};
}

/// Whether a row that the SQL found really matches; its filter columns start at `first`.
bool isHit(const Statement &statement, int first, const FilterSql &sql, const Filter &filter)
{
    return sql.exact || filter.matches(readFilterColumns(statement, first, sql));
}

std::string withFilterColumns(std::string columns, const FilterSql &sql)
{
    return sql.exact ? columns : columns + ", " + filterColumns(sql);
}

RowRange clipped(const RowRange &rows, std::int64_t from, std::int64_t to)
{
    return {std::max(rows.from, from), std::min(rows.to, to)};
}

constexpr std::int64_t lastPossible = std::numeric_limits<std::int64_t>::max();

} // namespace

Result<std::vector<Event>, AuditError> AuditReader::Private::events(const Filter &filter, std::int64_t from,
                                                                    std::int64_t to, bool down, int limit,
                                                                    StopFlag stop)
{
    if (auto known = ready(); !known)
        return failure(known.error());
    const auto all = rowsOf(filter);
    if (!all)
        return failure(all.error());
    const FilterSql sql = record::filterSql(filter);
    std::vector<Event> events;
    Question question;
    question.columns = listColumns();
    question.tables = eventTables;
    question.direction = down ? Direction::Down : Direction::Up;
    question.step = "page";
    question.row = [&](const Statement &statement) {
        Event event = readListRow(statement);
        if (sql.exact || filter.matches(event))
            events.push_back(std::move(event));
        return static_cast<int>(events.size()) < limit;
    };
    if (limit < 1)
        return events;
    if (auto done = scan(*connection, sql, clipped(*all, from, to), stop, question); !done)
        return failure(done.error());
    return events;
}

Result<std::optional<std::int64_t>, AuditError>
AuditReader::Private::neighbour(const Filter &filter, std::int64_t from, std::int64_t to, bool down, StopFlag stop)
{
    if (auto known = ready(); !known)
        return failure(known.error());
    const auto all = rowsOf(filter);
    if (!all)
        return failure(all.error());
    const FilterSql sql = record::filterSql(filter);
    std::optional<std::int64_t> found;
    Question question;
    question.columns = withFilterColumns("e.row", sql);
    question.direction = down ? Direction::Down : Direction::Up;
    question.step = "next";
    question.row = [&](const Statement &statement) {
        if (isHit(statement, 1, sql, filter))
            found = statement.integerAt(0);
        return !found;
    };
    if (auto done = scan(*connection, sql, clipped(*all, from, to), stop, question); !done)
        return failure(done.error());
    return found;
}

Result<std::vector<Event>, AuditError> AuditReader::page(const Filter &filter, std::int64_t first, int limit,
                                                         StopFlag stop)
{
    return d->events(filter, first, lastPossible, false, limit, stop);
}

Result<std::vector<Event>, AuditError> AuditReader::pageBackward(const Filter &filter, std::int64_t before, int limit,
                                                                 StopFlag stop)
{
    return d->events(filter, 0, before == 0 ? lastPossible : before - 1, true, limit, stop);
}

Result<std::optional<std::int64_t>, AuditError> AuditReader::next(const Filter &filter, std::int64_t row, StopFlag stop)
{
    return d->neighbour(filter, row + 1, lastPossible, false, stop);
}

Result<std::optional<std::int64_t>, AuditError> AuditReader::previous(const Filter &filter, std::int64_t row,
                                                                      StopFlag stop)
{
    return d->neighbour(filter, 0, row - 1, true, stop);
}

Result<void, AuditError> AuditReader::extendAnchors(const Filter &filter, Anchors &anchors, std::int64_t rowBudget,
                                                    StopFlag stop)
{
    if (auto known = d->ready(); !known)
        return known;
    const auto all = d->rowsOf(filter);
    if (!all)
        return failure(all.error());
    const auto last = d->edge("max");
    if (!last)
        return failure(last.error());
    const std::int64_t from = std::max(anchors.scannedTo + 1, all->from);
    const std::int64_t to = std::min(all->to, from + std::max<std::int64_t>(rowBudget, 1) - 1);
    const FilterSql sql = record::filterSql(filter);
    Anchors extended = anchors;
    Question question;
    question.columns = withFilterColumns("e.row", sql);
    question.step = "anchors";
    question.row = [&](const Statement &statement) {
        if (isHit(statement, 1, sql, filter) && extended.count++ % pageRows == 0)
            extended.firstRows.push_back(statement.integerAt(0));
        return true;
    };
    if (auto done = scan(*d->connection, sql, {from, to}, stop, question); !done)
        return done;
    // Behind the last row that the filter can concern there is nothing to look at.
    extended.scannedTo = to >= all->to ? *last : to;
    extended.lastRow = *last;
    extended.complete = extended.scannedTo >= *last;
    anchors = std::move(extended);
    return {};
}

Result<std::int64_t, AuditError> AuditReader::count(const Filter &filter, StopFlag stop)
{
    if (auto known = d->ready(); !known)
        return failure(known.error());
    const auto all = d->rowsOf(filter);
    if (!all)
        return failure(all.error());
    const FilterSql sql = record::filterSql(filter);
    std::int64_t count = 0;
    Question question;
    question.columns = sql.exact ? "count(*)" : filterColumns(sql);
    question.tail = "";
    question.step = "count";
    question.row = [&](const Statement &statement) {
        if (sql.exact)
            count += statement.integerAt(0);
        else if (isHit(statement, 0, sql, filter))
            ++count;
        return true;
    };
    if (auto done = scan(*d->connection, sql, *all, stop, question); !done)
        return failure(done.error());
    return count;
}

Result<std::vector<Bucket>, AuditError> AuditReader::histogram(const Filter &filter, std::int64_t fromUs,
                                                               std::int64_t toUs, int buckets, StopFlag stop)
{
    if (auto known = d->ready(); !known)
        return failure(known.error());
    if (buckets < 1 || fromUs >= toUs)
        return std::vector<Bucket>{};
    const std::int64_t width = (toUs - fromUs - 1) / buckets + 1;
    std::vector<Bucket> bars(static_cast<std::size_t>(buckets));
    for (std::size_t i = 0; i < bars.size(); ++i)
        bars[i].startUs = fromUs + static_cast<std::int64_t>(i) * width;

    const Filter inRange = filter.narrowedBy(Filter::between(fromUs, toUs));
    const auto all = d->rowsOf(inRange);
    if (!all)
        return failure(all.error());
    const FilterSql sql = record::filterSql(inRange);
    Question question;
    question.columns = withFilterColumns(
        std::format("(e.time_us - {}) / {}, CAST(e.verdict AS BLOB), {}", fromUs, width, sql.exact ? "count(*)" : "1"),
        sql);
    question.tail = sql.exact ? " GROUP BY 1, 2" : "";
    question.step = "histogram";
    question.row = [&](const Statement &statement) {
        const auto verdict = fromName<Verdict>(statement.bytesAt(1));
        const auto bar = static_cast<std::size_t>(statement.integerAt(0));
        if (verdict && bar < bars.size() && isHit(statement, 3, sql, inRange))
            bars[bar].counts.at(static_cast<std::size_t>(*verdict)) += statement.integerAt(2);
        return true;
    };
    if (auto done = scan(*d->connection, sql, *all, stop, question); !done)
        return failure(done.error());
    return bars;
}

Result<std::vector<ValueCount>, AuditError> AuditReader::distinct(record::Field field, int limit)
{
    if (auto known = d->ready(); !known)
        return failure(known.error());
    const std::string_view column = textColumn(field);
    if (column.empty())
        return failure(d->error(AuditError::Code::Refused, "distinct"));
    auto statement = d->connection->prepare(
        std::format(
            "SELECT CAST(value AS BLOB), number FROM (SELECT {} AS value, count(*) AS number FROM {} GROUP BY 1) "
            "ORDER BY number DESC, value LIMIT {}",
            column, narrowTables, limit),
        "distinct");
    if (!statement)
        return failure(statement.error());
    if (auto done = statement->run("distinct"); !done)
        return failure(done.error());
    std::vector<ValueCount> values;
    while (statement->next())
        values.push_back({statement->bytesAt(0), statement->integerAt(1)});
    statement->finish();
    return values;
}

} // namespace portcullis::audit
