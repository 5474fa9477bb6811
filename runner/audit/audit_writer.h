// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/audit/audit_error.h"
#include "runner/audit/audit_place.h"
#include "runner/audit/process_identity.h"
#include "runner/audit/revision.h"
#include "runner/base/result.h"
#include "runner/record/event.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace portcullis::audit {

struct WriterOptions {
    std::string path;
    /// How long to wait for another process's transaction before `Locked`.
    int busyMilliseconds = 5000;
    /// … before the outcome of a command that has run is given up. The next writer then marks its row `unfinished`.
    int finishMilliseconds = 60'000;
    /// `synchronous=FULL`: a commit also survives loss of power. NORMAL survives the death of any process.
    bool fullSync = false;
    /// Preallocated beside the database as `<path>-reserve`, given back when the device is full so that running
    /// commands can still be completed, and taken again when there is room for it and for a floor (128 MiB, on small
    /// devices a sixteenth). 0 switches it off.
    std::int64_t reserveBytes = 8 << 20;
    /// Kills what is left of a run whose runner died (its guard may have died too), and answers how many processes that
    /// were. Without it the runs of dead runners stay as they are, for a writer that has it.
    std::function<int(const std::string &runId)> endRun{};
    /// Group that may read the record; used when root makes the file (then 0640), and ignored when it does not exist.
    std::string group = "portcullis";
};

/// Writes a decision before its command starts. The outcome must be `Running` when the command is about to start, or
/// `NotStarted` when it is refused.
struct Begin {
    record::Event event;
};

/// Completes the row that `Begin` made.
struct Finish {
    std::int64_t row = 0;
    record::Ending ending;
    record::Output output;
    bool masked = false; ///< set when a secret was masked in them
};

/// Writes a complete row.
struct Append {
    record::Event event;
    record::Output output;
};

using WriteRequest = std::variant<Begin, Finish, Append>;
using WriteResult = Result<std::int64_t, AuditError>; ///< the row

/// One engine (a process that runs commands) as the record sees it: the console shows "in force in 3 of 3 engines".
struct Heartbeat {
    std::string runner; ///< `pid:start-time`
    std::string configDigest; ///< in force in that process
    std::string engine; ///< version
    std::string role; ///< `console`, `cli`, `serve`, `mcp`
    std::int64_t timeUs = 0;
};

/// What `prune` may remove. A running command is never removed.
struct PruneOrder {
    std::optional<std::int64_t> beforeUs; ///< rows older than this
    std::optional<std::int64_t> maxBytes; ///< oldest rows until the database is at most this large
};

struct PruneResult {
    std::int64_t rows = 0; ///< removed
    std::int64_t bytesBefore = 0;
    std::int64_t bytesAfter = 0;
    std::optional<std::int64_t> oldestUs; ///< of what remains
};

/// A run whose runner died before it could complete the row, or must have died: where it cannot be seen whether it
/// lives (another pid namespace), when the run's time limit has long passed (`note` is then `runner_out_of_sight`).
struct UnfinishedRun {
    std::string id;
    int leftovers = 0; ///< processes of it that were still there (guard dead too) and have been killed
};

/// The writing connection to the record. Not thread-safe: all calls come from the thread that opened it; several
/// writers in several processes may share a file. Needs a QCoreApplication, as Qt's SQL drivers do.
///
/// Every committed row survives a kill of this process. Secrets in events and outputs are masked here (`masking.h`).
class AuditWriter
{
public:
    /// Opens the record, makes it (and its folder) where it is missing, migrates an older schema, kills what is left of
    /// the runs of dead processes and marks them as `unfinished`: in this order, so that a run is found as long as
    /// anything of it may be there. Verdicts that are stored are never changed.
    [[nodiscard]] static Result<std::unique_ptr<AuditWriter>, AuditError> open(const WriterOptions &options);
    ~AuditWriter();
    AuditWriter(const AuditWriter &) = delete;
    AuditWriter &operator=(const AuditWriter &) = delete;

    /// Commits the decision and returns its row. Refuses with `Full` while neither the reserve can be held nor half its
    /// room is free: whoever cannot record must not run. What origin `operator` does may take the room of the reserve,
    /// as it may make room.
    [[nodiscard]] WriteResult begin(const record::Event &event);
    /// Completes a row; what does not fit on a full device is the output, never the outcome. Waits longer than `begin`
    /// for a lock. `NotFound` when the row
    /// does not exist or is not running.
    [[nodiscard]] WriteResult finish(std::int64_t row, const record::Ending &ending, const record::Output &output = {});
    /// Writes a whole event in one step: refusals, edits, replays, imports.
    [[nodiscard]] WriteResult append(const record::Event &event, const record::Output &output = {});
    /// Many requests in one transaction; one that is not acceptable leaves nothing and does not harm the others.
    /// Results in order.
    [[nodiscard]] std::vector<WriteResult> commit(std::vector<WriteRequest> requests);

    /// Keeps the canonical text of a configuration once per digest.
    [[nodiscard]] Result<void, AuditError> storeConfiguration(std::string_view digest, std::string_view canonicalText,
                                                              std::int64_t timeUs);
    /// Keeps one text of a tenant's policy; the answer is its id.
    [[nodiscard]] Result<std::int64_t, AuditError> storeRevision(const Revision &revision);
    /// Whether the path still leads to the record that is written; `begin`, `append` and the like ask by themselves. A
    /// finish is written where its row is, and then answered with `Replaced`.
    [[nodiscard]] Result<void, AuditError> inPlace() const;
    /// One row per engine, replaced by each call.
    [[nodiscard]] Result<void, AuditError> heartbeat(const Heartbeat &beat);
    /// Removes old rows with their outputs and records that as an event of kind prune made from `event`, whose
    /// detailJson (an object, or empty) gets members about the order and what was removed. On a full device it takes
    /// the room of the reserve, and holds the reserve again where there is room for it.
    [[nodiscard]] Result<PruneResult, AuditError> prune(const PruneOrder &order, const record::Event &event);

    /// The runs of dead processes that `open` has marked.
    [[nodiscard]] const std::vector<UnfinishedRun> &unfinishedRuns() const;

private:
    [[nodiscard]] static Result<std::unique_ptr<AuditWriter>, AuditError> openOnce(const WriterOptions &options);
    struct Private;
    explicit AuditWriter(std::unique_ptr<Private> d);
    std::vector<WriteResult> commitMasked(std::vector<WriteRequest> requests);
    std::vector<WriteResult> commitFinishesOnly(std::vector<WriteRequest> requests, const AuditError &error);
    std::unique_ptr<Private> d;
};

} // namespace portcullis::audit
