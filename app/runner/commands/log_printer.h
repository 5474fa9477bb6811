// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/command_context.h"
#include "app/runner/commands/log_options.h"
#include "runner/audit/audit_reader.h"
#include "runner/record/event_json.h"

#include <set>
#include <vector>

namespace portcullis::cli {

/// Prints the events of a query in storage order.
class LogPrinter
{
public:
    LogPrinter(CommandContext &context, audit::AuditReader &reader, const LogQuery &query);

    /// What is there now: the newest `limit` events, or all.
    [[nodiscard]] Result<void, audit::AuditError> printExisting();
    [[nodiscard]] bool printedAny() const { return m_printed; }
    /// What comes, until the reader of our output is gone or a signal ends the program. A command that was running is
    /// printed again when it has ended.
    [[nodiscard]] Result<void, audit::AuditError> follow();

private:
    [[nodiscard]] Result<void, audit::AuditError> printRows(std::int64_t from, std::int64_t to);
    [[nodiscard]] Result<void, audit::AuditError> printNews();
    [[nodiscard]] Result<void, audit::AuditError> print(const record::Event &event);
    [[nodiscard]] Result<void, audit::AuditError> noteRunning();

    CommandContext &m_context;
    audit::AuditReader &m_reader;
    const LogQuery &m_query;
    std::size_t m_columns; ///< of the terminal; 0: none
    bool m_printed = false;
    std::int64_t m_lastRow = 0; ///< everything up to here has been looked at
    std::set<std::int64_t> m_running; ///< rows up to there whose commands have not ended
};

} // namespace portcullis::cli
