// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/ports/command_runner.h"
#include "runner/ports/log_source.h"
#include "runner/record/filter.h"
#include "ui/models/exec_log_model.h"

#include <QTimer>
#include <QWidget>

#include <functional>
#include <string>

class QLabel;
class QSplitter;
class QStackedWidget;
class QToolButton;

namespace portcullis::ui {

class DetailPane;
class FilterLine;
class LogTable;
class MessagePanel;
class RunBox;
class TimeBars;

/// The log: filter, table, details of the chosen row, and a line to run commands by hand.
class LogPage : public QWidget
{
    Q_OBJECT

public:
    struct Setting {
        std::function<QString()> recordPath; ///< as far as it is known
        std::function<record::FilterClock()> clock;
    };

    LogPage(ports::LogSource &source, ports::CommandRunner &runner, Setting setting, QWidget *parent = nullptr);

    void focusFilter();
    void focusCommand();
    void goToNewest();
    void toggleFrozen();
    void findDenial(ports::Direction direction);
    void copyId();
    void copyCommand();
    void setDetailsVisible(bool visible);

    [[nodiscard]] QByteArray saveLayout() const;
    void restoreLayout(const QByteArray &state);

protected:
    void showEvent(QShowEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    QWidget *buildBar();
    void connectModel();
    void connectRunner();
    void connectTable();
    void showLive();
    [[nodiscard]] bool recordUnknown() const;
    void showCount();
    void showState();
    void showMessage(bool message);
    void showFailure(const ports::LogError &error);
    void chooseRow(int row);
    void showRow(int row);
    void chooseEvent(const std::string &id);
    void chooseKept();
    void onDetail(std::uint64_t request, const ports::LogDetail &detail);
    void onDataChanged(const QModelIndex &from, const QModelIndex &to);
    void onHistogram(ports::Generation generation, const ports::LogHistogram &histogram);
    void askHistogram();
    void zoomTo(std::int64_t fromUs, std::int64_t toUs);
    void openMenu(const QPoint &globalPosition);
    void copy(const QString &text);

    ports::LogSource &m_source;
    ports::CommandRunner &m_runner;
    Setting m_setting;
    ExecLogModel m_model;
    FilterLine *m_filter;
    QToolButton *m_live;
    QLabel *m_count;
    TimeBars *m_bars;
    LogTable *m_table;
    QStackedWidget *m_stack;
    MessagePanel *m_message;
    DetailPane *m_details;
    QSplitter *m_splitter;
    RunBox *m_runBox;
    record::Filter m_applied; ///< in force
    std::int64_t m_kept = 0; ///< storage row of the details before a reset, to be chosen again
    QTimer m_barsTimer; ///< a large record is not counted anew for every row
    bool m_started = false;
    bool m_failed = false;
    bool m_detailsWanted = true;
    std::uint64_t m_request = 0; ///< number of the latest request for details
    std::uint64_t m_requestToChoose = 0; ///< its answer is also to be chosen in the table
    std::string m_wanted; ///< row whose details are on show or on the way
};

} // namespace portcullis::ui
