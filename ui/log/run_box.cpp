// SPDX-License-Identifier: Apache-2.0
#include "ui/log/run_box.h"

#include "ui/text/decision_text.h"
#include "ui/text/visible_text.h"

#include <QComboBox>
#include <QFontDatabase>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QVBoxLayout>

namespace portcullis::ui {

namespace {

using ports::CommandEnd;
using ports::RunnerState;

constexpr int maxHistory = 100;
constexpr qsizetype maxNamed = 60; ///< of a command in a sentence
/// What a shell takes in one argument (128 KiB with its end mark).
constexpr int maxCommand = 128 * 1024 - 1;

QString obstacleWords(const RunnerState &state)
{
    const QString detail = text::visibleText(state.detail);
    switch (state.obstacle) {
    case RunnerState::Obstacle::None:
        break;
    case RunnerState::Obstacle::Starting:
        return RunBox::tr("Getting ready to run commands …");
    case RunnerState::Obstacle::ReadOnly:
        return RunBox::tr("Commands cannot be run: the console was started read-only.");
    case RunnerState::Obstacle::NoConfiguration:
        return RunBox::tr("Commands cannot be run: there is no gateway configuration. %1").arg(detail);
    case RunnerState::Obstacle::BadConfiguration:
        return RunBox::tr("Commands cannot be run: the configuration has an error. %1").arg(detail);
    case RunnerState::Obstacle::NoRecord:
        return RunBox::tr("Commands cannot be run, because they could not be recorded. %1").arg(detail);
    }
    return state.tenants.empty() ? RunBox::tr("Commands cannot be run: no tenant was found.") : QString();
}

QString outcomeWords(const CommandEnd &end)
{
    switch (end.outcome) {
    case Outcome::Signalled:
        return RunBox::tr("ended by signal %1").arg(end.signal.value_or(0));
    case Outcome::TimedOut:
        return RunBox::tr("timed out");
    case Outcome::Cancelled:
        return RunBox::tr("stopped");
    default:
        return RunBox::tr("exit %1").arg(end.exitCode.value_or(0));
    }
}

QString endWords(const CommandEnd &end)
{
    const QString error = text::visibleText(end.error);
    switch (end.kind) {
    case CommandEnd::Kind::Refused:
        return RunBox::tr("nothing ran");
    case CommandEnd::Kind::NeedsAsk:
        return RunBox::tr("nothing ran; approvals are not available here");
    case CommandEnd::Kind::NotStarted:
        return RunBox::tr("could not be started: %1").arg(error);
    case CommandEnd::Kind::Unrecorded:
        return RunBox::tr("not run, because it could not be recorded: %1").arg(error);
    case CommandEnd::Kind::Failed:
        return RunBox::tr("the engine failed: %1").arg(error);
    case CommandEnd::Kind::NotPossible:
        return RunBox::tr("nothing ran");
    case CommandEnd::Kind::Ran:
        break;
    }
    const QString words = outcomeWords(end);
    return error.isEmpty() ? words : words + QStringLiteral(" – ") + error;
}

/// What was chosen before, else the first tenant that is not the operator's own: its commands are confined.
int firstChoice(const QStringList &tenants, const QString &before)
{
    if (const auto index = tenants.indexOf(before); index >= 0)
        return static_cast<int>(index);
    return tenants.size() > 1 && tenants.first() == QLatin1StringView("master") ? 1 : 0;
}

} // namespace

RunBox::RunBox(ports::CommandRunner &runner, QWidget *parent)
    : QWidget(parent)
    , m_runner(runner)
    , m_tenant(new QComboBox)
    , m_agent(new QLineEdit(QStringLiteral("main")))
    , m_command(new QLineEdit)
    , m_run(new QPushButton(tr("R&un")))
    , m_stop(new QPushButton(tr("S&top")))
    , m_status(new QLabel)
{
    m_tenant->setAccessibleName(tr("Tenant to run as"));
    m_tenant->setSizeAdjustPolicy(QComboBox::AdjustToContents);
    m_agent->setAccessibleName(tr("Agent to run as"));
    m_agent->setToolTip(tr("Agent to run as"));
    m_agent->setFixedWidth(fontMetrics().averageCharWidth() * 14);
    m_command->setAccessibleName(tr("Command to run"));
    m_command->setPlaceholderText(tr("Command to run under the rules of this tenant"));
    m_command->setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    m_command->setLayoutDirection(Qt::LeftToRight);
    m_command->setMaxLength(maxCommand);
    m_command->installEventFilter(this);
    m_stop->setAccessibleName(tr("Stop the running command"));
    m_stop->hide();
    m_status->setTextFormat(Qt::PlainText);
    m_status->setWordWrap(true); // a long message must not widen the window
    m_status->hide();
    m_status->setAccessibleName(tr("What became of the command"));

    auto *label = new QLabel(tr("Run &as"));
    label->setBuddy(m_tenant);
    auto *line = new QHBoxLayout;
    line->addWidget(label);
    line->addWidget(m_tenant);
    line->addWidget(m_agent);
    line->addWidget(m_command, 1);
    line->addWidget(m_run);
    line->addWidget(m_stop);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(2);
    layout->addLayout(line);
    layout->addWidget(m_status);

    connect(m_command, &QLineEdit::returnPressed, this, &RunBox::submit);
    connect(m_command, &QLineEdit::textChanged, this, &RunBox::showState);
    connect(m_command, &QLineEdit::textChanged, this, &RunBox::showStatus);
    connect(m_run, &QPushButton::clicked, this, &RunBox::submit);
    connect(m_stop, &QPushButton::clicked, this, &RunBox::stop);
    connect(&runner, &ports::CommandRunner::stateChanged, this, &RunBox::showState);
    connect(&runner, &ports::CommandRunner::decided, this, &RunBox::onDecided);
    connect(&runner, &ports::CommandRunner::finished, this, &RunBox::onFinished);
    showState();
}

void RunBox::takeFocus()
{
    m_command->setFocus(Qt::ShortcutFocusReason);
}

void RunBox::showState()
{
    const RunnerState state = m_runner.state();
    QStringList tenants;
    for (const std::string &tenant : state.tenants)
        tenants.append(text::visibleText(tenant));
    QStringList present;
    for (int i = 0; i < m_tenant->count(); ++i)
        present.append(m_tenant->itemText(i));
    if (present != tenants) {
        const QString chosen = m_tenant->currentText();
        m_tenant->clear();
        m_tenant->addItems(tenants);
        m_tenant->setCurrentIndex(firstChoice(tenants, chosen));
    }
    const QString obstacle = obstacleWords(state);
    const bool possible = obstacle.isEmpty();
    for (QWidget *widget :
         {static_cast<QWidget *>(m_tenant), static_cast<QWidget *>(m_agent), static_cast<QWidget *>(m_command)}) {
        widget->setEnabled(possible);
    }
    m_run->setEnabled(possible && !m_running && !m_command->text().trimmed().isEmpty());
    if (obstacle != m_obstacle)
        say(obstacle);
    m_obstacle = obstacle;
}

void RunBox::say(const QString &text)
{
    m_ran.clear();
    m_words = text;
    showStatus();
}

void RunBox::sayOfCommand(const QString &words)
{
    m_words = words;
    showStatus();
}

QString RunBox::ranShortly() const
{
    return text::shortened(text::commandLine(m_ran.toStdString()), maxNamed);
}

void RunBox::showStatus()
{
    const bool other = !m_ran.isEmpty() && m_command->text() != m_ran;
    m_status->setText(other ? tr("%1 – for: %2").arg(m_words, ranShortly()) : m_words);
    m_status->setVisible(!m_words.isEmpty());
}

void RunBox::submit()
{
    if (m_running && !m_command->text().trimmed().isEmpty())
        m_status->setText(tr("Not run, because this one is still running: %1").arg(ranShortly()));
    if (!m_run->isEnabled())
        return;
    const RunnerState state = m_runner.state();
    const auto index = static_cast<std::size_t>(m_tenant->currentIndex());
    if (index >= state.tenants.size())
        return;
    decision::ExecRequest request;
    request.command = m_command->text().toStdString();
    request.tenant = state.tenants[index];
    request.agent = m_agent->text().trimmed().isEmpty() ? std::string("main") : m_agent->text().trimmed().toStdString();
    request.session = "console";
    request.origin = Origin::Operator;
    m_history.removeAll(m_command->text());
    m_history.append(m_command->text());
    if (m_history.size() > maxHistory)
        m_history.removeFirst();
    m_recalled = m_history.size();
    m_headline.clear();
    m_ran = m_command->text();
    sayOfCommand(tr("Deciding …"));
    m_running = m_runner.submit(request);
    m_stop->show();
    m_command->selectAll();
    showState();
    Q_EMIT submitted(*m_running);
}

void RunBox::stop()
{
    if (m_running)
        m_runner.cancel(*m_running);
}

void RunBox::onDecided(const std::string &id, const decision::Decision &decision)
{
    if (m_running != id)
        return;
    const text::Explanation words = text::explain(decision);
    m_headline = text::verdictName(decision.verdict);
    if (!words.title.isEmpty())
        m_headline += QStringLiteral(" · ") + words.title;
    sayOfCommand(m_headline);
    Q_EMIT recorded(id);
}

void RunBox::onFinished(const std::string &id, const CommandEnd &end)
{
    if (m_running != id)
        return;
    m_running.reset();
    m_stop->hide();
    showState();
    const QString words = endWords(end);
    if (end.kind == CommandEnd::Kind::NotPossible && !m_obstacle.isEmpty())
        say(m_obstacle);
    else
        sayOfCommand(m_headline.isEmpty() ? words : m_headline + QStringLiteral(" – ") + words);
    Q_EMIT ended(id);
}

void RunBox::recall(int step)
{
    if (m_history.isEmpty())
        return;
    m_recalled = std::clamp<qsizetype>(m_recalled + step, 0, m_history.size());
    m_command->setText(m_history.value(m_recalled));
}

bool RunBox::eventFilter(QObject *watched, QEvent *event)
{
    if (watched == m_command && event->type() == QEvent::KeyPress) {
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->modifiers() == Qt::NoModifier && (key->key() == Qt::Key_Up || key->key() == Qt::Key_Down)) {
            recall(key->key() == Qt::Key_Up ? -1 : 1);
            return true;
        }
    }
    return QWidget::eventFilter(watched, event);
}

} // namespace portcullis::ui
