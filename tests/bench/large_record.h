// SPDX-License-Identifier: Apache-2.0
#pragma once

// A record of a million rows, as a busy gateway has after some months.

#include "runner/audit/audit_writer.h"
#include "tests/bench/bench_events.h"

namespace portcullis::bench {

inline constexpr std::uint64_t largeRows = 1'000'000;

/// False where it cannot be written. A third of the rows is of globex, one in 5,000 has the rule `rare-rule`, one in
/// 10,000 the word `needle` in its command.
[[nodiscard]] inline bool makeLargeRecord(const std::string &path)
{
    auto writer = audit::AuditWriter::open({.path = path});
    if (!writer)
        return false;
    const RecordedCommands commands;
    for (std::uint64_t n = 1; n <= largeRows;) {
        std::vector<audit::WriteRequest> requests;
        for (int i = 0; i < 10'000 && n <= largeRows; ++i, ++n) {
            record::Event event = commands.event(n);
            event.outcome = Outcome::NotStarted;
            event.traceJson = "[]"; // a list does not look at it
            event.blockersJson = "[]";
            event.tenant = n % 3 == 0 ? "globex" : "acme";
            if (n % 5000 == 0)
                event.rule = "rare-rule";
            if (n % 10'000 == 0)
                event.command += " # needle";
            requests.emplace_back(audit::Append{std::move(event), {}});
        }
        for (const audit::WriteResult &result : (*writer)->commit(std::move(requests))) {
            if (!result)
                return false;
        }
    }
    return true;
}

} // namespace portcullis::bench
