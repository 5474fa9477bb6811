// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/writer_private.h"

#include <algorithm>
#include <format>
#include <limits>
#include <tuple>

namespace portcullis::audit {
namespace {

/// Rows of one transaction: other writers wait for at most this many.
constexpr std::int64_t chunkRows = 2000;
constexpr std::int64_t chunkPages = 2000;
/// Where that much does not fit onto the device, transactions become smaller by this factor, down to a row.
constexpr std::int64_t shrinkBy = 8;

std::string number(std::optional<std::int64_t> value)
{
    return value ? std::to_string(*value) : std::string("null");
}

std::string orderText(const PruneOrder &order)
{
    return std::format(R"("before_us":{},"max_bytes":{})", number(order.beforeUs), number(order.maxBytes));
}

/// The members of a JSON object in its text, to go on after others; empty for none.
std::string furtherMembers(std::string_view object)
{
    if (object.size() <= 2 || !object.starts_with('{') || !object.ends_with('}'))
        return {};
    return ',' + std::string(object.substr(1, object.size() - 2));
}

} // namespace

Result<std::int64_t, AuditError> AuditWriter::Private::usedBytes() const
{
    const auto pages = connection->number("PRAGMA page_count", "prune");
    const auto unused = connection->number("PRAGMA freelist_count", "prune");
    const auto size = connection->number("PRAGMA page_size", "prune");
    for (const auto *part : {&pages, &unused, &size}) {
        if (!*part)
            return failure(part->error());
    }
    return (*pages - *unused) * *size;
}

Result<void, AuditError> AuditWriter::Private::makingRoom(const std::function<Result<void, AuditError>()> &step)
{
    auto done = step();
    while (!done && done.error().code == AuditError::Code::Full) {
        if (!reserve.release() && pruneShare >= chunkRows)
            break;
        pruneShare *= shrinkBy;
        // The log may hold as much as the reserve; what is in the database as well needs no room in it.
        std::ignore = connection->execute("PRAGMA wal_checkpoint(TRUNCATE)", "prune");
        done = step();
    }
    return done;
}

Result<bool, AuditError> AuditWriter::Private::pruneChunk(std::int64_t beforeUs, std::int64_t beforeRow,
                                                          PruneProgress &progress)
{
    bool removed = false;
    PruneProgress chunk;
    auto done = transaction("prune", [&]() -> Result<void, AuditError> {
        Statement &range = of(Sql::PruneRange);
        if (auto run = range.integer(beforeRow)
                           .integer(beforeUs)
                           .integer(std::max<std::int64_t>(1, chunkRows / pruneShare))
                           .run("prune");
            !run)
            return run;
        const bool any = range.next() && range.integerAt(0) > 0;
        const std::int64_t lastRow = any ? range.integerAt(1) : 0;
        chunk = any ? PruneProgress{range.integerAt(0), range.integerAt(2), range.integerAt(3)} : PruneProgress{};
        range.finish();
        if (!any)
            return {};
        removed = true;
        for (const Sql sql : {Sql::DeleteOutputs, Sql::DeleteDetails, Sql::DeleteEvents}) {
            if (auto run = of(sql).integer(lastRow).integer(beforeUs).run("prune"); !run)
                return run;
        }
        return {};
    });
    if (!done)
        return failure(done.error());
    if (removed) {
        progress.rows += chunk.rows;
        progress.firstUs = std::min(progress.firstUs.value_or(*chunk.firstUs), *chunk.firstUs);
        progress.lastUs = std::max(progress.lastUs.value_or(*chunk.lastUs), *chunk.lastUs);
    }
    return removed;
}

Result<void, AuditError> AuditWriter::Private::pruneAll(const PruneOrder &order, std::int64_t beforeRow,
                                                        PruneProgress &progress)
{
    constexpr std::int64_t always = std::numeric_limits<std::int64_t>::max();
    while (order.beforeUs) {
        const auto more = pruneChunk(*order.beforeUs, beforeRow, progress);
        if (!more)
            return failure(more.error());
        if (!*more)
            break;
    }
    while (order.maxBytes) {
        const auto used = usedBytes();
        if (!used)
            return failure(used.error());
        if (*used <= *order.maxBytes)
            break;
        const auto more = pruneChunk(always, beforeRow, progress);
        if (!more)
            return failure(more.error());
        if (!*more)
            break;
    }
    return {};
}

Result<void, AuditError> AuditWriter::Private::vacuum()
{
    const std::int64_t pages = std::max<std::int64_t>(1, chunkPages / pruneShare);
    auto statement = connection->prepare(std::format("PRAGMA incremental_vacuum({})", pages), "prune");
    if (!statement)
        return failure(statement.error());
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    while (true) {
        const auto unused = connection->number("PRAGMA freelist_count", "prune");
        if (!unused)
            return failure(unused.error());
        if (*unused == 0 || *unused >= before) // all given back, or others use them up as fast
            return {};
        before = *unused;
        auto done = transaction("prune", [&]() -> Result<void, AuditError> {
            if (auto run = statement->run("prune"); !run)
                return run;
            while (statement->next()) { } // each step gives back one page
            const auto failed = statement->failed("prune");
            return failed ? failure(*failed) : Result<void, AuditError>();
        });
        if (!done)
            return done;
    }
}

Result<PruneResult, AuditError> AuditWriter::prune(const PruneOrder &order, const record::Event &event)
{
    const auto before = d->usedBytes();
    if (!before)
        return failure(before.error());
    record::Event entry = event;
    entry.kind = record::Kind::Prune;
    entry.verdict = Verdict::Allow;
    entry.outcome = Outcome::Running;
    entry.startedUs = entry.timeUs;
    const std::string asked = orderText(order) + furtherMembers(event.detailJson);
    entry.detailJson = '{' + asked + '}';
    std::int64_t row = 0;
    d->pruneShare = 1;
    const auto begun = d->makingRoom([&]() -> Result<void, AuditError> {
        const auto written = d->writeBatch({Begin{entry}});
        if (!written || !written->front())
            return failure(written ? written->front().error() : written.error());
        row = *written->front();
        return {};
    });
    if (!begun)
        return failure(begun.error());

    Private::PruneProgress progress;
    auto done = d->makingRoom([&] { return d->pruneAll(order, row, progress); });
    if (done)
        done = d->makingRoom([&] { return d->vacuum(); });
    if (done)
        done = d->connection->execute("PRAGMA wal_checkpoint(TRUNCATE)", "prune");
    const std::string detail = std::format(R"({{{},"rows":{},"first_us":{},"last_us":{}}})", asked, progress.rows,
                                           number(progress.firstUs), number(progress.lastUs));
    // What was removed is recorded even when the rest failed.
    if (auto noted = d->of(Sql::SetDetail).text(detail).integer(row).run("prune"); !noted && done)
        done = noted;
    record::Ending ending;
    ending.outcome = done ? Outcome::Exited : Outcome::Cancelled;
    ending.startedUs = entry.timeUs;
    ending.finishedUs = entry.timeUs;
    if (const auto finished = finish(row, ending); !finished && done)
        done = failure(finished.error());
    std::ignore = d->reserve.hold(); // best effort, as in `open`
    if (!done)
        return failure(done.error());
    const auto after = d->usedBytes();
    if (!after)
        return failure(after.error());
    const auto oldest = d->connection->number("SELECT min(time_us) FROM events", "prune");
    PruneResult result{progress.rows, *before, *after, std::nullopt};
    if (oldest)
        result.oldestUs = *oldest;
    return result;
}

} // namespace portcullis::audit
