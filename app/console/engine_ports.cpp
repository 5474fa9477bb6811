// SPDX-License-Identifier: Apache-2.0
#include "app/console/engine_ports.h"

namespace portcullis::console {

EngineRunner::EngineRunner(EngineHost &host, QObject *parent) : CommandRunner(parent), m_host(host)
{
    m_state.obstacle = ports::RunnerState::Obstacle::Starting;
    connect(&host, &EngineHost::stateChanged, this, [this](const ports::RunnerState &state) {
        m_state = state;
        Q_EMIT stateChanged();
    });
    connect(&host, &EngineHost::decided, this, &CommandRunner::decided);
    connect(&host, &EngineHost::started, this, &CommandRunner::started);
    connect(&host, &EngineHost::output, this, &CommandRunner::output);
    connect(&host, &EngineHost::finished, this, &CommandRunner::finished);
}

std::string EngineRunner::submit(const decision::ExecRequest &request)
{
    decision::ExecRequest complete = request;
    if (complete.id.empty())
        complete.id = service::newRequestId();
    if (complete.timeUs == 0)
        complete.timeUs = service::nowUs();
    // Queued even if host and window shared a thread: no answer comes from inside the call.
    QMetaObject::invokeMethod(&m_host, [host = &m_host, complete] { host->submit(complete); }, Qt::QueuedConnection);
    return complete.id;
}

void EngineRunner::cancel(const std::string &id)
{
    QMetaObject::invokeMethod(&m_host, [host = &m_host, id] { host->cancel(id); }, Qt::QueuedConnection);
}

EngineHealth::EngineHealth(EngineHost &host, QObject *parent) : HealthSource(parent), m_host(host)
{
    connect(&host, &EngineHost::findingsChanged, this, [this](const QList<ports::Finding> &findings) {
        m_findings = findings;
        Q_EMIT changed();
    });
}

void EngineHealth::refresh()
{
    QMetaObject::invokeMethod(&m_host, [host = &m_host] { host->reload(); }, Qt::QueuedConnection);
}

} // namespace portcullis::console
