// SPDX-License-Identifier: Apache-2.0
#include "tests/support/scripted_log.h"
#include "ui/models/exec_log_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace portcullis;
using portcullis::test::ScriptedLog;
using portcullis::ui::ExecLogModel;
using portcullis::ui::PageCache;

namespace {

QString command(const ExecLogModel &model, int row)
{
    return model.index(row, ExecLogModel::Command).data().toString();
}

bool loaded(const ExecLogModel &model, int row)
{
    return model.index(row, 0).data(ExecLogModel::LoadedRole).toBool();
}

/// A model under the eyes of Qt's own checker.
struct Watched {
    explicit Watched(ScriptedLog &log, PageCache::Bounds bounds = {})
        : model(log, bounds), tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest)
    {
    }
    ExecLogModel model;
    QAbstractItemModelTester tester;
};

} // namespace

class TstExecLogModel : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void shows_every_row_of_the_record_oldest_first();
    void does_not_ask_for_anything_inside_data();
    void asks_once_for_rows_of_the_same_page();
    void asks_for_the_page_seen_last_first_and_not_for_all_that_flew_by();
    void drops_answers_of_an_overtaken_filter();
    void takes_pages_in_any_order();
    void keeps_the_old_rows_on_show_until_a_new_filter_has_its_index();
    void forgets_pages_that_were_left_and_fetches_them_again();
    void adds_new_rows_with_their_content_and_not_more_than_ten_times_a_second();
    void fetches_the_last_page_again_when_its_rows_did_not_come_ahead();
    void counts_what_comes_while_frozen_and_shows_it_afterwards();
    void fetches_pages_with_running_commands_again_when_commands_end();
    void starts_over_when_the_record_shrank();
    void goes_to_the_previous_and_next_denial();
    void says_when_there_is_no_denial();
    void finds_a_row_that_is_announced_later();
    void finds_a_row_whose_page_is_here_without_it();
    void stops_asking_after_an_error_until_it_is_refreshed();
};

void TstExecLogModel::shows_every_row_of_the_record_oldest_first()
{
    ScriptedLog log(700);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    QCOMPARE(model.rowCount(), 700);
    for (const int row : {0, 255, 256, 699}) {
        (void)loaded(model, row);
        QTRY_VERIFY(loaded(model, row));
        QCOMPARE(command(model, row), QStringLiteral("echo %1").arg(row));
    }
}

void TstExecLogModel::does_not_ask_for_anything_inside_data()
{
    ScriptedLog log(700);
    ExecLogModel model(log, {});
    model.setFilter({});
    QVERIFY(!model.index(300, ExecLogModel::Command).data().isValid());
    QVERIFY(log.asked.isEmpty());
    QTRY_COMPARE(log.asked.size(), 1);
    QCOMPARE(log.asked.first().pages, QList<int>{1});
}

void TstExecLogModel::asks_once_for_rows_of_the_same_page()
{
    ScriptedLog log(700, false);
    ExecLogModel model(log, {});
    model.setFilter({});
    log.answerIndex(log.latest);
    for (int row = 256; row < 512; ++row)
        (void)loaded(model, row);
    QTRY_COMPARE(log.asked.size(), 1);
    (void)loaded(model, 300);
    QCoreApplication::processEvents();
    QCOMPARE(log.asked.size(), 1);
}

void TstExecLogModel::asks_for_the_page_seen_last_first_and_not_for_all_that_flew_by()
{
    ScriptedLog log(100 * ports::pageRows, false);
    ExecLogModel model(log, {});
    model.setFilter({});
    log.answerIndex(log.latest);
    for (int page = 0; page < 100; ++page)
        (void)loaded(model, page * ports::pageRows);
    QTRY_COMPARE(log.asked.size(), 1);
    QCOMPARE(log.asked.first().pages, (QList<int>{99, 98, 97, 96}));

    for (const int page : log.asked.first().pages)
        log.answerPage(log.latest, page);
    int pages = 0;
    for (const ScriptedLog::Asked &asked : std::as_const(log.asked))
        pages += static_cast<int>(asked.pages.size());
    QCOMPARE(pages, 8);
}

void TstExecLogModel::drops_answers_of_an_overtaken_filter()
{
    ScriptedLog log(700, false);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    const auto old = log.latest;
    model.setFilter({});
    log.answerIndex(old);
    QCOMPARE(model.rowCount(), 0);
    QVERIFY(model.indexing());
    log.answerIndex(log.latest);
    QCOMPARE(model.rowCount(), 700);
    log.answerPage(old, 0);
    QVERIFY(!loaded(model, 0));
    Q_EMIT log.failed(old, {});
    log.answerPage(log.latest, 0);
    QVERIFY(loaded(model, 0));
}

void TstExecLogModel::takes_pages_in_any_order()
{
    ScriptedLog log(700, false);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    log.answerIndex(log.latest);
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    for (const int page : {2, 0, 1})
        log.answerPage(log.latest, page);
    QCOMPARE(changed.size(), 3);
    QCOMPARE(changed.at(0).at(0).toModelIndex().row(), 512);
    QCOMPARE(changed.at(0).at(1).toModelIndex().row(), 699);
    for (const int row : {0, 300, 650})
        QCOMPARE(command(model, row), QStringLiteral("echo %1").arg(row));
}

void TstExecLogModel::keeps_the_old_rows_on_show_until_a_new_filter_has_its_index()
{
    ScriptedLog log(30, false);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    log.answerIndex(log.latest);
    log.answerPage(log.latest, 0);
    model.setFilter({});
    QCOMPARE(model.rowCount(), 30);
    QCOMPARE(command(model, 3), QStringLiteral("echo 3"));
    log.rows().clear();
    log.answerIndex(log.latest);
    QCOMPARE(model.rowCount(), 0);
}

void TstExecLogModel::forgets_pages_that_were_left_and_fetches_them_again()
{
    ScriptedLog log(10 * ports::pageRows);
    Watched watched(log, {.pages = 2, .bytes = 1 << 30});
    ExecLogModel &model = watched.model;
    model.setFilter({});
    for (int page = 1; page < 10; ++page) {
        (void)loaded(model, page * ports::pageRows);
        QTRY_VERIFY(loaded(model, page * ports::pageRows));
    }
    QVERIFY(!loaded(model, ports::pageRows));
    QTRY_VERIFY(loaded(model, ports::pageRows));
}

void TstExecLogModel::adds_new_rows_with_their_content_and_not_more_than_ten_times_a_second()
{
    ScriptedLog log(250);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    QSignalSpy inserted(&model, &QAbstractItemModel::rowsInserted);
    for (int i = 0; i < 50; ++i)
        log.grow(1);
    QCOMPARE(inserted.size(), 1);
    QCOMPARE(model.rowCount(), 251);
    QCOMPARE(command(model, 250), QStringLiteral("echo 250"));
    QTRY_COMPARE(model.rowCount(), 300);
    QCOMPARE(inserted.size(), 2);
    QCOMPARE(command(model, 299), QStringLiteral("echo 299"));
}

void TstExecLogModel::fetches_the_last_page_again_when_its_rows_did_not_come_ahead()
{
    ScriptedLog log(20);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    (void)loaded(model, 19);
    QTRY_VERIFY(loaded(model, 19));
    log.grow(5, false);
    QCOMPARE(model.rowCount(), 25);
    QVERIFY(!loaded(model, 24));
    QVERIFY(loaded(model, 19));
    QTRY_VERIFY(loaded(model, 24));
}

void TstExecLogModel::counts_what_comes_while_frozen_and_shows_it_afterwards()
{
    ScriptedLog log(100);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    model.setFrozen(true);
    log.grow(128);
    QCOMPARE(model.rowCount(), 100);
    QCOMPARE(model.held(), 128);
    model.setFrozen(false);
    QCOMPARE(model.rowCount(), 228);
    QCOMPARE(model.held(), 0);
}

void TstExecLogModel::fetches_pages_with_running_commands_again_when_commands_end()
{
    ScriptedLog log(20);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    log.rows()[5].outcome = Outcome::Running;
    model.setFilter({});
    const QModelIndex result = model.index(5, ExecLogModel::Result);
    (void)loaded(model, 5);
    QTRY_COMPARE(result.data().toString(), QStringLiteral("running"));
    log.rows()[5].outcome = Outcome::TimedOut;
    Q_EMIT log.rowsCompleted(log.latest);
    QTRY_COMPARE(result.data().toString(), QStringLiteral("timed out"));
}

void TstExecLogModel::starts_over_when_the_record_shrank()
{
    ScriptedLog log(600);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    log.rows().remove(0, 400);
    Q_EMIT log.tailGrew(log.latest, 200, {});
    QCOMPARE(model.rowCount(), 200);
    QCOMPARE(log.filtersSet, 2);
}

void TstExecLogModel::goes_to_the_previous_and_next_denial()
{
    ScriptedLog log(2000);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    QSignalSpy located(&model, &ExecLogModel::located);
    (void)loaded(model, 1005);
    QTRY_VERIFY(loaded(model, 1005));

    model.findDenial(1005, ports::Direction::Older);
    QTRY_COMPARE(located.size(), 1);
    QCOMPARE(located.last().first().toInt(), 1000);
    model.findDenial(1005, ports::Direction::Newer);
    QTRY_COMPARE(located.size(), 2);
    QCOMPARE(located.last().first().toInt(), 1010);

    // Nothing chosen yet: the newest one, whose page is not in memory.
    model.findDenial(-1, ports::Direction::Older);
    QTRY_COMPARE(located.size(), 3);
    QCOMPARE(located.last().first().toInt(), 1990);
}

void TstExecLogModel::says_when_there_is_no_denial()
{
    ScriptedLog log(10);
    log.rows().removeFirst();
    ExecLogModel model(log, {});
    model.setFilter({});
    QSignalSpy none(&model, &ExecLogModel::noDenial);
    model.findDenial(-1, ports::Direction::Older);
    QCOMPARE(none.size(), 1);
}

void TstExecLogModel::finds_a_row_that_is_announced_later()
{
    ScriptedLog log(20);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    log.grow(1); // the next growth waits for its tick
    QSignalSpy located(&model, &ExecLogModel::located);
    log.grow(1);
    model.locate(log.rows().last().row);
    QCOMPARE(located.size(), 0);
    QTRY_COMPARE(located.size(), 1);
    QCOMPARE(located.last().first().toInt(), 21);
}

void TstExecLogModel::finds_a_row_whose_page_is_here_without_it()
{
    ScriptedLog log(20);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    (void)loaded(model, 19);
    QTRY_VERIFY(loaded(model, 19));
    QSignalSpy located(&model, &ExecLogModel::located);
    model.locate(210); // the row that comes next
    QCoreApplication::processEvents();
    QCOMPARE(located.size(), 0);
    log.grow(1);
    QTRY_COMPARE(located.size(), 1);
    QCOMPARE(located.last().first().toInt(), 20);
}

void TstExecLogModel::stops_asking_after_an_error_until_it_is_refreshed()
{
    ScriptedLog log(700, false);
    Watched watched(log);
    ExecLogModel &model = watched.model;
    model.setFilter({});
    log.answerIndex(log.latest);
    QSignalSpy failed(&model, &ExecLogModel::failed);
    Q_EMIT log.failed(log.latest,
                      {.code = "corrupt", .path = "audit.db", .errorNumber = 0, .version = 0, .lastGoodRow = 5});
    QCOMPARE(failed.size(), 1);
    (void)loaded(model, 0);
    QCoreApplication::processEvents();
    QVERIFY(log.asked.isEmpty());
    model.refresh();
    log.answerIndex(log.latest);
    (void)loaded(model, 0);
    QTRY_COMPARE(log.asked.size(), 1);
}

QTEST_GUILESS_MAIN(TstExecLogModel)
#include "tst_exec_log_model.moc"
