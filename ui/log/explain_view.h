// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/record/event.h"

#include <QWidget>

class QFormLayout;
class QLabel;
class QToolButton;

namespace portcullis::ui {

class CheckStrip;
class PlainView;

/// Why a command was refused or allowed, in the order in which a person asks: what, why, instead, what else is in the
/// way, and which checks took part.
class ExplainView : public QWidget
{
    Q_OBJECT

public:
    explicit ExplainView(QWidget *parent = nullptr);

    void show(const record::Event &event);

Q_SIGNALS:
    void copyIdRequested();

protected:
    void changeEvent(QEvent *event) override;

private:
    void showCommand(bool whole);
    void offerAll();
    void showWords();
    void showAction();
    void setRow(QLabel *value, const QString &text);

    record::Event m_event;
    bool m_whole = false; ///< all of the command was asked for
    bool m_moreLines = false; ///< the command has more lines than are in sight
    std::size_t m_hiddenBytes = 0;
    PlainView *m_command;
    QToolButton *m_showAll;
    QLabel *m_sign;
    QLabel *m_headline;
    QToolButton *m_id;
    QFormLayout *m_form;
    QLabel *m_why;
    QLabel *m_instead;
    QLabel *m_also;
    QLabel *m_notes;
    QLabel *m_result;
    CheckStrip *m_checks;
};

} // namespace portcullis::ui
