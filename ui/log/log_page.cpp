// SPDX-License-Identifier: Apache-2.0
#include "ui/log/log_page.h"

#include "ui/log/detail_pane.h"
#include "ui/log/filter_line.h"
#include "ui/log/log_table.h"
#include "ui/log/run_box.h"
#include "ui/log/time_bars.h"
#include "ui/models/log_cells.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"
#include "ui/widgets/marks.h"
#include "ui/widgets/message_panel.h"

#include <QClipboard>
#include <QDateTime>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QLocale>
#include <QMenu>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimeZone>
#include <QToolButton>
#include <QVBoxLayout>

#include <chrono>

using namespace std::chrono_literals;

namespace portcullis::ui {

namespace {

/// The table comes first; bars are counted when its pages are under way.
constexpr auto barsDelay = 100ms;
/// While rows arrive, bars are counted anew at most so often.
constexpr auto barsInterval = 3s;

constexpr std::int64_t minuteUs = 60'000'000;

/// A moment as the filter language writes it, in local time.
QString filterTime(std::int64_t timeUs)
{
    return QDateTime::fromMSecsSinceEpoch(timeUs / 1000, QTimeZone::LocalTime)
        .toString(QStringLiteral("yyyy-MM-ddTHH:mm"));
}

} // namespace

LogPage::LogPage(ports::LogSource &source, ports::CommandRunner &runner, Setting setting, QWidget *parent)
    : QWidget(parent)
    , m_source(source)
    , m_runner(runner)
    , m_setting(std::move(setting))
    , m_model(source, {})
    , m_filter(new FilterLine(m_setting.clock))
    , m_live(new QToolButton)
    , m_count(new QLabel)
    , m_bars(new TimeBars)
    , m_table(new LogTable(m_model))
    , m_stack(new QStackedWidget)
    , m_message(new MessagePanel)
    , m_details(new DetailPane)
    , m_splitter(new QSplitter(Qt::Vertical))
    , m_runBox(new RunBox(runner))
{
    m_stack->addWidget(m_table);
    m_stack->addWidget(m_message);
    m_splitter->addWidget(m_stack);
    m_splitter->addWidget(m_details);
    m_splitter->setStretchFactor(0, 3);
    m_splitter->setStretchFactor(1, 2);
    m_splitter->setCollapsible(0, false);
    // Proportions; the splitter scales them to its height.
    m_splitter->setSizes({580, 420});
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(buildBar());
    layout->addWidget(m_bars);
    layout->addWidget(m_splitter, 1);
    layout->addWidget(m_runBox);
    connectModel();
    connectTable();
    connectRunner();
    showLive();
    showState();
}

QWidget *LogPage::buildBar()
{
    m_live->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_live->setCheckable(true);
    m_live->setToolTip(tr("Stop adding new rows to the table, or go on (Space in the table)"));
    m_count->setTextFormat(Qt::PlainText);
    m_count->setAccessibleName(tr("Number of rows"));
    auto *bar = new QWidget;
    auto *layout = new QHBoxLayout(bar);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(m_live, 0, Qt::AlignTop);
    layout->addWidget(m_filter, 1);
    layout->addWidget(m_count, 0, Qt::AlignTop);
    m_count->setMinimumHeight(m_live->sizeHint().height());
    connect(m_live, &QToolButton::clicked, this, &LogPage::toggleFrozen);
    connect(m_filter, &FilterLine::applied, this, [this](const record::Filter &filter) {
        m_failed = false;
        m_applied = filter;
        m_model.setFilter(filter);
    });
    connect(m_filter, &FilterLine::mistakeChanged, this, &LogPage::showState);
    connect(m_filter, &FilterLine::left, this, [this] { m_table->setFocus(Qt::ShortcutFocusReason); });
    connect(m_message, &MessagePanel::actionRequested, this, [this] {
        if (m_failed) {
            m_failed = false;
            m_model.refresh();
        } else {
            m_filter->setText(QString());
        }
    });
    return bar;
}

void LogPage::connectModel()
{
    connect(&m_model, &ExecLogModel::heldChanged, this, &LogPage::showLive);
    connect(&m_model, &ExecLogModel::indexingChanged, this, &LogPage::showState);
    connect(&m_model, &QAbstractItemModel::modelReset, this, &LogPage::showState);
    connect(&m_model, &QAbstractItemModel::modelAboutToBeReset, this, [this] { m_kept = m_details->event().row; });
    // Behind the table, which chooses the newest row then.
    connect(&m_model, &QAbstractItemModel::modelReset, this, &LogPage::chooseKept, Qt::QueuedConnection);
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, &LogPage::showState);
    connect(&m_model, &QAbstractItemModel::dataChanged, this, &LogPage::onDataChanged);
    connect(&m_model, &ExecLogModel::failed, this, &LogPage::showFailure);
    connect(&m_model, &ExecLogModel::located, m_table, &LogTable::choose);
    connect(&m_source, &ports::LogSource::detailReady, this, &LogPage::onDetail);
    connect(&m_source, &ports::LogSource::histogramReady, this, &LogPage::onHistogram);
    connect(&m_model, &QAbstractItemModel::modelReset, this, [this] { m_barsTimer.start(barsDelay); });
    connect(&m_model, &QAbstractItemModel::rowsInserted, this, [this] {
        if (!m_barsTimer.isActive())
            m_barsTimer.start(barsInterval);
    });
    connect(m_bars, &TimeBars::wantedBarsChanged, this, [this] { m_barsTimer.start(barsDelay); });
    connect(m_bars, &TimeBars::rangeChosen, this, &LogPage::zoomTo);
    m_barsTimer.setSingleShot(true);
    connect(&m_barsTimer, &QTimer::timeout, this, &LogPage::askHistogram);
}

void LogPage::connectTable()
{
    connect(m_table, &LogTable::freezeToggled, this, &LogPage::toggleFrozen);
    connect(m_table, &LogTable::rowChosen, this, &LogPage::chooseRow);
    connect(m_table, &LogTable::denialRequested, this, &LogPage::findDenial);
    connect(m_table, &LogTable::menuRequested, this, &LogPage::openMenu);
    connect(m_table, &LogTable::copyRequested, this, &LogPage::copyCommand);
    connect(m_table, &LogTable::detailsRequested, this, [this] {
        setDetailsVisible(true);
        m_details->takeFocus();
    });
    connect(m_details, &DetailPane::denialRequested, this, &LogPage::findDenial);
    connect(m_details, &DetailPane::copyIdRequested, this, &LogPage::copyId);
    connect(m_details, &DetailPane::left, this, [this] { m_table->setFocus(Qt::ShortcutFocusReason); });
}

void LogPage::connectRunner()
{
    connect(m_runBox, &RunBox::recorded, this, &LogPage::chooseEvent);
    connect(&m_runner, &ports::CommandRunner::output, m_details, &DetailPane::appendOutput);
    connect(&m_runner, &ports::CommandRunner::stateChanged, this, &LogPage::showState);
    connect(m_runBox, &RunBox::ended, this, [this](const std::string &id) {
        if (m_wanted == id)
            m_source.requestDetail(++m_request, id);
    });
}

void LogPage::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (m_started)
        return;
    m_started = true;
    m_model.setFilter({});
    m_table->setFocus(Qt::OtherFocusReason);
}

void LogPage::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange)
        showLive();
}

void LogPage::showLive()
{
    const bool frozen = m_model.frozen();
    m_live->setChecked(frozen);
    m_live->setIcon(markIcon(frozen ? Mark::Pause : Mark::Play, palette().color(QPalette::ButtonText)));
    const std::int64_t held = m_model.held();
    const QString counter =
        held > 0 ? QStringLiteral(" +") + QLocale().toString(static_cast<qlonglong>(held)) : QString();
    m_live->setText(frozen ? tr("Frozen") + counter : tr("Live"));
    const QString heldBack = held == 1
        ? tr("Frozen, 1 new row held back")
        : tr("Frozen, %1 new rows held back").arg(QLocale().toString(static_cast<qlonglong>(held)));
    m_live->setAccessibleName(frozen ? heldBack : tr("Live"));
}

bool LogPage::recordUnknown() const
{
    return m_setting.recordPath().isEmpty()
        && m_runner.state().obstacle == ports::RunnerState::Obstacle::BadConfiguration;
}

void LogPage::showCount()
{
    const int rows = m_model.rowCount();
    // Not all rows are commands: the record also tells who changed a policy or pruned it.
    const QString count = rows == 1 ? tr("1 row") : tr("%1 rows").arg(QLocale().toString(rows));
    if (recordUnknown())
        m_count->clear();
    else
        m_count->setText(m_model.indexing() ? tr("searching …") : count);
}

void LogPage::showState()
{
    showCount();
    if (m_failed)
        return;
    if (recordUnknown()) {
        m_message->say(tr("The configuration cannot be loaded"),
                       text::visibleText(m_runner.state().detail)
                           + tr("\n\nIt names the record, so there is nothing to show. Mend it: it is read again as "
                                "soon as it is saved. Or name the record with --audit-db."));
        showMessage(true);
        return;
    }
    if (m_model.rowCount() > 0 || m_model.indexing() || !m_started) {
        showMessage(false);
        return;
    }
    if (m_filter->text().trimmed().isEmpty()) {
        m_message->say(tr("Nothing is recorded yet"),
                       tr("Shows commands that go through Portcullis. Run one in the line below, or with\n"
                          "portcullis-runner exec --tenant TENANT -- COMMAND\n\nRecord: %1")
                           .arg(m_setting.recordPath()));
    } else if (const QString mistake = m_filter->mistake(); !mistake.isEmpty()) {
        m_message->say(tr("This filter has a mistake"), mistake, tr("Clear the filter"));
    } else {
        m_message->say(tr("No command matches this filter"), {}, tr("Clear the filter"));
    }
    showMessage(true);
}

void LogPage::showFailure(const ports::LogError &error)
{
    m_failed = true;
    QString text = text::recordFailureSentences(
        {.code = error.code, .path = error.path, .errorNumber = error.errorNumber, .version = error.version});
    if (error.lastGoodRow > 0)
        text += u'\n' + tr("The last row that could be read whole is number %1.").arg(error.lastGoodRow);
    m_message->say(tr("The record cannot be read"), text, tr("Try again"));
    showMessage(true);
    m_details->showNothing();
}

void LogPage::toggleFrozen()
{
    m_model.setFrozen(!m_model.frozen());
    showLive();
}

void LogPage::findDenial(ports::Direction direction)
{
    m_model.findDenial(m_table->currentIndex().isValid() ? m_table->currentIndex().row() : -1, direction);
}

void LogPage::chooseRow(int row)
{
    m_model.stopLocating();
    showRow(row);
}

void LogPage::showRow(int row)
{
    const record::Event *event = m_model.eventAt(row);
    if (event == nullptr) {
        m_wanted.clear(); // its details follow when the row arrives, see onDataChanged
        if (row < 0)
            m_details->showNothing();
        return;
    }
    m_wanted = event->id;
    m_source.requestDetail(++m_request, m_wanted);
}

void LogPage::chooseEvent(const std::string &id)
{
    m_model.setFrozen(false);
    setDetailsVisible(true);
    m_details->beginOutput(id);
    m_wanted = id;
    m_requestToChoose = ++m_request;
    m_source.requestDetail(m_request, id);
}

void LogPage::onDetail(std::uint64_t request, const ports::LogDetail &detail)
{
    const bool toChoose = request == m_requestToChoose && detail.event;
    const bool hidden = detail.event && !m_applied.matches(*detail.event);
    if (toChoose && hidden) {
        m_table->setCurrentIndex({}); // another row must not look as if these were its details
        m_wanted = detail.event->id;
    }
    if (request == m_request) {
        m_details->show(detail);
        m_details->setHiddenByFilter(hidden);
    }
    if (!toChoose)
        return;
    m_details->openTab(detail.event->verdict == Verdict::Allow ? DetailPane::Output : DetailPane::Explain);
    if (!hidden)
        m_model.locate(detail.event->row);
}

/// A row that was looked at stays chosen under a new filter that shows it.
void LogPage::chooseKept()
{
    if (m_kept > 0)
        m_model.locate(std::exchange(m_kept, 0));
}

void LogPage::onDataChanged(const QModelIndex &from, const QModelIndex &to)
{
    const int row = m_table->currentIndex().row();
    if (row < from.row() || row > to.row())
        return;
    const record::Event *event = m_model.eventAt(row);
    if (event == nullptr)
        return;
    const bool ended = event->id == m_details->eventId() && event->outcome != m_details->event().outcome;
    // Only a row that was chosen before it was here, or that has ended: what else is wanted is on its way.
    if (m_wanted.empty() || ended)
        showRow(row);
}

void LogPage::askHistogram()
{
    if (m_model.rowCount() == 0)
        m_bars->setHistogram({});
    else if (!m_model.indexing())
        m_source.requestHistogram(m_model.generation(), m_bars->wantedBars());
}

void LogPage::onHistogram(ports::Generation generation, const ports::LogHistogram &histogram)
{
    if (generation == m_model.generation())
        m_bars->setHistogram(histogram);
}

/// The filter counts in minutes: the range grows to whole ones.
void LogPage::zoomTo(std::int64_t fromUs, std::int64_t toUs)
{
    const std::int64_t from = fromUs - fromUs % minuteUs;
    const std::int64_t to = toUs + (minuteUs - toUs % minuteUs) % minuteUs;
    m_filter->replaceTerm(QStringLiteral("time"), filterTime(from) + QStringLiteral("..") + filterTime(to));
}

void LogPage::openMenu(const QPoint &globalPosition)
{
    const QModelIndex cell = m_table->currentIndex();
    if (!cell.data(ExecLogModel::LoadedRole).toBool())
        return;
    auto *menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    const QString term = cell.data(ExecLogModel::FilterRole).toString();
    QAction *only = menu->addAction(tr("&Only rows like this cell"));
    QAction *without = menu->addAction(tr("&Without rows like this cell"));
    only->setEnabled(!term.isEmpty());
    without->setEnabled(!term.isEmpty());
    connect(only, &QAction::triggered, this, [this, term] { m_filter->addTerm(term); });
    connect(without, &QAction::triggered, this, [this, term] { m_filter->addTerm(u'-' + term); });
    menu->addSeparator();
    const QString text = cell.data().toString();
    connect(menu->addAction(tr("Copy &cell")), &QAction::triggered, this, [this, text] { copy(text); });
    connect(menu->addAction(tr("Copy co&mmand")), &QAction::triggered, this, &LogPage::copyCommand);
    connect(menu->addAction(tr("Copy &identifier")), &QAction::triggered, this, &LogPage::copyId);
    menu->popup(globalPosition);
}

void LogPage::copyId()
{
    const record::Event *event = m_model.eventAt(m_table->currentIndex().row());
    if (event != nullptr)
        copy(QString::fromStdString(event->id));
}

void LogPage::copyCommand()
{
    // The visible form: whoever pastes it into a terminal must not paste what was hidden.
    if (const record::Event *event = m_model.eventAt(m_table->currentIndex().row()))
        copy(text::visibleText(event->command));
}

void LogPage::copy(const QString &text)
{
    QGuiApplication::clipboard()->setText(text);
}

void LogPage::focusFilter()
{
    m_filter->takeFocus();
}

void LogPage::focusCommand()
{
    m_runBox->takeFocus();
}

void LogPage::goToNewest()
{
    m_model.setFrozen(false);
    m_table->goToNewest();
}

void LogPage::setDetailsVisible(bool visible)
{
    m_detailsWanted = visible;
    m_details->setVisible(visible && m_stack->currentWidget() == m_table);
}

/// A message stands alone: there is nothing to chart and nothing to explain.
void LogPage::showMessage(bool message)
{
    m_stack->setCurrentWidget(message ? static_cast<QWidget *>(m_message) : m_table);
    m_bars->setVisible(!message);
    m_details->setVisible(!message && m_detailsWanted);
}

QByteArray LogPage::saveLayout() const
{
    return m_splitter->saveState();
}

void LogPage::restoreLayout(const QByteArray &state)
{
    m_splitter->restoreState(state);
}

} // namespace portcullis::ui
