// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/record/event.h"

#include <QWidget>

class QFormLayout;
class QLabel;

namespace portcullis::ui {

/// What was around a command: where it ran, how much of the confinement was in force, what was missing, and the hint
/// that a failure came from the walls.
class ConfinementView : public QWidget
{
    Q_OBJECT

public:
    explicit ConfinementView(QWidget *parent = nullptr);

    void show(const record::Event &event);

private:
    QLabel *addRow(const QString &label);
    void setRow(QLabel *value, const QString &text);

    QFormLayout *m_form;
    QLabel *m_state;
    QLabel *m_where;
    QLabel *m_level;
    QLabel *m_missing;
    QLabel *m_hint;
    QLabel *m_policy;
    QLabel *m_cwd;
    QLabel *m_shell;
    QLabel *m_timing;
    QLabel *m_error;
    QLabel *m_configuration;
};

} // namespace portcullis::ui
