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

/// Events that are decided by helpers while whoever made this does something else, and with its help when it is asked
/// for the rows.
class Deciding
{
public:
    Deciding(QThreadPool &pool, std::vector<record::Event> events, const replay::Plan &plan, int threads)
        : m_events(std::move(events))
        , m_plan(plan)
        , m_rows(m_events.size())
        , m_helpers(std::clamp(threads, 0, static_cast<int>(m_events.size())))
        , m_done(m_helpers)
    {
        for (int i = 0; i < m_helpers; ++i) {
            pool.start([this] {
                work();
                m_done.count_down();
            });
        }
    }
    ~Deciding()
    {
        m_next = m_events.size();
        m_done.wait();
    }
    Deciding(const Deciding &) = delete;
    Deciding &operator=(const Deciding &) = delete;

    [[nodiscard]] std::vector<replay::Row> take()
    {
        work();
        m_done.wait();
        return std::move(m_rows);
    }

private:
    void work()
    {
        for (std::size_t at = m_next++; at < m_events.size(); at = m_next++)
            m_rows[at] = replay::replay(std::move(m_events[at]), m_plan);
    }

    std::vector<record::Event> m_events;
    const replay::Plan &m_plan;
    std::vector<replay::Row> m_rows;
    std::atomic_size_t m_next = 0;
    int m_helpers;
    std::latch m_done;
};

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
    QThreadPool pool;
    pool.setMaxThreadCount(std::max(threads, 1));
    return Deciding(pool, std::move(events), plan, threads).take();
}

Result<ReplayResult, AuditError> runReplay(audit::AuditReader &reader, const ReplayOrder &order)
{
    ReplayResult result;
    QThreadPool pool;
    pool.setMaxThreadCount(std::max(order.threads, 1));
    const auto stopped = [&] { return order.stop && order.stop->load(std::memory_order_relaxed); };
    auto events = reader.decisions(order.filter, 0, batchRows, order.stop);
    while (events && !events->empty() && !result.stopped) {
        if (order.recorded) {
            if (auto ready = order.recorded->prepare(*events); !ready)
                return failure(ready.error());
        }
        const std::int64_t next = events->back().row + 1;
        Deciding deciding(pool, std::move(*events), order.plan, order.threads);
        events = reader.decisions(order.filter, next, batchRows, order.stop); // while the helpers decide
        for (const replay::Row &row : deciding.take()) {
            result.totals.add(row);
            if (order.row)
                order.row(row);
        }
        result.stopped = stopped();
    }
    if (!events && !result.stopped && events.error().code != AuditError::Code::Stopped)
        return failure(events.error());
    result.stopped = result.stopped || !events;
    return result;
}

} // namespace portcullis::service
