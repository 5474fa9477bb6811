// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/command_runner.h"
#include "runner/ports/log_source.h"

#include <QWidget>

#include <string>

class QLabel;
class QScrollArea;
class QStackedWidget;
class QTabWidget;
class QToolButton;

namespace portcullis::ui {

class ConfinementView;
class ExplainView;
class OutputView;
class PlainView;

/// Everything about one row of the log, below the table: Explain, Output, Confinement and Raw, and the way to the
/// previous and the next denial.
class DetailPane : public QWidget
{
    Q_OBJECT

public:
    enum Tab { Explain, Output, Confinement, Raw };

    explicit DetailPane(QWidget *parent = nullptr);

    /// Shows a row; the tab in front stays in front.
    void show(const ports::LogDetail &detail);
    void showNothing();
    /// Says that the table does not show this row, because of the filter.
    void setHiddenByFilter(bool hidden);
    /// Follows the output of a running command of this console instead of what the record has.
    void beginOutput(const std::string &eventId);
    void appendOutput(const std::string &eventId, ports::Channel channel, const QByteArray &bytes);

    [[nodiscard]] const std::string &eventId() const { return m_eventId; }
    [[nodiscard]] const record::Event &event() const { return m_event; }
    void openTab(Tab tab);
    void takeFocus();

Q_SIGNALS:
    void denialRequested(portcullis::ports::Direction direction);
    void copyIdRequested();
    /// Escape: back to the table.
    void left();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    QWidget *navigation();
    void showRaw();
    void showOutput(const ports::LogDetail &detail);

    std::string m_eventId;
    std::string m_following; ///< the running command whose output arrives
    std::string m_outputOf; ///< the row whose output is on show
    record::Event m_event;
    QLabel *m_hidden;
    QStackedWidget *m_stack;
    QTabWidget *m_tabs;
    ExplainView *m_explain;
    OutputView *m_output;
    ConfinementView *m_confinement;
    PlainView *m_raw;
};

} // namespace portcullis::ui
