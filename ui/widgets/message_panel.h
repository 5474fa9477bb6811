// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace portcullis::ui {

/// What stands in place of a table that has nothing to show: a title, what it means, and one thing to do.
class MessagePanel : public QWidget
{
    Q_OBJECT

public:
    explicit MessagePanel(QWidget *parent = nullptr);

    /// `action` names the button; empty: no button.
    void say(const QString &title, const QString &text, const QString &action = {});

Q_SIGNALS:
    void actionRequested();

private:
    QLabel *m_title;
    QLabel *m_text;
    QPushButton *m_action;
};

} // namespace portcullis::ui
