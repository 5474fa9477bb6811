// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_writer.h"

#include "runner/audit/row_codec.h"
#include "runner/audit/schema.h"
#include "runner/audit/writer_private.h"
#include "runner/record/masking.h"

#include <QDeadlineTimer>
#include <QThread>

#include <algorithm>
#include <array>
#include <tuple>

namespace portcullis::audit {
namespace {

using record::Event;
using record::Output;

constexpr unsigned long retryMilliseconds = 5;

/// Switching to WAL takes an exclusive lock without asking the busy handler, so first openers wait here.
Result<void, AuditError> switchToWal(const Connection &connection, int busyMilliseconds)
{
    const QDeadlineTimer deadline(busyMilliseconds);
    while (true) {
        auto done = connection.execute("PRAGMA journal_mode = WAL", "open");
        if (done || done.error().code != AuditError::Code::Locked || deadline.hasExpired())
            return done;
        QThread::msleep(retryMilliseconds);
    }
}

Result<void, AuditError> configure(const Connection &connection, const WriterOptions &options)
{
    // Takes effect in a new file only; lets `prune` give room back in small steps.
    if (auto done = connection.execute("PRAGMA auto_vacuum = INCREMENTAL", "open"); !done)
        return done;
    if (auto done = switchToWal(connection, options.busyMilliseconds); !done)
        return done;
    // A batch of a thousand rows shall not be written to the log twice because it does not fit.
    if (auto done = connection.execute("PRAGMA cache_size = -8192", "open"); !done)
        return done;
    return connection.execute(options.fullSync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL", "open");
}

bool isEmpty(const Output &output)
{
    return output.out.empty() && output.err.empty() && output.outDropped == 0 && output.errDropped == 0;
}

/// Returns the secrets of a command that begins: its ending and output are masked with them.
record::KnownSecrets maskRequest(WriteRequest &request, const RunningSecrets &running)
{
    if (auto *begin = std::get_if<Begin>(&request))
        return maskSecrets(begin->event);
    if (auto *append = std::get_if<Append>(&request)) {
        const record::KnownSecrets secrets = maskSecrets(append->event);
        append->event.masked = maskSecrets(append->output, secrets) || append->event.masked;
        return {};
    }
    auto &finish = std::get<Finish>(request);
    const auto found = running.find(finish.row);
    const record::KnownSecrets secrets = found != running.end() ? found->second : record::KnownSecrets();
    finish.masked = maskSecrets(finish.output, secrets) || finish.masked;
    for (std::string *text : {&finish.ending.error, &finish.ending.note})
        finish.masked = secrets.apply(*text) || finish.masked;
    return {};
}

/// 0 where the request finishes no row.
std::vector<std::int64_t> rowsOfFinishes(const std::vector<WriteRequest> &requests)
{
    std::vector<std::int64_t> rows;
    for (const WriteRequest &request : requests) {
        const auto *finish = std::get_if<Finish>(&request);
        rows.push_back(finish != nullptr ? finish->row : 0);
    }
    return rows;
}

/// Wrong with one request; any other error concerns the whole transaction.
bool isOwn(const AuditError &error)
{
    return error.code == AuditError::Code::Refused || error.code == AuditError::Code::NotFound;
}

bool isFinish(const WriteRequest &request)
{
    return std::holds_alternative<Finish>(request);
}

/// What an operator does may make room on a full device.
bool isOperators(const WriteRequest &request)
{
    if (const auto *begin = std::get_if<Begin>(&request))
        return begin->event.origin == Origin::Operator;
    const auto *append = std::get_if<Append>(&request);
    return append != nullptr && append->event.origin == Origin::Operator;
}

std::string reservePathOf(const WriterOptions &options)
{
    return options.path + "-reserve";
}

std::string_view stepOf(const WriteRequest &request)
{
    constexpr std::array<std::string_view, 3> names{"begin", "finish", "append"};
    return names.at(request.index());
}

} // namespace

AuditWriter::Private::Private(std::unique_ptr<Connection> opened, WriterOptions given)
    : connection(std::move(opened)), options(std::move(given)), reserve(reservePathOf(options), options.reserveBytes)
{
}

Result<std::unique_ptr<AuditWriter::Private>, AuditError>
AuditWriter::Private::make(std::unique_ptr<Connection> connection, const WriterOptions &options)
{
    auto d = std::make_unique<Private>(std::move(connection), options);
    const std::vector<std::string> texts = writerStatements();
    Q_ASSERT(texts.size() == static_cast<std::size_t>(Sql::Count));
    for (const std::string &text : texts) {
        auto statement = d->connection->prepare(text, "prepare");
        if (!statement)
            return failure(statement.error());
        d->statements.push_back(std::move(*statement));
    }
    return d;
}

Result<std::optional<std::int64_t>, AuditError> AuditWriter::Private::configurationId(const std::string &digest,
                                                                                      std::int64_t timeUs)
{
    if (digest.empty())
        return std::nullopt;
    if (const auto known = configurationIds.find(digest); known != configurationIds.end())
        return known->second;
    Statement &find = of(Sql::FindConfiguration);
    if (auto done = find.text(digest).run("configuration"); !done)
        return failure(done.error());
    std::int64_t id = find.next() ? find.integerAt(0) : 0;
    find.finish();
    if (id == 0) {
        Statement &add = of(Sql::AddConfiguration);
        if (auto done = add.text(digest).integer(timeUs).run("configuration"); !done)
            return failure(done.error());
        id = add.lastInsertRow();
    }
    configurationIds.emplace(digest, id);
    return id;
}

WriteResult AuditWriter::Private::insert(const Event &event, std::string_view step)
{
    const auto configuration = configurationId(event.configDigest, event.timeUs);
    if (!configuration)
        return failure(configuration.error());
    Statement &events = of(Sql::InsertEvent);
    bindEvent(events, event, *configuration);
    if (auto done = events.run(step); !done)
        return failure(done.error());
    const std::int64_t row = events.lastInsertRow();
    halfWritten = true;
    Statement &details = of(Sql::InsertDetails);
    bindDetails(details, row, event);
    if (auto done = details.run(step); !done)
        return failure(done.error());
    return row;
}

Result<void, AuditError> AuditWriter::Private::insertOutput(std::int64_t row, const Output &output,
                                                            std::string_view step)
{
    if (isEmpty(output))
        return {};
    return of(Sql::InsertOutput)
        .integer(row)
        .bytes(output.out)
        .bytes(output.err)
        .integer(output.outDropped)
        .integer(output.errDropped)
        .run(step);
}

WriteResult AuditWriter::Private::complete(const Finish &finish)
{
    const record::Ending &ending = finish.ending;
    if (ending.outcome == Outcome::Running)
        return failure(error(AuditError::Code::Refused, "finish"));
    Statement &events = of(Sql::FinishEvent);
    events.text(nameOf(ending.outcome)).integer(std::optional<std::int64_t>(ending.exitCode));
    events.integer(std::optional<std::int64_t>(ending.signal)).integer(ending.startedUs).integer(ending.finishedUs);
    events.integer(ending.outputBytes).integer(ending.droppedBytes).integer(finish.masked ? 1 : 0).integer(finish.row);
    if (auto done = events.run("finish"); !done)
        return failure(done.error());
    if (events.changedRows() != 1)
        return failure(error(AuditError::Code::NotFound, "finish"));
    halfWritten = true;
    if (!ending.error.empty() || !ending.note.empty()) {
        auto done = of(Sql::FinishDetails).text(ending.error).text(ending.note).integer(finish.row).run("finish");
        if (!done)
            return failure(done.error());
    }
    if (auto done = insertOutput(finish.row, finish.output, "finish"); !done)
        return failure(done.error());
    return finish.row;
}

WriteResult AuditWriter::Private::write(const WriteRequest &request)
{
    halfWritten = false;
    if (const auto *finish = std::get_if<Finish>(&request))
        return complete(*finish);
    const auto *append = std::get_if<Append>(&request);
    const Event &event = append != nullptr ? append->event : std::get<Begin>(request).event;
    const bool complete = event.outcome != Outcome::Running && event.outcome != Outcome::Unfinished;
    if (event.id.empty()
        || (append == nullptr && event.outcome != Outcome::Running && event.outcome != Outcome::NotStarted)
        || (append != nullptr && !complete))
        return failure(error(AuditError::Code::Refused, stepOf(request)));
    WriteResult row = insert(event, stepOf(request));
    if (row && append != nullptr) {
        if (auto done = insertOutput(*row, append->output, "append"); !done)
            return failure(done.error());
    }
    return row;
}

WriteResult AuditWriter::Private::writeWhole(const WriteRequest &request)
{
    const std::string_view step = stepOf(request);
    if (auto done = of(Sql::Savepoint).run(step); !done)
        return failure(done.error());
    WriteResult result = write(request);
    if (!result) {
        configurationIds.clear(); // ids of rolled back rows
        // Where the whole transaction is gone already, so is the savepoint; the error is then not the request's own.
        if (auto done = of(Sql::RollbackToSavepoint).run(step); !done)
            return isOwn(result.error()) ? WriteResult(failure(done.error())) : result;
    }
    if (auto done = of(Sql::Release).run(step); !done)
        return failure(done.error());
    return result;
}

/// A savepoint for each request costs as much as its rows, and almost no request fails behind its first statement: only
/// then the batch is written again, with savepoints.
Result<std::vector<WriteResult>, AuditError> AuditWriter::Private::writeBatch(const std::vector<WriteRequest> &requests)
{
    bool again = false;
    auto results = writeBatch(requests, [&](const WriteRequest &request) {
        WriteResult result = write(request);
        again = !result && isOwn(result.error()) && halfWritten;
        return again ? WriteResult(failure(error(AuditError::Code::Stopped, stepOf(request)))) : result;
    });
    return again ? writeBatch(requests, [&](const WriteRequest &request) { return writeWhole(request); }) : results;
}

template <class Write>
Result<std::vector<WriteResult>, AuditError> AuditWriter::Private::writeBatch(const std::vector<WriteRequest> &requests,
                                                                              Write writeOne)
{
    std::vector<WriteResult> results;
    results.reserve(requests.size());
    auto done = transaction(requests.empty() ? "begin" : stepOf(requests.front()), [&]() -> Result<void, AuditError> {
        for (const WriteRequest &request : requests) {
            WriteResult result = writeOne(request);
            if (!result && !isOwn(result.error()))
                return failure(result.error());
            results.push_back(std::move(result));
        }
        // As late as can be: a command whose row reaches nobody must not run. What has run is kept in any case.
        return std::ranges::all_of(requests, isFinish) ? Result<void, AuditError>() : inPlace("commit");
    });
    if (!done)
        return failure(done.error());
    return results;
}

Result<std::vector<WriteResult>, AuditError>
AuditWriter::Private::writeFinishes(const std::vector<WriteRequest> &finishes)
{
    const QDeadlineTimer deadline(options.finishMilliseconds);
    while (true) {
        auto done = writeBatch(finishes);
        if (done || done.error().code != AuditError::Code::Locked || deadline.hasExpired())
            return done;
        QThread::msleep(retryMilliseconds);
    }
}

std::vector<WriteResult> AuditWriter::Private::finishOnFullDevice(std::vector<WriteRequest> finishes,
                                                                  const AuditError &full)
{
    if (reserve.release()) {
        if (auto done = writeBatch(finishes))
            return std::move(*done);
    }
    std::vector<WriteResult> results;
    for (WriteRequest &request : finishes) {
        auto &finish = std::get<Finish>(request);
        finish.output = {};
        finish.ending.droppedBytes = finish.ending.outputBytes;
        auto done = writeBatch({request});
        results.push_back(done ? std::move(done->front()) : WriteResult(failure(full)));
    }
    return results;
}

Result<std::unique_ptr<AuditWriter>, AuditError> AuditWriter::open(const WriterOptions &options)
{
    auto writer = openOnce(options);
    if (writer || writer.error().code != AuditError::Code::Full)
        return writer;
    // Somebody has filled the device: opening alone takes room (the log and its index), which the reserve has.
    const ReserveFile reserve(reservePathOf(options), options.reserveBytes);
    return reserve.release() ? openOnce(options) : std::move(writer);
}

Result<std::unique_ptr<AuditWriter>, AuditError> AuditWriter::openOnce(const WriterOptions &options)
{
    if (auto ready = prepareForWriting(options.path, options.group); !ready)
        return failure(ready.error());
    const auto before = identityOf(options.path);
    auto connection = Connection::open(options.path, OpenMode::ReadWrite, options.busyMilliseconds);
    if (!connection)
        return failure(connection.error());
    // Before anything is changed: is this ours, and of a version that we know?
    if (auto known = checkWritable(**connection); !known)
        return failure(known.error());
    if (auto done = configure(**connection, options); !done)
        return failure(done.error());
    if (auto done = migrate(**connection, migrations()); !done)
        return failure(done.error());
    auto d = Private::make(std::move(*connection), options);
    if (!d)
        return failure(d.error());
    if (auto found = (*d)->markUnfinished(); !found)
        return failure(found.error());
    (*d)->identity = recordIdentityOf(options.path); // the log is there since the first query
    if ((*d)->identity.database != before)
        return failure((*d)->error(AuditError::Code::Replaced, "open"));
    // Best effort: a full device must not keep running commands from being completed. `begin` insists on it.
    std::ignore = (*d)->reserve.hold();
    return std::unique_ptr<AuditWriter>(new AuditWriter(std::move(*d)));
}

AuditWriter::AuditWriter(std::unique_ptr<Private> priv) : d(std::move(priv)) { }

AuditWriter::~AuditWriter() = default;

std::vector<WriteResult> AuditWriter::commit(std::vector<WriteRequest> requests)
{
    std::vector<record::KnownSecrets> secrets;
    secrets.reserve(requests.size());
    for (WriteRequest &request : requests)
        secrets.push_back(maskRequest(request, d->runningSecrets));
    const std::vector<std::int64_t> finished = rowsOfFinishes(requests);
    std::vector<WriteResult> results = commitMasked(std::move(requests));
    if (const auto there = d->inPlace("commit"); !there) {
        for (WriteResult &result : results) {
            if (result)
                result = failure(there.error());
        }
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (results[i] && !secrets[i].isEmpty())
            d->runningSecrets.insert_or_assign(*results[i], std::move(secrets[i]));
        // A row that could not be finished may be finished later, and then masked with the same secrets.
        if (results[i] || results[i].error().code == AuditError::Code::NotFound)
            d->runningSecrets.erase(finished[i]);
    }
    return results;
}

std::vector<WriteResult> AuditWriter::commitMasked(std::vector<WriteRequest> requests)
{
    if (!std::ranges::all_of(requests, isFinish)) {
        // Nothing new is recorded on the room that running commands need for their outcomes, unless it makes room.
        const int number = d->reserve.hold();
        if (number != 0 && !d->reserve.hasRoomWithout() && !std::ranges::all_of(requests, isOperators)) {
            AuditError error = d->error(AuditError::Code::Full, "reserve");
            error.systemErrno = number;
            return commitFinishesOnly(std::move(requests), error);
        }
    }
    auto done = d->writeBatch(requests);
    if (!done && done.error().code == AuditError::Code::Full && std::ranges::all_of(requests, isOperators)
        && d->reserve.release())
        done = d->writeBatch(requests);
    if (done)
        return std::move(*done);
    // Without room, the lock or the place nothing new starts; what has run still gets its outcome.
    using enum AuditError::Code;
    const AuditError::Code code = done.error().code;
    if (code == Full || code == Locked || code == Replaced)
        return commitFinishesOnly(std::move(requests), done.error());
    return std::vector<WriteResult>(requests.size(), failure(done.error()));
}

std::vector<WriteResult> AuditWriter::commitFinishesOnly(std::vector<WriteRequest> requests, const AuditError &error)
{
    std::vector<WriteResult> results(requests.size(), failure(error));
    std::vector<WriteRequest> finishes;
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        if (!isFinish(requests[i]))
            continue;
        finishes.push_back(std::move(requests[i]));
        places.push_back(i);
    }
    if (finishes.empty())
        return results;
    auto done = d->writeFinishes(finishes);
    std::vector<WriteResult> written;
    if (done)
        written = std::move(*done);
    else if (done.error().code == AuditError::Code::Full)
        written = d->finishOnFullDevice(std::move(finishes), done.error());
    else
        written.assign(finishes.size(), failure(done.error()));
    for (std::size_t i = 0; i < places.size(); ++i)
        results[places[i]] = std::move(written[i]);
    return results;
}

WriteResult AuditWriter::begin(const Event &event)
{
    return commit({Begin{event}}).front();
}

WriteResult AuditWriter::finish(std::int64_t row, const record::Ending &ending, const Output &output)
{
    return commit({Finish{row, ending, output}}).front();
}

WriteResult AuditWriter::append(const Event &event, const Output &output)
{
    return commit({Append{event, output}}).front();
}

Result<void, AuditError> AuditWriter::storeConfiguration(std::string_view digest, std::string_view canonicalText,
                                                         std::int64_t timeUs)
{
    if (auto there = inPlace(); !there)
        return there;
    return d->of(Sql::StoreConfiguration).text(digest).text(canonicalText).integer(timeUs).run("configuration");
}

Result<void, AuditError> AuditWriter::heartbeat(const Heartbeat &beat)
{
    if (auto there = inPlace(); !there)
        return there;
    Statement &statement = d->of(Sql::Heartbeat);
    statement.text(beat.runner).text(beat.configDigest).text(beat.engine).text(beat.role).integer(beat.timeUs);
    return statement.run("heartbeat");
}

Result<void, AuditError> AuditWriter::inPlace() const
{
    return d->inPlace("open");
}

const std::vector<UnfinishedRun> &AuditWriter::unfinishedRuns() const
{
    return d->unfinished;
}

} // namespace portcullis::audit
