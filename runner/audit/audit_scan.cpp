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

/// The join is left out where nothing asks for it: SQLite does not always see that it is not needed.
std::string_view narrowTables(bool withConfiguration)
{
    return withConfiguration ? "events e LEFT JOIN configurations c ON c.id = e.config" : "events e";
}

bool needsConfiguration(const FilterSql &sql)
{
    return sql.condition.contains("c.digest")
        || std::ranges::find(sql.fields, record::Field::Config) != sql.fields.end();
}

bool stopped(StopFlag stop)
{
    return stop != nullptr && stop->load(std::memory_order_relaxed);
}

enum class Direction { Up, Down };

/// What a scan asks for.
struct Question {
    std::string columns;
    std::string_view tables;
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

/// A question for row numbers and the like: columns of `events`, and those of the filter where it must be asked again.
Question narrowQuestion(std::string columns, const FilterSql &sql, std::string_view step)
{
    Question question;
    question.columns = sql.exact ? std::move(columns) : columns + ", " + filterColumns(sql);
    question.tables = narrowTables(needsConfiguration(sql));
    question.step = step;
    return question;
}

RowRange clipped(const RowRange &rows, std::int64_t from, std::int64_t to)
{
    return {std::max(rows.from, from), std::min(rows.to, to)};
}

constexpr std::int64_t lastPossible = std::numeric_limits<std::int64_t>::max();

constexpr RowForm listForm{&listColumns, &readListRow};
constexpr RowForm decisionForm{&decisionColumns, &readDecisionRow};

} // namespace

Result<std::vector<Event>, AuditError> AuditReader::Private::events(const Filter &filter, const RowRange &rows,
                                                                    bool down, int limit, StopFlag stop,
                                                                    const RowForm &form)
{
    std::vector<Event> events;
    if (limit < 1)
        return events;
    if (auto known = ready(); !known)
        return failure(known.error());
    const auto all = rowsOf(filter);
    if (!all)
        return failure(all.error());
    const FilterSql sql = sqlOf(filter);
    if (!sql.exact) { // whole rows only of those that match
        const auto matching = matchingRows(filter, clipped(*all, rows.from, rows.to), down, limit, stop);
        return matching ? theseRows(*matching, form)
                        : Result<std::vector<Event>, AuditError>(failure(matching.error()));
    }
    Question question;
    question.columns = form.columns();
    question.tables = eventTables;
    question.direction = down ? Direction::Down : Direction::Up;
    question.step = "page";
    question.row = [&](const Statement &statement) {
        events.push_back(form.read(statement));
        return static_cast<int>(events.size()) < limit;
    };
    if (auto done = scan(*connection, sql, clipped(*all, rows.from, rows.to), stop, question); !done)
        return failure(done.error());
    return events;
}

Result<std::vector<std::int64_t>, AuditError> AuditReader::Private::matchingRows(const Filter &filter,
                                                                                 const RowRange &range, bool down,
                                                                                 int limit, StopFlag stop) const
{
    const FilterSql sql = sqlOf(filter);
    std::vector<std::int64_t> rows;
    Question question = narrowQuestion("e.row", sql, "page");
    question.direction = down ? Direction::Down : Direction::Up;
    question.row = [&](const Statement &statement) {
        if (isHit(statement, 1, sql, filter))
            rows.push_back(statement.integerAt(0));
        return static_cast<int>(rows.size()) < limit;
    };
    if (auto done = scan(*connection, sql, range, stop, question); !done)
        return failure(done.error());
    return rows;
}

Result<std::optional<std::int64_t>, AuditError>
AuditReader::Private::neighbour(const Filter &filter, std::int64_t from, std::int64_t to, bool down, StopFlag stop)
{
    if (auto known = ready(); !known)
        return failure(known.error());
    const auto all = rowsOf(filter);
    if (!all)
        return failure(all.error());
    const auto rows = matchingRows(filter, clipped(*all, from, to), down, 1, stop);
    if (!rows)
        return failure(rows.error());
    return rows->empty() ? std::optional<std::int64_t>() : rows->front();
}

Result<std::vector<Event>, AuditError> AuditReader::page(const Filter &filter, std::int64_t first, int limit,
                                                         StopFlag stop)
{
    return d->events(filter, {first, lastPossible}, false, limit, stop, listForm);
}

Result<std::vector<Event>, AuditError> AuditReader::decisions(const Filter &filter, std::int64_t first, int limit,
                                                              StopFlag stop)
{
    return d->events(filter, {first, lastPossible}, false, limit, stop, decisionForm);
}

Result<std::vector<Event>, AuditError> AuditReader::pageBackward(const Filter &filter, std::int64_t before, int limit,
                                                                 StopFlag stop)
{
    return d->events(filter, {0, before == 0 ? lastPossible : before - 1}, true, limit, stop, listForm);
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
    const FilterSql sql = d->sqlOf(filter);
    Anchors extended = anchors;
    Question question = narrowQuestion("e.row, e.time_us", sql, "anchors");
    question.row = [&](const Statement &statement) {
        if (!isHit(statement, 2, sql, filter))
            return true;
        const std::int64_t timeUs = statement.integerAt(1);
        extended.earliestUs = extended.count == 0 ? timeUs : std::min(extended.earliestUs, timeUs);
        extended.latestUs = extended.count == 0 ? timeUs : std::max(extended.latestUs, timeUs);
        if (extended.count++ % pageRows == 0)
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
    if (filter.matchesEverything())
        return d->connection->number("SELECT count(*) FROM events", "count");
    const auto all = d->rowsOf(filter);
    if (!all)
        return failure(all.error());
    const FilterSql sql = d->sqlOf(filter);
    std::int64_t count = 0;
    Question question = narrowQuestion("e.row", sql, "count");
    question.row = [&](const Statement &statement) {
        count += isHit(statement, 1, sql, filter) ? 1 : 0;
        return true;
    };
    if (auto done = scan(*d->connection, sql, *all, stop, question); !done)
        return failure(done.error());
    return count;
}

namespace {

void addTo(Bucket &bucket, const std::string &verdict, std::int64_t number)
{
    if (const auto known = fromName<Verdict>(verdict))
        bucket.counts.at(static_cast<std::size_t>(*known)) += number;
}

/// Without a filter the index on time has all that is asked: bar by bar, each a short query.
Result<void, AuditError> fillFromIndex(const Connection &connection, std::vector<Bucket> &bars, std::int64_t width,
                                       std::int64_t toUs, StopFlag stop)
{
    auto statement = connection.prepare("SELECT verdict, count(*) FROM events INDEXED BY events_time "
                                        "WHERE time_us >= ? AND time_us < ? GROUP BY verdict",
                                        "histogram");
    if (!statement)
        return failure(statement.error());
    for (Bucket &bar : bars) {
        if (stopped(stop))
            return failure(connection.error(AuditError::Code::Stopped, "histogram"));
        statement->integer(bar.startUs).integer(std::min(toUs, bar.startUs + width));
        if (auto done = statement->run("histogram"); !done)
            return done;
        while (statement->next())
            addTo(bar, statement->bytesAt(0), statement->integerAt(1));
        statement->finish();
    }
    return {};
}

} // namespace

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
    if (filter.matchesEverything()) {
        if (auto done = fillFromIndex(*d->connection, bars, width, toUs, stop); !done)
            return failure(done.error());
        return bars;
    }
    const Filter inRange = filter.narrowedBy(Filter::between(fromUs, toUs));
    const auto all = d->rowsOf(inRange);
    if (!all)
        return failure(all.error());
    const FilterSql sql = d->sqlOf(inRange);
    Question question = narrowQuestion("e.time_us, e.verdict", sql, "histogram");
    question.row = [&](const Statement &statement) {
        const auto bar = static_cast<std::size_t>((statement.integerAt(0) - fromUs) / width);
        if (isHit(statement, 2, sql, inRange))
            addTo(bars.at(bar), statement.bytesAt(1), 1);
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
    const std::string_view column = record::textColumn(field);
    if (column.empty())
        return failure(d->error(AuditError::Code::Refused, "distinct"));
    auto statement = d->connection->prepare(
        std::format("SELECT value, number FROM (SELECT {} AS value, count(*) AS number FROM {} GROUP BY 1) "
                    "ORDER BY number DESC, value LIMIT {}",
                    column, narrowTables(field == record::Field::Config), limit),
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
