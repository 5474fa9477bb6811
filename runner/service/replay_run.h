// SPDX-License-Identifier: Apache-2.0
#pragma once

// A replay over the record: reads in the calling thread, decides in several, reports in the order of the record.

#include "runner/audit/audit_reader.h"
#include "runner/record/filter.h"
#include "runner/replay/replay.h"

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace portcullis::service {

/// The configurations in force when events were recorded, from the record, each read once.
class RecordedConfigurations
{
public:
    /// `reader` must outlive this. `tenants`: slugs that existed then; what the record names is a good answer.
    RecordedConfigurations(audit::AuditReader &reader, std::vector<std::string> tenants);

    /// Reads what these events need. In the thread of the reader, before `find`.
    [[nodiscard]] Result<void, audit::AuditError> prepare(std::span<const record::Event> events);
    /// Any thread, while nobody prepares.
    [[nodiscard]] Result<std::shared_ptr<const policy::Configuration>, replay::Obstacle>
    find(const record::Event &event) const;

private:
    audit::AuditReader &m_reader;
    std::vector<std::string> m_tenants;
    std::map<std::string, std::shared_ptr<const policy::Configuration>, std::less<>> m_known; ///< null: not to be had
};

struct ReplayOrder {
    record::Filter filter{};
    replay::Plan plan{};
    RecordedConfigurations *recorded = nullptr; ///< prepared for each batch; null: nobody asks it
    int threads = 1; ///< that decide, beside the calling one
    std::function<void(const replay::Row &row)> row{}; ///< each row, ascending, in the calling thread
    audit::AuditReader::StopFlag stop = nullptr;
};

struct ReplayResult {
    replay::Totals totals;
    bool stopped = false; ///< the totals are of the rows until then
};

[[nodiscard]] Result<ReplayResult, audit::AuditError> runReplay(audit::AuditReader &reader, const ReplayOrder &order);

/// Decides events in parallel; the rows stand in the order of the events.
[[nodiscard]] std::vector<replay::Row> replayAll(std::vector<record::Event> events, const replay::Plan &plan,
                                                 int threads);

} // namespace portcullis::service
