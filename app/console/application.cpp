// SPDX-License-Identifier: Apache-2.0
#include "app/console/application.h"

#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QSettings>
#include <QStandardPaths>
#include <QSysInfo>
#include <QTimeZone>

#include <cstdio>

namespace portcullis::console {

namespace {

EngineHost::Setting hostSetting(const ConsoleOptions &options)
{
    EngineHost::Setting setting;
    setting.resources = resources::locateResources(resources::ownExecutable());
    setting.load = resources::optionsOfProcess();
    setting.load.configFile = options.config;
    setting.load.policiesDir = options.policies;
    setting.load.dataDir = options.dataDir;
    setting.load.auditDb = options.auditDb;
    setting.load.resourcesDir = setting.resources.dataDir;
    setting.readOnly = options.readOnly;
    return setting;
}

record::FilterClock localClock()
{
    return {.nowUs = service::nowUs(), .offsetAt = [zone = QTimeZone::systemTimeZone()](std::int64_t utcUs) {
                return zone.offsetFromUtc(QDateTime::fromMSecsSinceEpoch(utcUs / 1000, QTimeZone::UTC));
            }};
}

/// Window and appearance only; nothing of the gateway.
QString settingsFile()
{
    return QStandardPaths::writableLocation(QStandardPaths::GenericConfigLocation)
        + QStringLiteral("/portcullis/console.ini");
}

/// A path as people write it.
QString shortPath(const std::string &path, const std::string &home)
{
    const bool below = !home.empty() && path.starts_with(home + '/');
    return text::visibleText(below ? '~' + path.substr(home.size()) : path);
}

} // namespace

Application::Application(const ConsoleOptions &options, QObject *parent)
    : QObject(parent), m_host(new EngineHost(hostSetting(options))), m_runner(*m_host), m_health(*m_host)
{
    m_runnerThread.setObjectName(QStringLiteral("runner"));
    m_host->moveToThread(&m_runnerThread);
    connect(&m_runnerThread, &QThread::finished, m_host, &QObject::deleteLater);

    ui::MainWindow::Setting setting;
    setting.host = QSysInfo::machineHostName();
    setting.readOnly = options.readOnly;
    setting.log.clock = localClock;
    setting.log.recordPath = [this] { return text::visibleText(m_recordPath); };
    m_window = std::make_unique<ui::MainWindow>(ui::MainWindow::Ports{m_log, m_runner, m_health}, setting);
    connect(m_host, &EngineHost::placesKnown, this,
            [this, home = resources::optionsOfProcess().home](const std::string &gateway, const std::string &auditDb) {
                m_recordPath = auditDb;
                m_window->setGateway(shortPath(gateway, home));
                m_log.setPath(auditDb);
            });
    connect(m_host, &EngineHost::securityEvent, this,
            [](const QByteArray &line) { std::fprintf(stderr, "%s\n", line.constData()); });
    connect(&m_signals, &host::SignalWatch::interrupted, this, &Application::shutDown);
    connect(m_host, &EngineHost::stopped, this, [] { QCoreApplication::quit(); });
    connect(m_window.get(), &ui::MainWindow::closing, this, &Application::shutDown);
}

Application::~Application()
{
    m_runnerThread.quit();
    m_runnerThread.wait();
}

void Application::start()
{
    restoreLayout();
    m_window->show();
    m_runnerThread.start();
    QMetaObject::invokeMethod(m_host, &EngineHost::start, Qt::QueuedConnection);
}

/// Refuse new work, end what runs; the program ends when the engine is quiet. Asked for by the window or by a signal.
void Application::shutDown()
{
    if (std::exchange(m_shuttingDown, true))
        return;
    saveLayout();
    m_window->hide();
    QMetaObject::invokeMethod(m_host, &EngineHost::shutDown, Qt::QueuedConnection);
}

void Application::restoreLayout()
{
    const QSettings settings(settingsFile(), QSettings::IniFormat);
    m_window->restoreLayout({.geometry = settings.value("window/geometry").toByteArray(),
                             .log = settings.value("log/layout").toByteArray(),
                             .appearance = settings.value("window/appearance").toInt()});
}

void Application::saveLayout()
{
    const ui::MainWindow::Layout layout = m_window->saveLayout();
    QSettings settings(settingsFile(), QSettings::IniFormat);
    settings.setValue("window/geometry", layout.geometry);
    settings.setValue("log/layout", layout.log);
    settings.setValue("window/appearance", layout.appearance);
}

} // namespace portcullis::console
