// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "ui/models/exec_log_model.h"

#include <QTableView>

namespace portcullis::ui {

/// The table of the log. Keeps the newest row in sight while it is at the end, and works from the keyboard: Space
/// freezes, Return opens the details, P and N go to the previous and next denial, Ctrl+C copies the row.
class LogTable : public QTableView
{
    Q_OBJECT

public:
    explicit LogTable(ExecLogModel &model, QWidget *parent = nullptr);

    /// Chooses a row and brings it into sight.
    void choose(int row);
    void goToNewest();
    /// The place of the context menu for the current cell, in global coordinates.
    [[nodiscard]] QPoint menuPosition(const QContextMenuEvent &event) const;

Q_SIGNALS:
    void freezeToggled();
    void detailsRequested();
    void denialRequested(portcullis::ports::Direction direction);
    void copyRequested();
    void menuRequested(const QPoint &globalPosition);
    void rowChosen(int row);

protected:
    void keyPressEvent(QKeyEvent *event) override;
    void contextMenuEvent(QContextMenuEvent *event) override;
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;
    void changeEvent(QEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyboardSearch(const QString &search) override;

private:
    [[nodiscard]] bool isAtEnd() const;
    void setUpColumns();
    void fitColumns();
    void fitRows();

    ExecLogModel &m_model;
    bool m_atEnd = true;
    bool m_byHand = false; ///< somebody has set a width
    bool m_fitting = false;
};

} // namespace portcullis::ui
