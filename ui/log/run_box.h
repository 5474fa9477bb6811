// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/command_runner.h"

#include <QWidget>

#include <optional>
#include <string>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace portcullis::ui {

/// A line that is run as a chosen tenant through the embedded engine, under the same rules as a line of an agent; it
/// says in words what became of it. Disabled, with the reason, where nothing can be run.
class RunBox : public QWidget
{
    Q_OBJECT

public:
    explicit RunBox(ports::CommandRunner &runner, QWidget *parent = nullptr);

    void takeFocus();

Q_SIGNALS:
    /// A command of this box was taken on / has its decision in the record / has ended.
    void submitted(const std::string &id);
    void recorded(const std::string &id);
    void ended(const std::string &id);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void showState();
    void submit();
    void stop();
    void recall(int step);
    void onDecided(const std::string &id, const decision::Decision &decision);
    void onFinished(const std::string &id, const ports::CommandEnd &end);
    void say(const QString &text);
    /// Says what became of the command that was run, and of which, when another stands in the box.
    void sayOfCommand(const QString &words);
    void showStatus();
    [[nodiscard]] QString ranShortly() const;

    ports::CommandRunner &m_runner;
    QComboBox *m_tenant;
    QLineEdit *m_agent;
    QLineEdit *m_command;
    QPushButton *m_run;
    QPushButton *m_stop;
    QLabel *m_status;
    QStringList m_history;
    qsizetype m_recalled = 0;
    std::optional<std::string> m_running;
    QString m_headline;
    QString m_ran; ///< the command that the status is about; empty when it is about none
    QString m_words; ///< of the status
    QString m_obstacle; ///< that is on show
};

} // namespace portcullis::ui
