// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/probe.h"
#include "runner/ports/command_runner.h"
#include "runner/ports/health_source.h"
#include "runner/resources/config_loader.h"
#include "runner/resources/resource_locator.h"
#include "runner/service/engine.h"
#include "ui/text/findings.h"

#include <QFileSystemWatcher>
#include <QObject>
#include <QTimer>

#include <array>
#include <chrono>
#include <memory>
#include <string>
#include <unordered_map>

namespace portcullis::console {

/// Owns the embedded engine and what it needs: configuration, knowledge of the machine, the record. Lives in the runner
/// thread from its first slot to its last, because commands end with the thread that started them.
class EngineHost : public QObject
{
    Q_OBJECT

public:
    struct Setting {
        resources::LoadOptions load;
        resources::Resources resources;
        bool readOnly = false;
    };

    explicit EngineHost(Setting setting, QObject *parent = nullptr);
    ~EngineHost() override;

    /// Loads the configuration, looks at the machine, then takes commands.
    void start();
    /// Loads the configuration anew. While the gateway's files cannot be loaded no command runs; one that runs already
    /// goes on under the configuration that it was decided by.
    void reload();
    /// Loads the configuration as it is on the disk now, as the command line does, then decides by it.
    void submit(const decision::ExecRequest &request);
    void cancel(const std::string &id);
    /// Ends running commands; `stopped` follows.
    void shutDown();

Q_SIGNALS:
    /// Known as soon as the configuration was looked at; again when they are others. With a configuration that cannot
    /// be loaded the record is empty, unless it was named outside of it.
    void placesKnown(const std::string &gateway, const std::string &auditDb);
    void stateChanged(const portcullis::ports::RunnerState &state);
    void findingsChanged(const QList<portcullis::ports::Finding> &findings);
    void decided(const std::string &id, const portcullis::decision::Decision &decision);
    void started(const std::string &id);
    void output(const std::string &id, portcullis::ports::Channel channel, const QByteArray &bytes);
    void finished(const std::string &id, const portcullis::ports::CommandEnd &end);
    /// A security event as a slog line, without its newline.
    void securityEvent(const QByteArray &line);
    void stopped();

private:
    void loadConfiguration();
    void watchFiles();
    void lookAtPlaces();
    void onLeftovers(const QList<QByteArray> &lines);
    void probe();
    void onProbed(const confinement::ProbeReport &report);
    void makeEngine();
    void connectEngine();
    void passOutput(const std::string &id, service::Channel channel, const QByteArray &bytes);
    void onFinished(const service::RunResult &result);
    void report();
    [[nodiscard]] ports::RunnerState state() const;

    Setting m_setting;
    std::shared_ptr<const policy::Configuration> m_configuration; ///< the last that could be loaded
    bool m_loaded = false; ///< the files as they were last read gave `m_configuration`
    text::DoctorFacts m_facts;
    std::unique_ptr<QFileSystemWatcher> m_watcher; ///< configuration and policies
    std::unique_ptr<QTimer> m_settle;
    std::unique_ptr<confinement::Probe> m_probe;
    std::unique_ptr<service::Engine> m_engine;
    bool m_probed = false;
    std::unique_ptr<QTimer> m_again; ///< until the probe comes to an answer
    std::chrono::milliseconds m_pause{}; ///< before it is tried again
    /// Bytes passed on of each running command; what the record drops is not sent to the window either.
    std::unordered_map<std::string, std::array<std::int64_t, 2>> m_passed;
};

} // namespace portcullis::console
