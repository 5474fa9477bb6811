// SPDX-License-Identifier: Apache-2.0

// The log page's model over a real record that a real writer fills.

#include "app/console/audit_log_source.h"
#include "runner/audit/audit_writer.h"
#include "tests/support/scripted_log.h"
#include "ui/models/exec_log_model.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace portcullis;
using portcullis::console::AuditLogSource;
using portcullis::test::ScriptedLog;
using portcullis::ui::ExecLogModel;

namespace {

std::unique_ptr<audit::AuditWriter> openWriter(const QString &path)
{
    audit::WriterOptions options;
    options.path = path.toStdString();
    options.reserveBytes = 0;
    auto writer = audit::AuditWriter::open(options);
    return writer ? std::move(*writer) : nullptr;
}

record::Event commandRow(int number)
{
    record::Event made = ScriptedLog::makeEvent(number);
    made.row = 0;
    return made;
}

void fill(audit::AuditWriter &writer, int from, int to)
{
    std::vector<audit::WriteRequest> requests;
    for (int i = from; i < to; ++i)
        requests.emplace_back(audit::Append{.event = commandRow(i), .output = {}});
    for (const audit::WriteResult &result : writer.commit(requests))
        QVERIFY(result.has_value());
}

record::Filter filter(std::string_view text)
{
    return *record::Filter::parse(text, {});
}

QString command(const ExecLogModel &model, int row)
{
    return model.index(row, ExecLogModel::Command).data().toString();
}

/// With 50 bars; none when it does not come.
ports::LogHistogram histogramOf(AuditLogSource &source, const ExecLogModel &model)
{
    ports::LogHistogram histogram;
    const QMetaObject::Connection listening =
        QObject::connect(&source, &ports::LogSource::histogramReady, &source,
                         [&histogram](ports::Generation, const ports::LogHistogram &ready) { histogram = ready; });
    source.requestHistogram(model.generation(), 50);
    [[maybe_unused]] const bool came = QTest::qWaitFor([&] { return histogram.bars.size() == 50; });
    QObject::disconnect(listening);
    return histogram;
}

std::int64_t countedBy(const ports::LogHistogram &histogram)
{
    std::int64_t counted = 0;
    for (const auto &bar : histogram.bars)
        counted += bar[0] + bar[1] + bar[2];
    return counted;
}

} // namespace

class TstAuditLogSource : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void init();
    void shows_a_record_and_what_is_added_to_it();
    void shows_a_record_that_is_made_later();
    void finds_by_filter_and_keeps_finding();
    void shows_how_a_running_command_ended();
    void lets_a_command_join_a_filter_when_it_ends();
    void goes_to_denials();
    void gives_one_row_with_its_output();
    void says_that_a_file_is_no_record();
    void counts_commands_over_time_and_nothing_else();
    void shows_what_comes_after_the_clock_was_set_back();
    void notices_a_pruning_behind_a_command_that_runs();

private:
    std::unique_ptr<QTemporaryDir> m_dir;
    QString m_path;
};

void TstAuditLogSource::init()
{
    m_dir = std::make_unique<QTemporaryDir>();
    QVERIFY(m_dir->isValid());
    m_path = m_dir->filePath(QStringLiteral("audit.db"));
}

void TstAuditLogSource::shows_a_record_and_what_is_added_to_it()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    fill(*writer, 0, 1000);
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter({});
    QTRY_COMPARE(model.rowCount(), 1000);
    QTRY_COMPARE(command(model, 700), QStringLiteral("echo 700"));
    fill(*writer, 1000, 1300);
    QTRY_COMPARE(model.rowCount(), 1300);
    QTRY_COMPARE(command(model, 1299), QStringLiteral("echo 1299"));
}

void TstAuditLogSource::shows_a_record_that_is_made_later()
{
    AuditLogSource source;
    ExecLogModel model(source, {});
    QSignalSpy reset(&model, &QAbstractItemModel::modelReset);
    model.setFilter({});
    source.setPath(m_path.toStdString());
    QTRY_COMPARE(reset.size(), 1);
    QCOMPARE(model.rowCount(), 0);
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    fill(*writer, 0, 5);
    QTRY_COMPARE(model.rowCount(), 5);
}

void TstAuditLogSource::finds_by_filter_and_keeps_finding()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    fill(*writer, 0, 1000);
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter(filter("verdict:deny"));
    QTRY_COMPARE(model.rowCount(), 100);
    QTRY_COMPARE(command(model, 99), QStringLiteral("echo 990"));
    fill(*writer, 1000, 1020);
    QTRY_COMPARE(model.rowCount(), 102);
}

void TstAuditLogSource::shows_how_a_running_command_ended()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    record::Event running = commandRow(1);
    running.outcome = Outcome::Running;
    running.runner = audit::thisRunner();
    const auto row = writer->begin(running);
    QVERIFY(row.has_value());
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter({});
    const auto result = [&model] { return model.index(0, ExecLogModel::Result).data().toString(); };
    QTRY_COMPARE(result(), QStringLiteral("running"));
    record::Ending ending;
    ending.outcome = Outcome::TimedOut;
    QVERIFY(writer->finish(*row, ending).has_value());
    QTRY_COMPARE(result(), QStringLiteral("timed out"));
}

void TstAuditLogSource::lets_a_command_join_a_filter_when_it_ends()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    record::Event running = commandRow(1);
    running.outcome = Outcome::Running;
    running.runner = audit::thisRunner();
    const auto row = writer->begin(running);
    QVERIFY(row.has_value());
    fill(*writer, 2, 9);
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter(filter("outcome:exited"));
    QTRY_COMPARE(model.rowCount(), 7);
    record::Ending ending;
    ending.outcome = Outcome::Exited;
    ending.exitCode = 0;
    QVERIFY(writer->finish(*row, ending).has_value());
    QTRY_COMPARE(model.rowCount(), 8);
    QTRY_COMPARE(command(model, 0), QStringLiteral("echo 1"));
}

void TstAuditLogSource::goes_to_denials()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    fill(*writer, 0, 1000);
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter({});
    QTRY_COMPARE(model.rowCount(), 1000);
    QSignalSpy located(&model, &ExecLogModel::located);
    model.findDenial(-1, ports::Direction::Older);
    QTRY_COMPARE(located.size(), 1);
    QCOMPARE(located.last().first().toInt(), 990);
    QTRY_VERIFY(model.eventAt(990) != nullptr);
    model.findDenial(990, ports::Direction::Older);
    QTRY_COMPARE(located.size(), 2);
    QCOMPARE(located.last().first().toInt(), 980);
}

void TstAuditLogSource::gives_one_row_with_its_output()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    record::Event made = commandRow(3);
    made.traceJson = "[]";
    QVERIFY(writer->append(made, {.out = "hello\n", .err = {}, .outDropped = 0, .errDropped = 0}).has_value());
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    std::optional<ports::LogDetail> detail;
    connect(&source, &ports::LogSource::detailReady, this,
            [&detail](std::uint64_t request, const ports::LogDetail &found) {
                if (request == 7)
                    detail = found;
            });
    source.requestDetail(7, made.id);
    QTRY_VERIFY(detail.has_value());
    QVERIFY(detail->event.has_value());
    QCOMPARE(detail->event->traceJson, std::string("[]"));
    QCOMPARE(detail->output.out, std::string("hello\n"));
}

void TstAuditLogSource::says_that_a_file_is_no_record()
{
    QFile file(m_path);
    QVERIFY(file.open(QFile::WriteOnly));
    file.write(QByteArray(8192, 'x'));
    file.close();
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    std::string code;
    connect(&model, &ExecLogModel::failed, this, [&code](const ports::LogError &error) { code = error.code; });
    model.setFilter({});
    QTRY_COMPARE(code, std::string("not_a_record"));
}

void TstAuditLogSource::counts_commands_over_time_and_nothing_else()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    fill(*writer, 0, 1); // a record of one row has bars too
    record::Event edit = commandRow(1);
    edit.kind = record::Kind::Edit;
    QVERIFY(writer->commit({audit::WriteRequest(audit::Append{.event = edit, .output = {}})}).front().has_value());
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter({});
    QTRY_COMPARE(model.rowCount(), 2);
    const ports::LogHistogram histogram = histogramOf(source, model);
    QCOMPARE(histogram.bars.size(), 50);
    QCOMPARE(countedBy(histogram), 1);
}

void TstAuditLogSource::shows_what_comes_after_the_clock_was_set_back()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    fill(*writer, 0, 300);
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter({});
    QTRY_COMPARE(model.rowCount(), 300);
    record::Event late = commandRow(300);
    late.timeUs -= 3'600'000'000;
    late.command = "echo an hour back";
    QVERIFY(writer->append(late));
    QTRY_COMPARE(model.rowCount(), 301);
    QTRY_COMPARE(command(model, 300), QStringLiteral("echo an hour back"));
    const ports::LogHistogram histogram = histogramOf(source, model);
    QCOMPARE(histogram.bars.size(), 50);
    QCOMPARE(countedBy(histogram), 301);
    QCOMPARE(histogram.fromUs, late.timeUs);
}

void TstAuditLogSource::notices_a_pruning_behind_a_command_that_runs()
{
    const auto writer = openWriter(m_path);
    QVERIFY(writer);
    record::Event running = commandRow(1000);
    running.outcome = Outcome::Running;
    running.runner = audit::thisRunner();
    QVERIFY(writer->begin(running));
    fill(*writer, 0, 300);
    AuditLogSource source;
    source.setPath(m_path.toStdString());
    ExecLogModel model(source, {});
    model.setFilter(filter("kind:exec"));
    QTRY_COMPARE(model.rowCount(), 301);
    record::Event entry = commandRow(1001);
    const std::int64_t cut = commandRow(200).timeUs;
    QVERIFY(writer->prune({.beforeUs = cut, .maxBytes = {}}, entry));
    QTRY_COMPARE(model.rowCount(), 101);
    QTRY_COMPARE(command(model, 1), QStringLiteral("echo 200"));
    QCOMPARE(command(model, 0), QStringLiteral("echo 1000"));
}

QTEST_GUILESS_MAIN(TstAuditLogSource)
#include "tst_audit_log_source.moc"
