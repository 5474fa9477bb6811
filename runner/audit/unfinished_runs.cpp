// SPDX-License-Identifier: Apache-2.0

// What a runner that was killed left behind: rows that say `running`, and perhaps processes.

#include "runner/audit/process_identity.h"
#include "runner/audit/writer_private.h"

#include <algorithm>
#include <chrono>
#include <format>
#include <map>

namespace portcullis::audit {
namespace {

constexpr std::int64_t longestLimitSeconds = 604'800; ///< the greatest `limits.timeout_max_seconds` of a policy
/// Setting a run up, TERM before KILL, and waiting for the lock to write its end.
constexpr std::int64_t marginSeconds = 600;

std::int64_t nowUs()
{
    const auto sinceEpoch = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(sinceEpoch).count();
}

/// Whether a run must have ended, whoever ran it. A clock that was put back makes this late, never early; one that was
/// put forward, or a machine that slept, can make it early: a run that goes on all the same completes its row.
bool isLongOver(std::int64_t beganUs, std::int64_t limitSeconds, std::int64_t atUs)
{
    const std::int64_t limit = limitSeconds > 0 ? std::min(limitSeconds, longestLimitSeconds) : longestLimitSeconds;
    return beganUs < atUs - (limit + marginSeconds) * 1'000'000;
}

/// `note` of the row.
std::string noteOf(const DeadRun &run)
{
    if (run.run.leftovers != 0)
        return std::format("leftovers_killed:{}", run.run.leftovers);
    return run.outOfSight ? "runner_out_of_sight" : "";
}

} // namespace

Result<std::vector<DeadRun>, AuditError> AuditWriter::Private::deadRuns()
{
    Statement &running = of(Sql::Running);
    if (auto done = running.run("unfinished"); !done)
        return failure(done.error());
    std::map<std::string, Liveness> known;
    std::vector<DeadRun> dead;
    const std::int64_t now = nowUs();
    while (running.next()) {
        const auto [entry, fresh] = known.try_emplace(running.bytesAt(1), Liveness::Unknown);
        if (fresh)
            entry->second = livenessOf(entry->first);
        const bool outOfSight = entry->second == Liveness::Unknown;
        if (entry->second == Liveness::Dead
            || (outOfSight && isLongOver(running.integerAt(3), running.integerAt(4), now)))
            dead.push_back({running.integerAt(0), outOfSight, {running.bytesAt(2), 0}});
    }
    running.finish();
    return dead;
}

Result<void, AuditError> AuditWriter::Private::markUnfinished()
{
    if (!options.endRun)
        return {};
    // Usually nothing is running: look without taking the write lock.
    auto dead = deadRuns();
    if (!dead)
        return failure(dead.error());
    if (dead->empty())
        return {};
    for (DeadRun &each : *dead) {
        if (!each.outOfSight) // nobody is killed on the word of a clock
            each.run.leftovers = options.endRun(each.run.id);
    }
    return transaction("unfinished", [&]() -> Result<void, AuditError> {
        for (const DeadRun &each : *dead) {
            Statement &mark = of(Sql::MarkUnfinished);
            if (auto done = mark.integer(each.row).run("unfinished"); !done)
                return done;
            if (mark.changedRows() == 0) // another process was faster
                continue;
            unfinished.push_back(each.run);
            const std::string note = noteOf(each);
            if (note.empty())
                continue;
            if (auto done = of(Sql::FinishDetails).text({}).text(note).integer(each.row).run("unfinished"); !done)
                return done;
        }
        return {};
    });
}

} // namespace portcullis::audit
