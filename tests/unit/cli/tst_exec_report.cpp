// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/exec_report.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

using namespace portcullis;
using namespace portcullis::cli;
using service::RunResult;

namespace {

decision::Decision decided(Verdict verdict, std::optional<Check> check = {})
{
    decision::Decision out;
    out.verdict = verdict;
    out.check = check;
    out.timeoutSeconds = 5;
    return out;
}

RunResult ended(Outcome outcome, std::optional<int> exit = {}, std::optional<int> signal = {})
{
    RunResult out;
    out.outcome = outcome;
    out.exitCode = exit;
    out.signal = signal;
    return out;
}

RunResult failed(RunResult::Failure failure, const std::string &step)
{
    RunResult out;
    out.failure = failure;
    out.step = step;
    return out;
}

} // namespace

class TstExecReport : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_exit_code_tells_what_happened()
    {
        const decision::Decision allow = decided(Verdict::Allow);
        QCOMPARE(exitCode(allow, ended(Outcome::Exited, 0)), 0);
        QCOMPARE(exitCode(allow, ended(Outcome::Exited, 77)), 77);
        QCOMPARE(exitCode(allow, ended(Outcome::Signalled, {}, SIGKILL)), 137);
        QCOMPARE(exitCode(allow, ended(Outcome::TimedOut, 0)), 124);
        QCOMPARE(exitCode(allow, ended(Outcome::Cancelled)), 130);
        QCOMPARE(exitCode(decided(Verdict::Deny, Check::DenyRules), {}), 77);
        QCOMPARE(exitCode(decided(Verdict::Deny, Check::Configuration), {}), 78);
        QCOMPARE(exitCode(decided(Verdict::Deny, Check::Backend), {}), 69);
        QCOMPARE(exitCode(decided(Verdict::Ask, Check::Approval), {}), 75);
        QCOMPARE(exitCode(allow, failed(RunResult::Failure::Confinement, "Unshare")), 71);
        QCOMPARE(exitCode(allow, failed(RunResult::Failure::Plan, "no_user")), 71);
        QCOMPARE(exitCode(allow, failed(RunResult::Failure::Record, "full")), 74);
    }

    void a_refusal_has_four_lines_in_order()
    {
        decision::ExecRequest request;
        request.id = "the-id";
        decision::Decision denied = decided(Verdict::Deny, Check::DenyRules);
        denied.group = Group::DataExfiltration;
        denied.title = "Download into shell";
        denied.reason = "Because.";
        denied.advice = "Do that.";
        QCOMPARE(
            reportLines(request, denied, {}),
            std::string(
                "denied: Download into shell (data exfiltration)\nwhy: Because.\ninstead: Do that.\nid: the-id\n"));
    }

    void a_failed_confinement_names_step_path_and_error()
    {
        RunResult result = failed(RunResult::Failure::Confinement, "mount_root");
        result.errnoValue = EACCES;
        result.path = "/x";
        const std::string lines = reportLines({}, decided(Verdict::Allow), result);
        QVERIFY2(lines.starts_with("failed: ") && lines.contains("mount_root") && lines.contains("/x")
                     && lines.contains("Permission denied"),
                 lines.c_str());
    }

    void an_ordinary_end_says_nothing()
    {
        QCOMPARE(reportLines({}, decided(Verdict::Allow), ended(Outcome::Exited, 0)), std::string());
    }

    void the_result_object_has_nulls_where_nothing_is_known()
    {
        const auto object = QJsonDocument::fromJson(QByteArray::fromStdString(resultJson({}, decided(Verdict::Allow),
                                                                                         ended(Outcome::Exited, 3))))
                                .object();
        QCOMPARE(object.value(QStringLiteral("exit")).toInt(), 3);
        QVERIFY(object.value(QStringLiteral("signal")).isNull());
        QVERIFY(object.value(QStringLiteral("rule")).isNull());
        QCOMPARE(object.value(QStringLiteral("outcome")).toString(), QStringLiteral("exited"));
    }
};

QTEST_GUILESS_MAIN(TstExecReport)
#include "tst_exec_report.moc"
