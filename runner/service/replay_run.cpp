// SPDX-License-Identifier: Apache-2.0
#include "runner/service/replay_run.h"

#include <QThreadPool>

#include <algorithm>
#include <atomic>
#include <latch>

namespace portcullis::service {
namespace {

using audit::AuditError;
using policy::Configuration;

/// Rows that are read and decided together: enough to keep every thread busy, few enough to stop soon.
constexpr int batchRows = 1024;

} // namespace

RecordedConfigurations::RecordedConfigurations(audit::AuditReader &reader, std::vector<std::string> tenants)
    : m_reader(reader), m_tenants(std::move(tenants))
{
}

Result<void, AuditError> RecordedConfigurations::prepare(std::span<const record::Event> events)
{
    for (const record::Event &event : events) {
        if (m_known.contains(event.configDigest))
            continue;
        const auto text = m_reader.configuration(event.configDigest);
        if (!text && text.error().code != AuditError::Code::NotFound)
            return failure(text.error());
        auto loaded = text ? Configuration::loadCanonical(*text, m_tenants)
                           : Result<std::shared_ptr<const Configuration>, std::vector<policy::Problem>>(nullptr);
        m_known.emplace(event.configDigest, loaded ? std::move(*loaded) : nullptr);
    }
    return {};
}

Result<std::shared_ptr<const Configuration>, replay::Obstacle>
RecordedConfigurations::find(const record::Event &event) const
{
    // A tenant that was not known then is in the record all the same, and so is one whose policy did not load.
    if (event.check == nameOf(Check::Configuration))
        return failure(event.code == "broken_policy" ? replay::Obstacle::PolicyBroken : replay::Obstacle::TenantGone);
    const auto found = m_known.find(event.configDigest);
    if (found == m_known.end() || !found->second)
        return failure(replay::Obstacle::ConfigurationGone);
    return found->second;
}

std::vector<replay::Row> replayAll(std::vector<record::Event> events, const replay::Plan &plan, int threads)
{
    std::vector<replay::Row> rows(events.size());
    std::atomic_size_t next = 0;
    const auto work = [&] {
        for (std::size_t at = next++; at < events.size(); at = next++)
            rows[at] = replay::replay(std::move(events[at]), plan);
    };
    const int helpers = std::clamp(threads, 0, static_cast<int>(events.size()));
    QThreadPool pool;
    pool.setMaxThreadCount(std::max(helpers, 1));
    std::latch done(helpers);
    for (int i = 0; i < helpers; ++i) {
        pool.start([&] {
            work();
            done.count_down();
        });
    }
    work();
    done.wait();
    return rows;
}

Result<ReplayResult, AuditError> runReplay(audit::AuditReader &reader, const ReplayOrder &order)
{
    ReplayResult result;
    std::int64_t first = 0;
    while (true) {
        auto events = reader.decisions(order.filter, first, batchRows, order.stop);
        if (!events && events.error().code == AuditError::Code::Stopped) {
            result.stopped = true;
            return result;
        }
        if (!events)
            return failure(events.error());
        if (events->empty())
            return result;
        first = events->back().row + 1;
        if (order.recorded) {
            if (auto ready = order.recorded->prepare(*events); !ready)
                return failure(ready.error());
        }
        for (const replay::Row &row : replayAll(std::move(*events), order.plan, order.threads)) {
            result.totals.add(row);
            if (order.row)
                order.row(row);
        }
        if (order.stop && order.stop->load(std::memory_order_relaxed)) {
            result.stopped = true;
            return result;
        }
    }
}

} // namespace portcullis::service
