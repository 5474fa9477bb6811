// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/guard_launch.h"
#include "runner/confinement/plan_opener.h"
#include "runner/confinement/probe.h"
#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/refuse_calls.h"
#include "tests/support/two_users.h"

#include <QProcess>
#include <QSignalSpy>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;
using confinement::ProbeAnswer;

class TstRuns : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Outcomes

    void exit_codes_and_signals_are_told_apart_data() { addWalls(); }
    void exit_codes_and_signals_are_told_apart()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        for (const int code : {0, 1, 126, 255}) {
            const auto outcome = runPlan(tenancy, tenancy.plan(walls, "exit " + QByteArray::number(code)));
            QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == code, describe(outcome).constData());
        }
        for (const int signal : {SIGSEGV, SIGKILL, SIGPIPE}) {
            const auto outcome = runPlan(tenancy, tenancy.plan(walls, "kill -" + QByteArray::number(signal) + " $$"));
            QVERIFY2(outcome.outcome == Outcome::Signalled && outcome.signal == signal, describe(outcome).constData());
        }
    }

    void a_closed_pipe_ends_its_writer_silently()
    {
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(Walls::LandlockAlone, "yes | head -n1"));
        QCOMPARE(out(outcome), "y\n"_ba);
        QCOMPARE(err(outcome), ""_ba);
    }

    // Output

    void bytes_come_through_unchanged_and_streams_stay_apart_data() { addWalls(); }
    void bytes_come_through_unchanged_and_streams_stay_apart()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const auto outcome =
            runPlan(tenancy, tenancy.plan(walls, "printf 'a\\0b\\377\\200\\342\\202'; printf 'e\\r\\n' >&2"));
        QCOMPARE(out(outcome), QByteArray("a\0b\377\200\342\202", 7));
        QCOMPARE(err(outcome), "e\r\n"_ba);
    }

    void much_output_is_bounded_and_its_end_is_kept()
    {
        const Tenancy tenancy;
        constexpr std::uint64_t much = 200 << 20;
        const auto outcome = runPlan(tenancy,
                                     tenancy.plan(Walls::LandlockAlone,
                                                  "printf 'FIRST'; head -c 209715190 /dev/zero; printf 'LAST_'; "
                                                  "head -c 209715200 /dev/zero >&2"));
        QVERIFY(out(outcome).startsWith("FIRST"_ba + QByteArray(1, '\0')));
        QVERIFY(out(outcome).endsWith(QByteArray(1, '\0') + "LAST_"));
        for (const confinement::OutputCapture *stream : {&outcome.standardOutput, &outcome.standardError}) {
            QCOMPARE(stream->kept().size(),
                     confinement::OutputCapture::headLimit + confinement::OutputCapture::tailLimit);
            QCOMPARE(stream->total(), much);
            QCOMPARE(stream->dropped(), much - (1 << 20));
        }
    }

    void output_is_streamed_while_the_command_runs()
    {
        const Tenancy tenancy;
        confinement::GuardProcess process(tenancy.guard());
        QByteArray seen;
        bool finished = false;
        connect(&process, &confinement::GuardProcess::output, this, [&](auto, const QByteArray &bytes) {
            seen += bytes;
            QVERIFY(!finished);
        });
        connect(&process, &confinement::GuardProcess::finished, this, [&] { finished = true; });
        process.start(
            tenancy.plan(Walls::LandlockAlone, "echo early; until [ -e go ]; do sleep 0.05; done; echo late"));
        QTRY_COMPARE_WITH_TIMEOUT(seen, "early\n"_ba, patience);
        QVERIFY(!finished);
        tenancy.fileAt(QStringLiteral("workspace/tenants/acme/go"), {});
        QTRY_VERIFY_WITH_TIMEOUT(finished, patience);
        QCOMPARE(seen, "early\nlate\n"_ba);
    }

    void a_stream_that_is_held_from_outside_does_not_hang_the_run()
    {
        const Tenancy tenancy;
        confinement::GuardProcess process(tenancy.guard());
        QByteArray seen;
        confinement::RunOutcome outcome;
        connect(&process, &confinement::GuardProcess::output, this,
                [&](auto, const QByteArray &bytes) { seen += bytes; });
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        connect(&process, &confinement::GuardProcess::finished, this, [&](const auto &result) { outcome = result; });
        process.start(tenancy.plan(Walls::LandlockAlone, "echo $$; until [ -e go ]; do sleep 0.05; done; echo end"));
        QTRY_VERIFY_WITH_TIMEOUT(seen.endsWith('\n'), patience);
        const QByteArray pipe = "/proc/" + seen.trimmed() + "/fd/1";
        const confinement::UniqueFd held(::open(pipe.constData(), O_WRONLY | O_CLOEXEC));
        QVERIFY(held);
        tenancy.fileAt(QStringLiteral("workspace/tenants/acme/go"), {});
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        QVERIFY(seen.endsWith("end\n"));
        QCOMPARE(outcome.outcome, Outcome::Exited);
        QVERIFY(has(outcome, confinement::RunNote::Kind::OutputCut));
    }

    void standard_input_is_empty_unless_it_is_given_data() { addWalls(); }
    void standard_input_is_empty_unless_it_is_given()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, "cat; echo end");
        QCOMPARE(out(runPlan(tenancy, plan)), "end\n"_ba);
        plan.standardInput = true;
        int ends[2] = {-1, -1};
        QCOMPARE(pipe2(ends, O_CLOEXEC), 0);
        confinement::UniqueFd reading(ends[0]);
        confinement::UniqueFd writing(ends[1]);
        QCOMPARE(write(writing.get(), "given\n", 6), 6);
        writing.reset();
        confinement::GuardProcess process(tenancy.guard());
        QByteArray seen;
        connect(&process, &confinement::GuardProcess::output, this,
                [&](auto, const QByteArray &bytes) { seen += bytes; });
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        process.start(plan, std::move(reading));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        QCOMPARE(seen, "given\nend\n"_ba);
    }

    // Limits

    void limits_hold_data() { addWalls(); }
    void limits_hold()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls,
                                           "ulimit -n; ulimit -c; ulimit -d; ulimit -f; cat /proc/self/oom_score_adj; "
                                           "head -c 2000000 /dev/zero > big");
        plan.limits = {.processes = 100, .openFiles = 77, .fileBytes = 1'048'576, .dataBytes = 512LL << 20};
        const auto outcome = runPlan(tenancy, plan);
        // bash shows 512-byte units for -c in POSIX mode only; a limit of one byte shows as 0 blocks.
        QCOMPARE(out(outcome), "77\n0\n524288\n1024\n500\n"_ba);
        QCOMPARE(QFileInfo(tenancy.workspace() + QStringLiteral("/big")).size(), 1'048'576);
    }

    // What does not start

    void root_is_refused_data() { addWalls(); }
    void root_is_refused()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, "id");
        plan.uid = 0;
        verifyNotStarted(runPlan(tenancy, plan), wire::Step::RefuseRoot, EPERM);
    }

    void the_guard_itself_refuses_root()
    {
        const Tenancy tenancy;
        auto opened = confinement::openPlan(tenancy.plan(Walls::None, "id"));
        QVERIFY(opened);
        opened->plan.uid = 0;
        const auto report = speak(tenancy, opened->plan);
        QVERIFY(report);
        QCOMPARE(report->kind, wire::Report::Failed);
        QCOMPARE(report->step, wire::Step::RefuseRoot);
    }

    void the_guard_refuses_a_view_without_the_other_wall()
    {
        const Tenancy tenancy;
        auto opened = confinement::openPlan(tenancy.plan(Walls::None, "id"));
        QVERIFY(opened);
        opened->plan.view = true;
        const auto report = speak(tenancy, opened->plan);
        QVERIFY(report);
        QCOMPARE(report->step, wire::Step::ReceivePlan);
    }

    void a_path_that_was_exchanged_after_it_was_verified_is_refused_data() { addBothWalls(); }
    void a_path_that_was_exchanged_after_it_was_verified_is_refused()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        auto opened = confinement::openPlan(tenancy.plan(walls, "true"));
        QVERIFY(opened);
        for (wire::GuardGrant &grant : opened->plan.grants) {
            if (grant.path == "/usr")
                grant.inode += 1;
        }
        const auto report = speak(tenancy, opened->plan);
        QVERIFY(report);
        QCOMPARE(report->step, wire::Step::CompareGrant);
        QCOMPARE(report->path, std::string("/usr"));
    }

    void a_system_path_that_has_gone_since_is_one_grant_less_data() { addBothWalls(); }
    void a_system_path_that_has_gone_since_is_one_grant_less()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        auto opened = confinement::openPlan(tenancy.plan(walls, "true"));
        QVERIFY(opened);
        for (wire::GuardGrant &grant : opened->plan.grants) {
            if (grant.path == "/etc/hosts")
                grant.path = grant.target = "/etc/hosts-gone";
        }
        opened->plan.cwdFd = 0; // the descriptors that `speak` sends lead to the root
        auto report = speak(tenancy, opened->plan);
        QVERIFY(report);
        QCOMPARE(report->kind, wire::Report::Starting);
        // What belongs to the tenant must still be there.
        const auto own = std::ranges::find_if(opened->plan.grants, [](const auto &grant) { return grant.fd > 0; });
        own->path += "-gone";
        report = speak(tenancy, opened->plan);
        QVERIFY(report);
        if (walls == Walls::Both)
            QCOMPARE(report->step, wire::Step::ReopenGrant);
    }

    void another_user_is_refused_when_we_cannot_become_it()
    {
        if (::geteuid() == 0)
            QSKIP("root can become anybody");
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(Walls::LandlockAlone, "id");
        plan.uid += 1;
        verifyNotStarted(runPlan(tenancy, plan), wire::Step::SwitchUser, EPERM);
    }

    void a_missing_shell_is_said_with_its_path_data() { addWalls(); }
    void a_missing_shell_is_said_with_its_path()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, "true");
        plan.argv.front() = "/usr/bin/no-such-shell";
        const auto outcome = runPlan(tenancy, plan);
        verifyNotStarted(outcome, wire::Step::Execute, ENOENT);
        QCOMPARE(outcome.failure->path, plan.argv.front());
    }

    void a_missing_grant_stops_the_run_unless_it_is_optional()
    {
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(Walls::LandlockAlone, "true");
        plan.grants.push_back({.path = "/no/such/folder", .optional = true});
        const auto outcome = runPlan(tenancy, plan);
        QCOMPARE(outcome.exitCode, 0);
        QVERIFY(has(outcome, confinement::RunNote::Kind::GrantSkipped));
        plan.grants.back().optional = false;
        verifyNotStarted(runPlan(tenancy, plan), wire::Step::OpenGrant, ENOENT);
    }

    void a_working_directory_outside_the_grants_is_refused_data() { addBothWalls(); }
    void a_working_directory_outside_the_grants_is_refused()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, "true");
        plan.cwd = text(tenancy.path("workspace/tenants/globex"));
        verifyNotStarted(runPlan(tenancy, plan), wire::Step::OpenWorkingDirectory, EACCES);
        QVERIFY(QFile::link(tenancy.path("workspace/tenants/globex"), tenancy.workspace() + QStringLiteral("/link")));
        plan.cwd = text(tenancy.workspace() + QStringLiteral("/link"));
        verifyNotStarted(runPlan(tenancy, plan), wire::Step::OpenWorkingDirectory, ELOOP);
    }

    void a_missing_guard_is_said_once()
    {
        const Tenancy tenancy;
        const confinement::GuardLocation guard = tenancy.guard();
        QVERIFY(QFile::remove(tenancy.path("portcullis-guard")));
        confinement::GuardProcess process(guard);
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        confinement::RunOutcome outcome;
        connect(&process, &confinement::GuardProcess::finished, this, [&](const auto &result) { outcome = result; });
        process.start(tenancy.plan(Walls::LandlockAlone, "true"));
        QCOMPARE(finished.count(), 0); // never from within
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        verifyNotStarted(outcome, wire::Step::SpawnGuard, ENOENT);
    }

    void a_guard_that_others_can_write_is_not_used()
    {
        const Tenancy tenancy;
        ::chmod(text(tenancy.path("portcullis-guard")).c_str(), 0757);
        const auto found = confinement::GuardLocation::find(text(QFileInfo(tenancy.path("portcullis-guard")).path()));
        QVERIFY(!found);
        QCOMPARE(found.error().errorNumber, EPERM);
    }

    void a_program_that_is_no_guard_is_not_believed()
    {
        const Tenancy tenancy;
        QVERIFY(QFile::remove(tenancy.path("portcullis-guard")));
        QVERIFY(QFile::copy(QStringLiteral("/bin/true"), tenancy.path("portcullis-guard")));
        const auto outcome = runPlan(tenancy, tenancy.plan(Walls::LandlockAlone, "true"));
        // It ends without a word, before or after the plan has been sent.
        QVERIFY2(outcome.failure, describe(outcome).constData());
        if (outcome.failure->step == wire::Step::SendPlan)
            verifyNotStarted(outcome, wire::Step::SendPlan, EPIPE);
        else
            verifyNotStarted(outcome, wire::Step::GuardLost, EPROTO);
    }

    void of_a_guard_that_died_while_it_started_the_command_nobody_knows_data()
    {
        QTest::addColumn<bool>("says");
        QTest::addColumn<QByteArray>("ends");
        QTest::newRow("killed before it said that it starts it") << false << QByteArray("kill -9 $$");
        QTest::newRow("killed after it") << true << QByteArray("kill -9 $$");
        QTest::newRow("ended after it") << true << QByteArray("exit 1");
    }
    void of_a_guard_that_died_while_it_started_the_command_nobody_knows()
    {
        QFETCH(bool, says);
        QFETCH(QByteArray, ends);
        const Tenancy tenancy;
        wire::GuardReport report;
        report.kind = wire::Report::Starting;
        tenancy.fileAt(QStringLiteral("report"), QByteArray::fromStdString(wire::encode(report)));
        tenancy.fileAt(QStringLiteral("portcullis-guard"),
                       "#!/bin/bash\n"
                       "PATH=/usr/bin:/bin\n"
                       "dd bs=64K count=1 <&3 >/dev/null 2>&1\n"
                           + (says ? "cat " + QFile::encodeName(tenancy.path("report")) + " >&3\n" : QByteArray())
                           + ends + '\n');
        ::chmod(text(tenancy.path("portcullis-guard")).c_str(), 0755);
        const auto outcome = runPlan(tenancy, tenancy.plan(Walls::LandlockAlone, "true"));
        QVERIFY2(outcome.outcome == (says ? Outcome::Unfinished : Outcome::NotStarted), describe(outcome).constData());
        QVERIFY2(outcome.failure && outcome.failure->step == wire::Step::GuardLost, describe(outcome).constData());
    }

    void the_guard_says_that_it_is_not_for_hands()
    {
        QProcess process;
        process.start(QStringLiteral(TEST_BIN_DIR "/portcullis-guard"), QStringList());
        if (!process.waitForFinished() && process.error() == QProcess::FailedToStart)
            QSKIP("the build folder is not readable for this user");
        QCOMPARE(process.exitCode(), 64);
    }

    void where_namespaces_are_refused_landlock_alone_still_works()
    {
        inChild([&] {
            if (!refuseNamespaces())
                return 10;
            const Tenancy tenancy;
            const auto both = runPlan(tenancy, tenancy.plan(Walls::Both, "true"));
            if (both.outcome != Outcome::NotStarted || both.failure->step != wire::Step::Unshare
                || both.failure->errorNumber != EPERM)
                return 11;
            const auto alone = runPlan(tenancy, tenancy.plan(Walls::LandlockAlone, "cat $T/own.txt && ! cat $FOREIGN"));
            return alone.outcome == Outcome::Exited && alone.exitCode == 0 ? 0 : 12;
        });
    }

    void the_probe_names_the_step_that_this_machine_refuses()
    {
        inChild([&] {
            const Tenancy tenancy;
            const auto before = probe(tenancy);
            if (before.view != ProbeAnswer::Works || before.alone != ProbeAnswer::Works || before.viewFailure)
                return 10;
            if (!refuseNamespaces())
                return 11;
            const auto after = probe(tenancy);
            if (after.view != ProbeAnswer::Refused || after.alone != ProbeAnswer::Works)
                return 12;
            return after.viewFailure && after.viewFailure->step == wire::Step::Unshare ? 0 : 13;
        });
    }

private:
    static void verifyNotStarted(const confinement::RunOutcome &outcome, wire::Step step, int error)
    {
        QVERIFY2(outcome.outcome == Outcome::NotStarted && outcome.failure, describe(outcome).constData());
        QVERIFY2(outcome.failure->step == step && outcome.failure->errorNumber == error, describe(outcome).constData());
        QVERIFY(out(outcome).isEmpty());
    }

    /// Starts a guard and gives it a plan that the runner would not make; its first report.
    static std::optional<wire::GuardReport> speak(const Tenancy &tenancy, const wire::GuardPlan &plan)
    {
        auto launched = confinement::launchGuard(tenancy.guard(), -1);
        if (!launched)
            return std::nullopt;
        const std::string bytes = wire::encode(plan);
        std::vector<confinement::UniqueFd> fds;
        fds.emplace_back(memfd_create("plan", MFD_CLOEXEC));
        if (::write(fds.front().get(), bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
            return std::nullopt;
        for (int i = 0; i < 5; ++i) // the numbers in the plan shall be in range
            fds.emplace_back(::open("/", O_PATH | O_CLOEXEC));
        confinement::PlanSender sender(std::move(fds));
        if (sender.send(launched->control.get()) != confinement::Sent::Everything)
            return std::nullopt;
        fcntl(launched->control.get(), F_SETFL, 0); // wait for the answer
        std::string answer(4096, '\0');
        const ssize_t got = ::recv(launched->control.get(), answer.data(), answer.size(), 0);
        ::waitpid(launched->pid, nullptr, 0);
        return wire::decodeReport(
            std::string_view(answer).substr(0, static_cast<std::size_t>(std::max<ssize_t>(got, 0))));
    }

    static confinement::ProbeReport probe(const Tenancy &tenancy)
    {
        const bool root = ::geteuid() == 0;
        confinement::Probe probe(tenancy.guard(), root ? tenantUid : ::geteuid(), root ? tenantUid : ::getegid());
        confinement::ProbeReport report;
        QEventLoop loop;
        connect(&probe, &confinement::Probe::finished, &loop, [&](const auto &result) {
            report = result;
            loop.quit();
        });
        probe.start();
        loop.exec();
        return report;
    }

    /// Runs in a forked copy, because what it does to itself cannot be undone.
    template <class Code>
    static void inChild(Code code)
    {
        const pid_t pid = ::fork();
        if (pid == 0)
            ::_exit(code());
        int status = 0;
        ::waitpid(pid, &status, 0);
        QCOMPARE(WIFEXITED(status) ? WEXITSTATUS(status) : -1, 0);
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstRuns)
#include "tst_runs.moc"
