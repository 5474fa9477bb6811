// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/console/engine_host.h"
#include "runner/ports/command_runner.h"
#include "runner/ports/health_source.h"

namespace portcullis::console {

/// The engine in the runner thread as the window's port. `host` must outlive it.
class EngineRunner : public ports::CommandRunner
{
    Q_OBJECT

public:
    explicit EngineRunner(EngineHost &host, QObject *parent = nullptr);

    [[nodiscard]] ports::RunnerState state() const override { return m_state; }
    std::string submit(const decision::ExecRequest &request) override;
    void cancel(const std::string &id) override;

private:
    EngineHost &m_host;
    ports::RunnerState m_state;
};

/// The findings that the engine's host reports, as the window's port.
class EngineHealth : public ports::HealthSource
{
    Q_OBJECT

public:
    explicit EngineHealth(EngineHost &host, QObject *parent = nullptr);

    [[nodiscard]] QList<ports::Finding> findings() const override { return m_findings; }
    void refresh() override;

private:
    EngineHost &m_host;
    QList<ports::Finding> m_findings;
};

} // namespace portcullis::console
