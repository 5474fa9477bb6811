// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/console/audit_log_source.h"
#include "app/console/console_options.h"
#include "app/console/engine_ports.h"
#include "runner/host/signal_watch.h"
#include "ui/shell/main_window.h"

#include <QObject>
#include <QThread>

#include <memory>

namespace portcullis::console {

/// Puts the parts together and knows which thread each lives in: the window here, the engine in the runner thread, the
/// record's reader in its own, the record's writer in the one that the engine keeps.
class Application : public QObject
{
    Q_OBJECT

public:
    explicit Application(const ConsoleOptions &options, QObject *parent = nullptr);
    ~Application() override;

    void start();

private:
    void restoreLayout();
    void saveLayout();
    void shutDown();

    EngineHost *m_host; ///< lives and dies in m_runnerThread
    bool m_shuttingDown = false;
    host::SignalWatch m_signals;
    QThread m_runnerThread;
    AuditLogSource m_log;
    EngineRunner m_runner;
    EngineHealth m_health;
    std::string m_recordPath;
    std::unique_ptr<ui::MainWindow> m_window;
};

} // namespace portcullis::console
