// SPDX-License-Identifier: Apache-2.0
#pragma once

// What a replay prints: rows as they are found with --json, grouped by shape for people, and the totals.

#include "app/runner/command_context.h"
#include "app/runner/commands/replay_options.h"
#include "runner/replay/replay.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace portcullis::cli {

/// What the record says of its own completeness.
struct Coverage {
    std::int64_t firstUs = 0; ///< of the oldest event that the record still has
    std::int64_t prunedEvents = 0;
    std::int64_t prunedToUs = 0; ///< newest event that was pruned
};

class ReplayReport
{
public:
    ReplayReport(CommandContext &context, const ReplayOptions &options);

    /// Takes a row; with --json it is printed at once.
    void add(const replay::Row &row);
    /// Prints the groups and the totals.
    void finish(const replay::Totals &totals, const Coverage &coverage);
    /// Whether a row was what --fail-on names.
    [[nodiscard]] bool failed() const { return m_failed; }

private:
    /// Rows that look the same to a person: section, tenant, change, reasons, command.
    using Key = std::tuple<int, std::string, std::string, std::string, std::string>;
    struct Group {
        std::int64_t count = 0;
        std::string example; ///< short id of the first
    };

    [[nodiscard]] bool isListed(const replay::Row &row) const;
    void printGroups();

    CommandContext &m_context;
    const ReplayOptions &m_options;
    std::map<Key, Group> m_groups;
    std::int64_t m_notKept = 0; ///< rows beyond the groups that are kept
    bool m_failed = false;
};

} // namespace portcullis::cli
