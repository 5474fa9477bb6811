// SPDX-License-Identifier: Apache-2.0
#include "tests/support/log_page_on_screen.h"

#include <QAccessible>
#include <QApplication>
#include <QComboBox>
#include <QHeaderView>
#include <QHelpEvent>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QToolTip>

#include <tuple>

using namespace portcullis;
using portcullis::test::LogPageOnScreen;
using portcullis::test::press;
using portcullis::test::ScriptedLog;

class TstLogPage : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void begins_in_the_table_with_the_newest_row_in_sight();
    void explains_a_denial_when_its_row_is_chosen();
    void follows_the_tail_only_for_a_reader_who_is_at_the_end();
    void freezes_and_goes_on_with_space();
    void goes_from_denial_to_denial_with_n_and_p();
    void goes_from_the_filter_to_the_table_and_back_by_keyboard();
    void keeps_the_last_good_filter_while_a_mistake_is_shown();
    void leaves_the_details_with_escape();
    void says_that_nothing_is_recorded_yet();
    void says_that_nothing_matches_and_offers_to_clear_the_filter();
    void says_why_the_record_cannot_be_read_and_tries_again();
    void keeps_the_chosen_row_under_a_filter_that_shows_it();
    void names_every_control_for_screen_readers();
    void tab_goes_through_the_page_as_it_is_drawn();
    void zooms_into_a_stretch_of_time_by_keyboard();
    void says_that_the_filter_has_a_mistake_rather_than_that_nothing_matches();
    void gives_the_command_most_of_the_room_data();
    void gives_the_command_most_of_the_room();
    void keeps_the_widths_that_somebody_has_set();
    void tells_a_cut_cell_in_full_and_what_a_column_means();
};

void TstLogPage::begins_in_the_table_with_the_newest_row_in_sight()
{
    LogPageOnScreen p(5000);
    p.show();
    QTRY_COMPARE(p.table()->model()->rowCount(), 5000);
    QVERIFY(p.table()->hasFocus());
    QTRY_COMPARE(p.table()->rowAt(p.table()->viewport()->height() - 3), 4999);
}

void TstLogPage::explains_a_denial_when_its_row_is_chosen()
{
    LogPageOnScreen p(100);
    p.log.rows()[30].reason = "A script from the network would run unread.";
    p.log.rows()[30].advice = "Download it to a file, read it, then run the file.";
    p.show();
    p.choose(30);
    QTRY_VERIFY(p.textOf("Verdict").contains(QStringLiteral("Download into shell")));
    QCOMPARE(p.textOf("Why"), QStringLiteral("A script from the network would run unread."));
    QCOMPARE(p.textOf("Instead"), QStringLiteral("Download it to a file, read it, then run the file."));
}

void TstLogPage::follows_the_tail_only_for_a_reader_who_is_at_the_end()
{
    LogPageOnScreen p(1000);
    p.show();
    QTRY_COMPARE(p.table()->rowAt(p.table()->viewport()->height() - 3), 999);
    p.log.grow(50);
    QTRY_COMPARE(p.table()->rowAt(p.table()->viewport()->height() - 3), 1049);
    p.choose(100);
    const int top = p.table()->rowAt(1);
    p.log.grow(50);
    QTRY_COMPARE(p.table()->model()->rowCount(), 1100);
    QCOMPARE(p.table()->rowAt(1), top);
}

void TstLogPage::freezes_and_goes_on_with_space()
{
    LogPageOnScreen p(100);
    p.show();
    p.choose(99);
    press(p.table(), Qt::Key_Space);
    p.log.grow(128);
    auto *live = p.page.findChild<QToolButton *>();
    QTRY_COMPARE(live->text(), QStringLiteral("Frozen +128"));
    QCOMPARE(p.table()->model()->rowCount(), 100);
    press(p.table(), Qt::Key_Space);
    QCOMPARE(live->text(), QStringLiteral("Live"));
    QCOMPARE(p.table()->model()->rowCount(), 228);
}

void TstLogPage::goes_from_denial_to_denial_with_n_and_p()
{
    LogPageOnScreen p(1000);
    p.show();
    p.choose(505);
    press(p.table(), Qt::Key_P);
    QTRY_COMPARE(p.currentRow(), 500);
    press(p.table(), Qt::Key_P);
    QTRY_COMPARE(p.currentRow(), 490);
    press(p.table(), Qt::Key_N);
    QTRY_COMPARE(p.currentRow(), 500);
}

void TstLogPage::goes_from_the_filter_to_the_table_and_back_by_keyboard()
{
    LogPageOnScreen p(100);
    p.show();
    p.page.focusFilter();
    QTRY_VERIFY(p.filter()->hasFocus());
    QTest::keyClicks(p.filter(), QStringLiteral("verdict:deny"));
    press(p.filter(), Qt::Key_Return);
    QVERIFY(p.table()->hasFocus());
    QCOMPARE(p.log.filtersSet, 2);
    p.page.focusFilter();
    press(p.filter(), Qt::Key_Escape);
    QVERIFY(p.filter()->text().isEmpty());
    QCOMPARE(p.log.filtersSet, 3);
    press(p.filter(), Qt::Key_Escape);
    QVERIFY(p.table()->hasFocus());
}

void TstLogPage::keeps_the_last_good_filter_while_a_mistake_is_shown()
{
    LogPageOnScreen p(100);
    p.show();
    p.page.focusFilter();
    QTest::keyClicks(p.filter(), QStringLiteral("tenant:acme verdct:deny"));
    press(p.filter(), Qt::Key_Return);
    QCOMPARE(p.log.filtersSet, 1);
    QVERIFY(p.textOf("Mistake in the filter").startsWith(QStringLiteral("Column 13:")));
    QVERIFY(p.textOf("Mistake in the filter").contains(QStringLiteral("verdict")));
    QVERIFY(p.filter()->hasFocus());
    p.filter()->setText(QStringLiteral("tenant:acme verdict:deny"));
    QVERIFY(p.textOf("Mistake in the filter").isEmpty());
}

void TstLogPage::leaves_the_details_with_escape()
{
    LogPageOnScreen p(100);
    p.show();
    p.choose(30);
    auto *tabs = p.page.findChild<QTabWidget *>();
    QTRY_VERIFY(tabs->isVisible());
    press(p.table(), Qt::Key_Return);
    QVERIFY(tabs->isAncestorOf(QApplication::focusWidget()) || tabs->hasFocus());
    press(QApplication::focusWidget(), Qt::Key_Escape);
    QVERIFY(p.table()->hasFocus());
}

void TstLogPage::says_that_nothing_is_recorded_yet()
{
    LogPageOnScreen p(0);
    p.show();
    QTRY_VERIFY(p.allText().contains(QStringLiteral("Nothing is recorded yet")));
    QVERIFY(p.allText().contains(QStringLiteral("audit.db")));
    p.log.append(ScriptedLog::makeEvent(0));
    QTRY_VERIFY(p.table()->isVisible());
}

void TstLogPage::says_that_nothing_matches_and_offers_to_clear_the_filter()
{
    LogPageOnScreen p(10);
    p.show();
    p.log.rows().clear();
    p.filter()->setText(QStringLiteral("nothing-like-this"));
    press(p.filter(), Qt::Key_Return);
    QTRY_VERIFY(p.allText().contains(QStringLiteral("No command matches")));
    QPushButton *clear = nullptr;
    for (auto *button : p.page.findChildren<QPushButton *>()) {
        if (button->isVisible() && button->text() == QStringLiteral("Clear the filter"))
            clear = button;
    }
    QVERIFY(clear != nullptr);
    clear->click();
    QVERIFY(p.filter()->text().isEmpty());
}

void TstLogPage::says_why_the_record_cannot_be_read_and_tries_again()
{
    LogPageOnScreen p(10);
    p.show();
    Q_EMIT p.log.failed(
        p.log.latest,
        {.code = "corrupt", .path = "/var/lib/audit.db", .errorNumber = 0, .version = 0, .lastGoodRow = 77});
    QTRY_VERIFY(p.allText().contains(QStringLiteral("The record cannot be read")));
    QVERIFY(p.allText().contains(QStringLiteral("/var/lib/audit.db")));
    QVERIFY(p.allText().contains(QStringLiteral("77")));
    for (auto *button : p.page.findChildren<QPushButton *>()) {
        if (button->isVisible() && button->text() == QStringLiteral("Try again"))
            button->click();
    }
    QTRY_VERIFY(p.table()->isVisible());
}

void TstLogPage::keeps_the_chosen_row_under_a_filter_that_shows_it()
{
    LogPageOnScreen p(100);
    p.show();
    QTRY_COMPARE(p.currentRow(), 99);
    p.choose(30);
    QTRY_VERIFY(p.textOf("Verdict").startsWith(QStringLiteral("Denied")));
    const int before = p.log.filtersSet;
    p.filter()->setText(QStringLiteral("verdict:deny"));
    QTRY_COMPARE(p.log.filtersSet, before + 1);
    QTRY_COMPARE(p.currentRow(), 30);
    QVERIFY(p.textOf("Verdict").startsWith(QStringLiteral("Denied")));
}

void TstLogPage::names_every_control_for_screen_readers()
{
    LogPageOnScreen p(20);
    p.show();
    p.choose(5);
    for (const QWidget *widget : p.page.findChildren<QWidget *>()) {
        const bool control = widget->inherits("QLineEdit") || widget->inherits("QAbstractButton")
            || widget->inherits("QComboBox") || widget->inherits("QAbstractItemView")
            || widget->inherits("QPlainTextEdit");
        if (!control || widget->focusPolicy() == Qt::NoFocus || !widget->isVisible())
            continue;
        QAccessibleInterface *spoken = QAccessible::queryAccessibleInterface(const_cast<QWidget *>(widget));
        QVERIFY(spoken != nullptr);
        QVERIFY2(!spoken->text(QAccessible::Name).isEmpty(), widget->metaObject()->className());
    }
}

void TstLogPage::tab_goes_through_the_page_as_it_is_drawn()
{
    LogPageOnScreen p(20);
    p.show();
    QTRY_VERIFY(p.command()->isEnabled());
    p.page.focusFilter();
    QStringList names;
    for (int i = 0; i < 30 && !names.contains(QStringLiteral("Command to run")); ++i) {
        names.append(QApplication::focusWidget()->accessibleName());
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Tab);
    }
    names.removeIf([](const QString &name) {
        return !QStringList{QStringLiteral("Filter of the log"), QStringLiteral("Commands over time"),
                            QStringLiteral("Log of commands"),   QStringLiteral("Command"),
                            QStringLiteral("Tenant to run as"),  QStringLiteral("Command to run")}
                    .contains(name);
    });
    QCOMPARE(names,
             (QStringList{QStringLiteral("Filter of the log"), QStringLiteral("Commands over time"),
                          QStringLiteral("Log of commands"), QStringLiteral("Command"),
                          QStringLiteral("Tenant to run as"), QStringLiteral("Command to run")}));
}

void TstLogPage::zooms_into_a_stretch_of_time_by_keyboard()
{
    LogPageOnScreen p(5000);
    p.show();
    QTRY_VERIFY(p.log.histogramsAsked > 0);
    auto *bars = p.named<QWidget>("Commands over time");
    bars->setFocus();
    press(bars, Qt::Key_Home);
    QVERIFY(bars->accessibleDescription().contains(QStringLiteral("refused")));
    press(bars, Qt::Key_Right, Qt::ShiftModifier);
    press(bars, Qt::Key_Return);
    QVERIFY2(p.filter()->text().startsWith(QStringLiteral("time:2023-11-1")), qPrintable(p.filter()->text()));
    QCOMPARE(p.log.filtersSet, 2);
    const QString first = p.filter()->text();
    QTRY_VERIFY(p.log.histogramsAsked > 1);
    press(bars, Qt::Key_End);
    press(bars, Qt::Key_Return);
    QVERIFY(p.filter()->text() != first);
    QCOMPARE(p.filter()->text().count(QStringLiteral("time:")), 1);
}

void TstLogPage::says_that_the_filter_has_a_mistake_rather_than_that_nothing_matches()
{
    LogPageOnScreen p(10);
    p.show();
    p.log.rows().clear();
    p.filter()->setText(QStringLiteral("nothing-like-this"));
    QTRY_VERIFY(p.allText().contains(QStringLiteral("No command matches")));
    p.filter()->setText(QStringLiteral("verdict:"));
    QVERIFY(p.allText().contains(QStringLiteral("This filter has a mistake")));
    QVERIFY(!p.allText().contains(QStringLiteral("No command matches")));
    p.filter()->setText(QStringLiteral("nothing-like-this"));
    QVERIFY(p.allText().contains(QStringLiteral("No command matches")));
}

void TstLogPage::gives_the_command_most_of_the_room_data()
{
    QTest::addColumn<int>("width");
    QTest::newRow("narrow") << 700;
    QTest::newRow("half a screen") << 1000;
    QTest::newRow("wide") << 1600;
}

void TstLogPage::gives_the_command_most_of_the_room()
{
    QFETCH(const int, width);
    LogPageOnScreen p(100);
    p.page.resize(width, 700);
    p.show();
    const int command = p.table()->columnWidth(ui::ExecLogModel::Command);
    int sum = 0;
    for (int column = 0; column < ui::ExecLogModel::ColumnCount; ++column) {
        sum += p.table()->columnWidth(column);
        if (column != ui::ExecLogModel::Command)
            QVERIFY2(p.table()->columnWidth(column) * 3 / 2 < command, qPrintable(QString::number(column)));
    }
    QVERIFY(command >= 40 * p.table()->fontMetrics().averageCharWidth());
    QVERIFY2(sum >= p.table()->viewport()->width() - 2, "room is left over");
}

void TstLogPage::keeps_the_widths_that_somebody_has_set()
{
    LogPageOnScreen p(100);
    p.show();
    p.table()->horizontalHeader()->resizeSection(ui::ExecLogModel::Tenant, 177);
    p.page.resize(1400, 700);
    QCOMPARE(p.table()->columnWidth(ui::ExecLogModel::Tenant), 177);
}

void TstLogPage::tells_a_cut_cell_in_full_and_what_a_column_means()
{
    LogPageOnScreen p(20);
    const QString agent = QStringLiteral("an-agent-with-a-name-that-no-column-has-room-for");
    p.log.rows()[5].agent = agent.toStdString();
    p.show();
    p.choose(5);
    QTRY_VERIFY(p.table()->currentIndex().data(ui::ExecLogModel::LoadedRole).toBool());
    const auto tipAt = [&p](int row) {
        const QModelIndex cell = p.table()->model()->index(row, ui::ExecLogModel::Agent);
        const QPoint place = p.table()->visualRect(cell).center();
        QToolTip::hideText();
        QHelpEvent event(QEvent::ToolTip, place, p.table()->viewport()->mapToGlobal(place));
        QApplication::sendEvent(p.table()->viewport(), &event);
        return QToolTip::text();
    };
    QVERIFY(tipAt(5).contains(agent));
    std::ignore = tipAt(4);
    QTRY_VERIFY2(!QToolTip::isVisible(), "a cell that is seen whole needs no tip");
    for (int column = 0; column < ui::ExecLogModel::ColumnCount; ++column)
        QVERIFY(!p.table()->model()->headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString().isEmpty());
}

QTEST_MAIN(TstLogPage)
#include "tst_log_page.moc"
