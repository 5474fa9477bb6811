// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tests/support/scripted_log.h"
#include "tests/support/scripted_runner.h"
#include "ui/log/log_page.h"
#include "ui/log/log_table.h"

#include <QLabel>
#include <QLineEdit>
#include <QTest>

namespace portcullis::test {

/// A page as a person has it in front of them, and the parts that a person would look at.
struct LogPageOnScreen {
    explicit LogPageOnScreen(int rows, bool immediate = true)
        : log(rows, immediate)
        , page(log, runner,
               {.recordPath = [] { return QStringLiteral("audit.db"); }, .clock = [] { return record::FilterClock{}; }})
    {
        page.resize(1000, 700);
    }

    void show()
    {
        page.show();
        QVERIFY(QTest::qWaitForWindowActive(&page));
    }

    template <class T>
    T *named(const char *name) const
    {
        for (T *widget : page.findChildren<T *>()) {
            if (widget->accessibleName() == QLatin1StringView(name))
                return widget;
        }
        return nullptr;
    }

    [[nodiscard]] ui::LogTable *table() const { return page.findChild<ui::LogTable *>(); }
    [[nodiscard]] QLineEdit *filter() const { return named<QLineEdit>("Filter of the log"); }
    [[nodiscard]] QLineEdit *command() const { return named<QLineEdit>("Command to run"); }
    [[nodiscard]] QString textOf(const char *name) const
    {
        const auto *label = named<QLabel>(name);
        return label != nullptr && label->isVisible() ? label->text() : QString();
    }
    [[nodiscard]] int currentRow() const { return table()->currentIndex().row(); }
    void choose(int row) const
    {
        table()->setFocus();
        table()->choose(row);
    }
    [[nodiscard]] QString allText() const
    {
        QString text;
        for (const QLabel *label : page.findChildren<QLabel *>()) {
            if (label->isVisible())
                text += label->text() + u'\n';
        }
        return text;
    }

    ScriptedLog log;
    ScriptedRunner runner;
    ui::LogPage page;
};

inline void press(QWidget *widget, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QTest::keyClick(widget, key, modifiers);
}

} // namespace portcullis::test
