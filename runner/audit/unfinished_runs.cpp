// SPDX-License-Identifier: Apache-2.0

// What a runner that was killed left behind: rows that say `running`, and perhaps processes.

#include "runner/audit/process_identity.h"
#include "runner/audit/writer_private.h"

#include <format>
#include <map>

namespace portcullis::audit {

Result<std::vector<DeadRun>, AuditError> AuditWriter::Private::deadRuns()
{
    Statement &running = of(Sql::Running);
    if (auto done = running.run("unfinished"); !done)
        return failure(done.error());
    std::map<std::string, Liveness> known;
    std::vector<DeadRun> dead;
    while (running.next()) {
        const auto [entry, fresh] = known.try_emplace(running.bytesAt(1), Liveness::Unknown);
        if (fresh)
            entry->second = livenessOf(entry->first);
        if (entry->second == Liveness::Dead)
            dead.push_back({running.integerAt(0), {running.bytesAt(2), 0}});
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
    for (DeadRun &each : *dead)
        each.run.leftovers = options.endRun(each.run.id);
    return transaction("unfinished", [&]() -> Result<void, AuditError> {
        for (const DeadRun &each : *dead) {
            Statement &mark = of(Sql::MarkUnfinished);
            if (auto done = mark.integer(each.row).run("unfinished"); !done)
                return done;
            if (mark.changedRows() == 0) // another process was faster
                continue;
            unfinished.push_back(each.run);
            if (each.run.leftovers == 0)
                continue;
            const std::string note = std::format("leftovers_killed:{}", each.run.leftovers);
            if (auto done = of(Sql::FinishDetails).text({}).text(note).integer(each.row).run("unfinished"); !done)
                return done;
        }
        return {};
    });
}

} // namespace portcullis::audit
