// SPDX-License-Identifier: Apache-2.0
#include "app/console/engine_host.h"

#include "runner/host/host_facts.h"
#include "runner/host/workspaces.h"
#include "runner/service/leftovers.h"
#include "runner/service/missing_policies.h"
#include "runner/service/thread_recorder.h"
#include "ui/text/problem_text.h"
#include "ui/text/run_text.h"

#include <QFileInfo>
#include <unistd.h>

#include <algorithm>

namespace portcullis::console {

namespace {

constexpr int settleMilliseconds = 150;
constexpr std::chrono::milliseconds firstPause{1000};
constexpr std::chrono::milliseconds longestPause{60'000};

using ports::CommandEnd;
using ports::RunnerState;
using service::RunResult;

/// As whom the machine is tried when the console is root and no tenant is asked for yet.
constexpr std::uint32_t nobodyId = 65534;

/// Of each stream so much is sent to the window while a command runs.
constexpr std::int64_t mostPassed = 1 << 20;

std::string failureWords(const RunResult &result)
{
    const text::RunFailureWords words = text::runFailureWords(
        {.kind = result.failure, .step = result.step, .errorNumber = result.errnoValue, .path = result.path});
    // Of the other kinds the window says itself what came of it, and the reason is left to tell.
    return (result.failure == RunResult::Failure::Confinement ? words.what + QStringLiteral(". ") + words.why
                                                              : words.why)
        .toStdString();
}

CommandEnd endOf(const RunResult &result)
{
    CommandEnd end;
    end.outcome = result.outcome;
    end.exitCode = result.exitCode;
    end.signal = result.signal;
    if (result.failure != RunResult::Failure::None) {
        const bool record = result.failure == RunResult::Failure::Record;
        const bool internal = result.failure == RunResult::Failure::Internal;
        end.kind = record ? CommandEnd::Kind::Unrecorded
            : internal    ? CommandEnd::Kind::Failed
                          : CommandEnd::Kind::NotStarted;
        end.error = failureWords(result);
    } else if (result.verdict != Verdict::Allow) {
        end.kind = result.verdict == Verdict::Ask ? CommandEnd::Kind::NeedsAsk : CommandEnd::Kind::Refused;
    } else {
        end.kind = CommandEnd::Kind::Ran;
        for (const std::string &note : result.notes) {
            if (note.starts_with("outcome_not_recorded"))
                end.error = text::runNoteSentence(note).toStdString();
        }
    }
    return end;
}

} // namespace

EngineHost::EngineHost(Setting setting, QObject *parent) : QObject(parent), m_setting(std::move(setting)) { }

EngineHost::~EngineHost() = default;

void EngineHost::start()
{
    // A policy is in force the moment it is saved. Editors write in steps, so the last change is waited for.
    m_watcher = std::make_unique<QFileSystemWatcher>();
    m_settle = std::make_unique<QTimer>();
    m_settle->setSingleShot(true);
    m_settle->setInterval(settleMilliseconds);
    connect(m_watcher.get(), &QFileSystemWatcher::fileChanged, m_settle.get(), [this] { m_settle->start(); });
    connect(m_watcher.get(), &QFileSystemWatcher::directoryChanged, m_settle.get(), [this] { m_settle->start(); });
    connect(m_settle.get(), &QTimer::timeout, this, &EngineHost::reload);
    loadConfiguration();
    m_facts.readOnly = m_setting.readOnly;
    m_facts.runnerIsRoot = ::geteuid() == 0;
    report();
    m_again = std::make_unique<QTimer>();
    m_again->setSingleShot(true);
    connect(m_again.get(), &QTimer::timeout, this, &EngineHost::probe);
    m_pause = firstPause;
    probe();
}

void EngineHost::probe()
{
    const auto location = confinement::GuardLocation::at(m_setting.resources.guard);
    if (!location) {
        onProbed({.landlock = confinement::landlockAbi(), .landlockFailure = location.error()});
        return;
    }
    const bool root = m_facts.runnerIsRoot;
    m_probe =
        std::make_unique<confinement::Probe>(*location, root ? nobodyId : ::geteuid(), root ? nobodyId : ::getegid());
    connect(m_probe.get(), &confinement::Probe::finished, this, &EngineHost::onProbed);
    m_probe->start();
}

void EngineHost::reload()
{
    loadConfiguration();
    if (m_probed && !m_engine)
        makeEngine();
    report();
}

void EngineHost::loadConfiguration()
{
    auto loaded = resources::loadConfiguration(m_setting.load);
    m_loaded = loaded.has_value();
    if (m_loaded) {
        m_configuration = std::move(*loaded);
        m_facts.problems = m_configuration->problems();
        m_facts.rootOwnedWorkspaces = host::rootOwnedWorkspaces(*m_configuration);
    } else {
        m_facts.problems = std::move(loaded.error());
    }
    m_facts.configuration = m_loaded ? m_configuration : nullptr;
    lookAtPlaces();
    watchFiles();
}

void EngineHost::lookAtPlaces()
{
    if (m_configuration) {
        const resources::PlacesFound found = resources::placesFound(m_configuration->paths());
        m_facts.gatewayFound = found.gatewayFile;
        m_facts.policiesFound = found.policiesDir;
        m_facts.dataDirFound = found.dataDir;
        m_facts.workspaceFound = found.workspace;
    }
    // The record of a running engine stays: what runs is recorded where it began.
    if (!m_engine)
        m_facts.auditDb = resources::auditDbOf(m_setting.load, m_configuration.get());
    if (m_configuration) {
        service::MissingPolicies missing = service::missingPolicies(*m_configuration, m_facts.auditDb);
        m_facts.withoutPolicy = std::move(missing.tenants);
        m_facts.lostPolicies = std::move(missing.lost);
    }
    Q_EMIT placesKnown(m_configuration ? m_configuration->paths().configFile : m_setting.load.configFile,
                       m_facts.auditDb);
}

/// Each file, whose content may change in place, the folder of the policies, where files come and go, and the folder
/// that this one may be moved out of. What is not there, or was just replaced, is seen by its folder. Without a
/// configuration: the files that have the problems.
void EngineHost::watchFiles()
{
    std::vector<std::string> wanted;
    if (m_configuration) {
        const policy::GatewayPaths &paths = m_configuration->paths();
        wanted = {paths.configFile, paths.policiesDir, paths.policiesDir.substr(0, paths.policiesDir.rfind('/'))};
        for (const std::string &tenant : m_configuration->tenants())
            wanted.push_back(paths.policiesDir + '/' + tenant + ".json");
    }
    for (const policy::Problem &problem : m_facts.problems)
        wanted.push_back(problem.file);
    for (const std::string &file : wanted) {
        QString path = QString::fromStdString(file);
        if (!path.startsWith(u'/'))
            continue; // the name of a variable
        if (!QFileInfo::exists(path))
            path = QFileInfo(path).path();
        if (path.size() > 1 && QFileInfo::exists(path))
            m_watcher->addPath(path);
    }
}

void EngineHost::onProbed(const confinement::ProbeReport &report_)
{
    m_facts.host = host::hostFacts(report_);
    m_probed = true;
    if (m_engine)
        m_engine->setFacts(m_facts.host);
    else
        makeEngine();
    // What ran out comes back when whoever took it ends; nobody should have to start the console again for that.
    if (!m_facts.host.isKnown() && m_again) {
        m_again->start(m_pause);
        m_pause = std::min(2 * m_pause, longestPause);
    }
    report();
}

void EngineHost::makeEngine()
{
    if (m_setting.readOnly || !m_loaded)
        return;
    auto recorder = std::make_unique<service::ThreadRecorder>(service::recordOptions(m_facts.auditDb));
    connect(recorder.get(), &service::ThreadRecorder::stateChanged, this, [this](const std::string &code) {
        m_facts.auditError = code;
        report();
    });
    connect(recorder.get(), &service::ThreadRecorder::leftoversEnded, this, &EngineHost::onLeftovers);
    service::EngineSettings settings;
    settings.configuration = [this] { return m_configuration; };
    settings.facts = m_facts.host;
    settings.guardPath = m_setting.resources.guard;
    settings.resourcesDir = m_setting.resources.dataDir;
    settings.gateway = m_configuration->paths().configFile;
    settings.role = "console";
    m_engine = std::make_unique<service::Engine>(std::move(settings), std::move(recorder));
    connectEngine();
}

void EngineHost::connectEngine()
{
    service::Engine *engine = m_engine.get();
    connect(engine, &service::Engine::decided, this, &EngineHost::decided);
    connect(engine, &service::Engine::started, this, [this](const std::string &id) { Q_EMIT started(id); });
    connect(engine, &service::Engine::output, this, &EngineHost::passOutput);
    connect(engine, &service::Engine::finished, this, &EngineHost::onFinished);
    connect(engine, &service::Engine::securityEvent, this, &EngineHost::securityEvent);
    connect(engine, &service::Engine::drained, this, &EngineHost::stopped);
}

void EngineHost::onLeftovers(const QList<QByteArray> &lines)
{
    m_facts.leftoverRuns += static_cast<int>(lines.size());
    for (const QByteArray &line : lines)
        Q_EMIT securityEvent(line);
    report();
}

void EngineHost::passOutput(const std::string &id, service::Channel channel, const QByteArray &bytes)
{
    const bool error = channel == service::Channel::Err;
    std::int64_t &passed = m_passed[id].at(error ? 1 : 0);
    const std::int64_t room = std::clamp<std::int64_t>(mostPassed - passed, 0, bytes.size());
    passed += room;
    if (room > 0)
        Q_EMIT output(id, error ? ports::Channel::Err : ports::Channel::Out, bytes.first(room));
}

void EngineHost::onFinished(const service::RunResult &result)
{
    m_passed.erase(result.id);
    Q_EMIT finished(result.id, endOf(result));
}

void EngineHost::submit(const decision::ExecRequest &request)
{
    // No change of a file may be missed: not every one has a signal, and the signals that there are come later.
    reload();
    if (m_engine && m_loaded) {
        m_engine->submit(request);
        return;
    }
    CommandEnd end;
    end.kind = CommandEnd::Kind::NotPossible;
    Q_EMIT finished(request.id, end);
}

void EngineHost::cancel(const std::string &id)
{
    if (m_engine)
        m_engine->cancel(id);
}

void EngineHost::shutDown()
{
    m_again.reset();
    if (m_engine)
        m_engine->shutDown();
    else
        Q_EMIT stopped();
}

RunnerState EngineHost::state() const
{
    RunnerState state;
    if (m_configuration) {
        state.tenants = m_configuration->tenants();
        state.tenants.insert(state.tenants.begin(), "master");
    }
    if (!m_loaded) {
        state.obstacle = RunnerState::Obstacle::BadConfiguration;
        if (!m_facts.problems.empty())
            state.detail = text::problemLine(m_facts.problems.front()).toStdString();
    } else if (m_setting.readOnly) {
        state.obstacle = RunnerState::Obstacle::ReadOnly;
    } else if (!m_facts.auditError.empty()) {
        state.obstacle = RunnerState::Obstacle::NoRecord;
        state.detail =
            text::recordFailureSentences({.code = m_facts.auditError, .path = m_facts.auditDb}).toStdString();
    } else if (!m_engine) {
        state.obstacle = RunnerState::Obstacle::Starting;
    }
    return state;
}

void EngineHost::report()
{
    Q_EMIT stateChanged(state());
    if (!m_probed)
        return;
    m_facts.nowUs = service::nowUs();
    Q_EMIT findingsChanged(text::findings(m_facts));
}

} // namespace portcullis::console
