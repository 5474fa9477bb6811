// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/command_runner.h"
#include "runner/ports/health_source.h"
#include "runner/ports/log_source.h"
#include "ui/log/log_page.h"

#include <QMainWindow>
#include <QPointer>

class QListWidget;
class QStackedWidget;

namespace portcullis::ui {

class StatusStrip;

/// The window: menu, side bar, page, strip.
class MainWindow : public QMainWindow
{
    Q_OBJECT

public:
    struct Setting {
        QString host; ///< name of this machine
        bool readOnly = false;
        LogPage::Setting log;
    };
    struct Ports {
        ports::LogSource &log;
        ports::CommandRunner &runner;
        ports::HealthSource &health;
    };

    MainWindow(Ports ports, const Setting &setting, QWidget *parent = nullptr);

    /// What is worth keeping between two starts; opaque.
    struct Layout {
        QByteArray geometry;
        QByteArray log;
        int appearance = 0; ///< Qt::ColorScheme, 0: as the system has it
    };
    /// The gateway's configuration file, for the title.
    void setGateway(const QString &path);

    [[nodiscard]] Layout saveLayout() const;
    void restoreLayout(const Layout &layout);

Q_SIGNALS:
    /// The window is about to close for good.
    void closing();

protected:
    void closeEvent(QCloseEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void buildPages(const Ports &ports, const Setting &setting);
    void buildMenus();
    void buildLogMenu();
    void buildAppearanceMenu(QMenu *view);
    void setAppearance(Qt::ColorScheme scheme);
    void showAbout();
    void dressSideBar();

    ports::HealthSource &m_health;
    QString m_host;
    LogPage *m_log = nullptr;
    QListWidget *m_sideBar = nullptr;
    QStackedWidget *m_pages = nullptr;
    StatusStrip *m_strip = nullptr;
    Qt::ColorScheme m_appearance = Qt::ColorScheme::Unknown;
    QList<QAction *> m_appearanceActions;
};

} // namespace portcullis::ui
