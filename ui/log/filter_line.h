// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/record/filter.h"

#include <QLineEdit>
#include <QTimer>
#include <QWidget>

#include <functional>
#include <optional>

class QLabel;

namespace portcullis::ui {

/// The line in which a filter of the log is typed. Reads it while typing; a mistake is underlined where it is and named
/// below, and the last good filter stays in force. Escape clears, Return applies at once.
class FilterLine : public QWidget
{
    Q_OBJECT

public:
    /// `clock` says what "now" and "local" mean each time a filter is read.
    explicit FilterLine(std::function<record::FilterClock()> clock, QWidget *parent = nullptr);

    [[nodiscard]] QString text() const;
    /// What is wrong with the text, as a sentence; empty when nothing is.
    [[nodiscard]] QString mistake() const;
    /// Sets and applies a text.
    void setText(const QString &text);
    /// Adds a term that must hold too; a leading `-` excludes.
    void addTerm(const QString &term);
    /// Puts `field:value` in the place of a term of this field at the top of the filter, or adds it.
    void replaceTerm(const QString &field, const QString &value);
    void takeFocus();

Q_SIGNALS:
    /// A text that can be read is to be in force.
    void applied(const portcullis::record::Filter &filter);
    /// A mistake came, went or became another.
    void mistakeChanged();
    /// Escape was pressed in an empty line, or Return: back to the table.
    void left();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void read(bool apply);
    void showError(const std::optional<record::FilterError> &error);
    void underline(int start, int length);

    std::function<record::FilterClock()> m_clock;
    QLineEdit *m_edit;
    QLabel *m_message;
    QTimer m_pause;
    QString m_applied;
    bool m_marked = false;
};

} // namespace portcullis::ui
