// SPDX-License-Identifier: Apache-2.0
#include "ui/shell/main_window.h"

#include "ui/shell/appearance.h"
#include "ui/shell/status_strip.h"
#include "ui/widgets/marks.h"

#include <QActionGroup>
#include <QCloseEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QListWidget>
#include <QMenuBar>
#include <QMessageBox>
#include <QScreen>
#include <QStackedWidget>
#include <QVBoxLayout>

namespace portcullis::ui {

namespace {

template <class Receiver, class Slot>
void newAction(QMenu *menu, const QString &text, const QKeySequence &keys, Receiver *receiver, Slot slot)
{
    QAction *action = menu->addAction(text);
    action->setShortcut(keys);
    QObject::connect(action, &QAction::triggered, receiver, slot);
}

} // namespace

MainWindow::MainWindow(Ports ports, const Setting &setting, QWidget *parent)
    : QMainWindow(parent), m_health(ports.health), m_host(setting.host)
{
    setGateway({});
    buildPages(ports, setting);
    buildMenus();
    const QSize wanted(210 * fontMetrics().averageCharWidth(), 52 * fontMetrics().lineSpacing());
    resize(wanted.boundedTo(screen()->availableSize() * 0.95));
}

void MainWindow::setGateway(const QString &path)
{
    setWindowTitle(path.isEmpty() ? tr("Portcullis – %1").arg(m_host) : tr("Portcullis – %1 (%2)").arg(m_host, path));
}

void MainWindow::buildPages(const Ports &ports, const Setting &setting)
{
    m_log = new LogPage(ports.log, ports.runner, setting.log);
    m_strip = new StatusStrip(ports.health);
    m_pages = new QStackedWidget;
    m_sideBar = new QListWidget;
    m_sideBar->setAccessibleName(tr("Pages"));
    m_sideBar->setFrameShape(QFrame::NoFrame);
    m_sideBar->viewport()->setAutoFillBackground(false);
    m_sideBar->setSpacing(3);
    m_sideBar->setFixedWidth(fontMetrics().averageCharWidth() * 16);
    m_pages->addWidget(m_log);
    m_sideBar->addItem(tr("Log"));
    m_sideBar->setCurrentRow(0);
    connect(m_sideBar, &QListWidget::currentRowChanged, m_pages, &QStackedWidget::setCurrentIndex);

    auto *middle = new QHBoxLayout;
    middle->setSpacing(0);
    middle->addWidget(m_sideBar);
    middle->addWidget(m_pages, 1);
    auto *line = new QFrame;
    line->setFrameShape(QFrame::HLine);
    line->setFrameShadow(QFrame::Sunken);
    auto *central = new QWidget;
    auto *layout = new QVBoxLayout(central);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    if (setting.readOnly) {
        auto *badge = new QLabel(tr("Read-only: nothing can be run or changed from this window."));
        badge->setTextFormat(Qt::PlainText);
        badge->setMargin(4);
        badge->setAutoFillBackground(true);
        badge->setBackgroundRole(QPalette::ToolTipBase);
        badge->setForegroundRole(QPalette::ToolTipText);
        layout->addWidget(badge);
    }
    layout->addLayout(middle, 1);
    layout->addWidget(line);
    layout->addWidget(m_strip);
    setCentralWidget(central);
    dressSideBar();
}

void MainWindow::dressSideBar()
{
    m_sideBar->item(0)->setIcon(markIcon(Mark::Lines, palette().color(QPalette::Text)));
}

void MainWindow::buildMenus()
{
    QMenu *file = menuBar()->addMenu(tr("&File"));
    newAction(file, tr("&Reload the configuration"), QKeySequence::Refresh, &m_health, &ports::HealthSource::refresh);
    file->addSeparator();
    newAction(file, tr("&Quit"), QKeySequence::Quit, this, &QWidget::close);
    QMenu *view = menuBar()->addMenu(tr("&View"));
    QAction *details = view->addAction(tr("&Details of the chosen row"));
    details->setCheckable(true);
    details->setChecked(true);
    details->setShortcut(QKeySequence(Qt::Key_F9));
    connect(details, &QAction::toggled, m_log, &LogPage::setDetailsVisible);
    buildAppearanceMenu(view);
    buildLogMenu();
    QMenu *help = menuBar()->addMenu(tr("&Help"));
    newAction(help, tr("&About Portcullis"), {}, this, &MainWindow::showAbout);
}

void MainWindow::buildLogMenu()
{
    QMenu *log = menuBar()->addMenu(tr("&Log"));
    newAction(log, tr("&Filter"), QKeySequence::Find, m_log, &LogPage::focusFilter);
    newAction(log, tr("F&reeze or go on"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_F), m_log,
              &LogPage::toggleFrozen);
    newAction(log, tr("Go to the &newest"), QKeySequence(Qt::CTRL | Qt::Key_End), m_log, &LogPage::goToNewest);
    log->addSeparator();
    newAction(log, tr("&Previous denial"), QKeySequence(Qt::ALT | Qt::Key_Left), m_log,
              [this] { m_log->findDenial(ports::Direction::Older); });
    newAction(log, tr("Ne&xt denial"), QKeySequence(Qt::ALT | Qt::Key_Right), m_log,
              [this] { m_log->findDenial(ports::Direction::Newer); });
    log->addSeparator();
    newAction(log, tr("Copy &command"), {}, m_log, &LogPage::copyCommand);
    newAction(log, tr("Copy &identifier"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), m_log, &LogPage::copyId);
    log->addSeparator();
    newAction(log, tr("R&un a command"), QKeySequence(Qt::CTRL | Qt::Key_T), m_log, &LogPage::focusCommand);
}

void MainWindow::buildAppearanceMenu(QMenu *view)
{
    QMenu *menu = view->addMenu(tr("&Appearance"));
    auto *group = new QActionGroup(this);
    const std::array choices{tr("As the &system has it"), tr("&Light"), tr("&Dark")};
    for (int i = 0; i < static_cast<int>(choices.size()); ++i) {
        QAction *action = menu->addAction(choices.at(static_cast<std::size_t>(i)));
        action->setCheckable(true);
        action->setChecked(i == 0);
        group->addAction(action);
        m_appearanceActions.append(action);
        connect(action, &QAction::triggered, this, [this, i] { setAppearance(static_cast<Qt::ColorScheme>(i)); });
    }
}

void MainWindow::setAppearance(Qt::ColorScheme scheme)
{
    m_appearance = scheme;
    applyAppearance(scheme);
    m_appearanceActions.at(static_cast<int>(scheme))->setChecked(true);
}

void MainWindow::showAbout()
{
    auto *box = new QMessageBox(QMessageBox::NoIcon, tr("About Portcullis"),
                                tr("Portcullis %1").arg(QStringLiteral(PORTCULLIS_VERSION)), QMessageBox::Close, this);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(tr("Decides which shell commands of AI agents may run, confines and records them.\n\n"
                               "Licensed under the Apache License 2.0."));
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

MainWindow::Layout MainWindow::saveLayout() const
{
    return {.geometry = saveGeometry(), .log = m_log->saveLayout(), .appearance = static_cast<int>(m_appearance)};
}

void MainWindow::restoreLayout(const Layout &layout)
{
    if (!layout.geometry.isEmpty())
        restoreGeometry(layout.geometry);
    if (!layout.log.isEmpty())
        m_log->restoreLayout(layout.log);
    if (layout.appearance > 0 && layout.appearance < m_appearanceActions.size())
        setAppearance(static_cast<Qt::ColorScheme>(layout.appearance));
}

void MainWindow::closeEvent(QCloseEvent *event)
{
    Q_EMIT closing();
    event->accept();
}

void MainWindow::changeEvent(QEvent *event)
{
    QMainWindow::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && m_sideBar != nullptr)
        dressSideBar();
}

} // namespace portcullis::ui
