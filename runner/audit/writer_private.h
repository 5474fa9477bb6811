// SPDX-License-Identifier: Apache-2.0
#pragma once

// The inside of AuditWriter. Only for this folder.

#include "runner/audit/audit_writer.h"
#include "runner/audit/connection.h"
#include "runner/audit/file_identity.h"
#include "runner/audit/reserve_file.h"
#include "runner/record/known_secrets.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace portcullis::audit {

/// The prepared statements of a writer.
enum class Sql {
    BeginTransaction,
    Commit,
    Rollback,
    Savepoint,
    RollbackToSavepoint,
    Release,
    InsertEvent,
    InsertDetails,
    InsertOutput,
    FinishEvent,
    FinishDetails,
    FindConfiguration,
    AddConfiguration,
    StoreConfiguration,
    Heartbeat,
    Running,
    MarkUnfinished,
    PruneRange,
    DeleteOutputs,
    DeleteDetails,
    DeleteEvents,
    SetDetail,
    Count
};

/// Their texts, in the order of enum Sql.
[[nodiscard]] std::vector<std::string> writerStatements();

/// By row, of commands that run: kept until the row is finished.
using RunningSecrets = std::map<std::int64_t, record::KnownSecrets>;

/// What the row of a dead runner's run says.
struct DeadRun {
    std::int64_t row = 0;
    bool outOfSight = false; ///< its runner cannot be seen from here, but its time limit has long passed
    UnfinishedRun run;
};

struct AuditWriter::Private {
    Private(std::unique_ptr<Connection> opened, WriterOptions given);
    [[nodiscard]] static Result<std::unique_ptr<Private>, AuditError> make(std::unique_ptr<Connection> connection,
                                                                           const WriterOptions &options);

    Statement &of(Sql sql) { return statements.at(static_cast<std::size_t>(sql)); }
    [[nodiscard]] AuditError error(AuditError::Code code, std::string_view step) const
    {
        return connection->error(code, step);
    }

    /// Runs `action` in a transaction of its own, rolled back when it or the commit fails.
    template <class Action>
    [[nodiscard]] Result<void, AuditError> transaction(std::string_view step, Action action);

    /// Replaced, when the path no longer leads to the files that are written.
    [[nodiscard]] Result<void, AuditError> inPlace(std::string_view step) const
    {
        if (recordIdentityOf(options.path) == identity)
            return {};
        return failure(error(AuditError::Code::Replaced, step));
    }
    [[nodiscard]] Result<std::vector<DeadRun>, AuditError> deadRuns();
    [[nodiscard]] Result<void, AuditError> markUnfinished();
    /// Errors of single requests are results; an error of the batch means that nothing was written.
    [[nodiscard]] Result<std::vector<WriteResult>, AuditError> writeBatch(const std::vector<WriteRequest> &requests);
    template <class Write>
    [[nodiscard]] Result<std::vector<WriteResult>, AuditError> writeBatch(const std::vector<WriteRequest> &requests,
                                                                          Write writeOne);
    /// All of one request or nothing of it, inside the transaction of its batch.
    [[nodiscard]] WriteResult writeWhole(const WriteRequest &request);
    /// Where it fails with `halfWritten`, some of the request is in the transaction.
    [[nodiscard]] WriteResult write(const WriteRequest &request);
    [[nodiscard]] WriteResult insert(const record::Event &event, std::string_view step);
    [[nodiscard]] WriteResult complete(const Finish &finish);
    [[nodiscard]] Result<void, AuditError> insertOutput(std::int64_t row, const record::Output &output,
                                                        std::string_view step);
    [[nodiscard]] Result<std::optional<std::int64_t>, AuditError> configurationId(const std::string &digest,
                                                                                  std::int64_t timeUs);
    /// Outcomes of commands that have run, written as soon as another process gives the lock back.
    [[nodiscard]] Result<std::vector<WriteResult>, AuditError> writeFinishes(const std::vector<WriteRequest> &finishes);
    /// Finishes that found the device full: with the reserve given back, then without their outputs.
    [[nodiscard]] std::vector<WriteResult> finishOnFullDevice(std::vector<WriteRequest> finishes,
                                                              const AuditError &full);

    struct PruneProgress {
        std::int64_t rows = 0;
        std::optional<std::int64_t> firstUs;
        std::optional<std::int64_t> lastUs;
    };
    /// Pruning is the way out of a full device: takes a step of it again, in smaller transactions and with the room of
    /// the reserve, until it fits.
    [[nodiscard]] Result<void, AuditError> makingRoom(const std::function<Result<void, AuditError>()> &step);
    [[nodiscard]] Result<std::int64_t, AuditError> usedBytes() const;
    /// Removes one chunk of the oldest rows; false when there is nothing left to remove.
    [[nodiscard]] Result<bool, AuditError> pruneChunk(std::int64_t beforeUs, std::int64_t beforeRow,
                                                      PruneProgress &progress);
    [[nodiscard]] Result<void, AuditError> pruneAll(const PruneOrder &order, std::int64_t beforeRow,
                                                    PruneProgress &progress);

    /// Gives the pages of removed rows back to the device.
    [[nodiscard]] Result<void, AuditError> vacuum();

    std::unique_ptr<Connection> connection;
    WriterOptions options;
    RecordIdentity identity; ///< as opened
    ReserveFile reserve;
    std::vector<Statement> statements; ///< after the connection: they go first
    std::map<std::string, std::int64_t, std::less<>> configurationIds;
    RunningSecrets runningSecrets;
    bool halfWritten = false;
    std::int64_t pruneShare = 1; ///< a transaction of the pruning takes this part of the usual
    std::vector<UnfinishedRun> unfinished;
};

template <class Action>
Result<void, AuditError> AuditWriter::Private::transaction(std::string_view step, Action action)
{
    // IMMEDIATE: the lock is waited for here, where waiting is possible, and never in the middle.
    if (auto begun = of(Sql::BeginTransaction).run(step); !begun)
        return begun;
    Result<void, AuditError> done = action();
    if (done)
        done = of(Sql::Commit).run(step);
    if (!done) {
        std::ignore = of(Sql::Rollback).run(step); // a full device may have rolled back already
        configurationIds.clear(); // ids of rolled back rows
    }
    return done;
}

} // namespace portcullis::audit
