// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/leftovers.h"
#include "runner/confinement/run_mark.h"
#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/processes.h"
#include "tests/support/two_users.h"

#include <QSignalSpy>

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

class TstLifetime : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_time_limit_ends_everything_that_the_command_started_data() { addWalls(); }
    void the_time_limit_ends_everything_that_the_command_started()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        plan::ExecPlan plan = tenancy.plan(
            walls, "setsid sleep @ & (setsid setsid sleep @ &) ; echo up; setsid -w sleep @"_ba.replace("@", mark));
        plan.timeoutSeconds = 2;
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::TimedOut, describe(outcome).constData());
        QCOMPARE(out(outcome), QByteArray("up\n"));
        QCOMPARE(processesWith(mark), QList<pid_t>());
    }

    void what_ignores_the_polite_signal_is_killed_after_the_grace_period_data() { addWalls(); }
    void what_ignores_the_polite_signal_is_killed_after_the_grace_period()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        plan::ExecPlan plan = tenancy.plan(walls, "trap '' TERM INT; while :; do sleep @; done"_ba.replace("@", mark));
        plan.timeoutSeconds = 2;
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::TimedOut, describe(outcome).constData());
        QCOMPARE(outcome.signal, SIGKILL);
        QVERIFY(has(outcome, confinement::RunNote::Kind::KillForced));
        QCOMPARE(processesWith(mark), QList<pid_t>());
    }

    void a_stopped_command_still_gets_the_polite_signal_data() { addWalls(); }
    void a_stopped_command_still_gets_the_polite_signal()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, "kill -STOP $$; sleep 100");
        plan.timeoutSeconds = 2;
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::TimedOut && outcome.signal == SIGTERM, describe(outcome).constData());
        QVERIFY(!has(outcome, confinement::RunNote::Kind::KillForced));
    }

    void cancelling_ends_the_run_data() { addWalls(); }
    void cancelling_ends_the_run()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        const plan::ExecPlan plan = tenancy.plan(walls, "setsid sleep @ & sleep @"_ba.replace("@", mark));
        const auto outcome = runPlan(tenancy, plan, [](confinement::GuardProcess &process) { process.cancel(); });
        QVERIFY2(outcome.outcome == Outcome::Cancelled, describe(outcome).constData());
        QCOMPARE(processesWith(mark), QList<pid_t>());
    }

    void cancelling_before_the_start_or_after_the_end_is_harmless()
    {
        const Tenancy tenancy;
        confinement::GuardProcess process(tenancy.guard());
        process.cancel();
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        process.start(tenancy.plan(Walls::LandlockAlone, "true"));
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        process.cancel();
        QTest::qWait(0);
        QCOMPARE(finished.count(), 1);
    }

    void background_processes_do_not_outlive_the_command_data() { addWalls(); }
    void background_processes_do_not_outlive_the_command()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        for (const char *command :
             {"sleep @ & echo started", "setsid sleep @ & echo started", "sleep @ </dev/null >/dev/null & echo started",
              "(setsid setsid sleep @ &); echo started"}) {
            const auto outcome = runPlan(tenancy, tenancy.plan(walls, QByteArray(command).replace("@", mark)));
            QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 0, describe(outcome).constData());
            QCOMPARE(out(outcome), QByteArray("started\n"));
            QVERIFY(has(outcome, confinement::RunNote::Kind::BackgroundKilled));
            QVERIFY2(outcome.duration < std::chrono::seconds(30), "it waited for the background process");
            QCOMPARE(processesWith(mark), QList<pid_t>());
        }
    }

    void a_command_without_background_has_no_note_data() { addWalls(); }
    void a_command_without_background_has_no_note()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, "sleep 0 & wait; true"));
        QVERIFY2(!has(outcome, confinement::RunNote::Kind::BackgroundKilled), describe(outcome).constData());
    }

    void killing_the_guard_kills_the_command_data() { addWalls(); }
    void killing_the_guard_kills_the_command()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        confinement::GuardProcess process(tenancy.guard());
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        confinement::RunOutcome outcome;
        connect(&process, &confinement::GuardProcess::finished, this, [&](const auto &result) { outcome = result; });
        process.start(tenancy.plan(walls, "setsid sleep @ & (setsid setsid sleep @ &); sleep @"_ba.replace("@", mark)));
        QVERIFY(comeToRun(mark, 3));
        QVERIFY(guardOf(::getpid()) > 0);
        ::kill(guardOf(::getpid()), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        // The first process of the view may still see its command die, and tell, before it dies itself.
        const bool told = outcome.outcome == Outcome::Signalled && outcome.signal == SIGKILL;
        const bool lost =
            outcome.outcome == Outcome::Unfinished && outcome.failure && outcome.failure->step == wire::Step::GuardLost;
        QVERIFY2(told || lost, describe(outcome).constData());
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), QList<pid_t>(), patience);
    }

    /// Such a process shows the state of a dead one as long as its other threads run.
    void killing_the_guard_kills_a_process_whose_first_thread_has_ended_data() { addWalls(); }
    void killing_the_guard_kills_a_process_whose_first_thread_has_ended()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray fifo = QFile::encodeName(tenancy.path("workspace/tenants/acme/held"));
        QCOMPARE(::mkfifo(fifo.constData(), 0600), 0);
        tenancy.own(QFile::decodeName(fifo));
        const confinement::UniqueFd held(::open(fifo.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        const auto state = [&] {
            pollfd watched{held.get(), POLLIN, 0};
            return ::poll(&watched, 1, 0) > 0 ? watched.revents : short{0};
        };
        confinement::GuardProcess process(tenancy.guard());
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        process.start(tenancy.plan(walls,
                                   QByteArray("/usr/bin/python3")
                                       + " -c '\nimport ctypes, os, threading, time\n"
                                         "def work():\n"
                                         "  held = os.open(\"held\", os.O_WRONLY)\n"
                                         "  time.sleep(0.2)\n"
                                         "  os.write(held, b\"x\")\n"
                                         "  time.sleep(600)\n"
                                         "threading.Thread(target=work).start()\n"
                                         "ctypes.CDLL(None).syscall("
                                       + QByteArray::number(SYS_exit) + ", 0)'; sleep 600"));
        QTRY_VERIFY_WITH_TIMEOUT((state() & POLLIN) != 0, patience);
        QVERIFY(guardOf(::getpid()) > 0);
        ::kill(guardOf(::getpid()), SIGKILL);
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        QTRY_VERIFY_WITH_TIMEOUT((state() & POLLHUP) != 0, patience); // nobody can write to it any more
    }

    void dropping_the_run_kills_the_command_data() { addWalls(); }
    void dropping_the_run_kills_the_command()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        {
            confinement::GuardProcess process(tenancy.guard());
            process.start(tenancy.plan(walls, "setsid sleep @ & sleep @"_ba.replace("@", mark)));
            QVERIFY(comeToRun(mark, 3));
        }
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), QList<pid_t>(), patience);
    }

    void killing_the_runner_kills_the_command_data() { addWalls(); }
    void killing_the_runner_kills_the_command()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        const pid_t runner = forkRunner(tenancy, tenancy.plan(walls, "setsid sleep @ & sleep @"_ba.replace("@", mark)));
        QVERIFY(comeToRun(mark, 3));
        ::kill(runner, SIGKILL);
        ::waitpid(runner, nullptr, 0);
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), QList<pid_t>(), patience);
    }

    /// With Landlock alone nothing ends what a killed guard of a killed runner leaves; the next start finds it.
    void what_both_dead_leave_is_found_by_its_run_data()
    {
        QTest::addColumn<QByteArray>("command");
        QTest::newRow("as it was started") << "setsid sleep @ & sleep @"_ba;
        QTest::newRow("without an environment") << "env -i setsid sleep @ & env -i sleep @"_ba;
        QTest::newRow("with another run's id") << "PORTCULLIS_RUN=x setsid sleep @ & PORTCULLIS_RUN= sleep @"_ba;
        QTest::newRow("with other limits")
            << "(ulimit -x 5; ulimit -S -x 5; env -i setsid sleep @) & env -i sleep @"_ba;
    }
    void what_both_dead_leave_is_found_by_its_run()
    {
        QFETCH(QByteArray, command);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        const auto before = std::chrono::system_clock::now();
        const plan::ExecPlan plan = tenancy.plan(Walls::LandlockAlone, command.replace("@", mark));
        const pid_t runner = forkRunner(tenancy, plan);
        QTRY_VERIFY_WITH_TIMEOUT(sleepersWith(mark) == 2, patience);
        const pid_t guard = parentOfSession(processesWith(mark), runner);
        QVERIFY(guard > 0);
        ::kill(guard, SIGSTOP);
        ::kill(runner, SIGKILL);
        ::waitpid(runner, nullptr, 0);
        ::kill(guard, SIGKILL);
        QTRY_VERIFY_WITH_TIMEOUT(isGone(guard), patience);
        QVERIFY(!processesWith(mark).isEmpty());
        QCOMPARE(confinement::sweepLeftovers("another-run", before), 0);
        QCOMPARE(confinement::sweepLeftovers(plan.id, std::chrono::system_clock::now() + std::chrono::hours(1)), 0);
        QVERIFY(confinement::sweepLeftovers(plan.id, before) > 0);
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), QList<pid_t>(), patience);
        while (::waitpid(-1, nullptr, WNOHANG) > 0) { } // we adopted the dead
    }

    void processes_of_others_are_left_alone()
    {
        const Tenancy tenancy;
        const plan::ExecPlan plan = tenancy.plan(Walls::LandlockAlone, "true");
        const pid_t other = ::fork();
        if (other == 0) { // as the command of another run, or anybody with a limit of their own
            confinement::takeMark(confinement::markFor("another run"));
            ::pause();
            ::_exit(0);
        }
        QTRY_VERIFY_WITH_TIMEOUT(confinement::markOf(other) == confinement::markFor("another run"), patience);
        QCOMPARE(confinement::sweepLeftovers(plan.id), 0);
        QCOMPARE(confinement::sweepLeftovers("another run"), 1);
        int status = 0;
        QCOMPARE(::waitpid(other, &status, 0), other);
        QVERIFY(WIFSIGNALED(status));
    }

    void no_command_can_change_its_mark_data() { addWalls(); }
    void no_command_can_change_its_mark()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const plan::ExecPlan plan = tenancy.plan(walls,
                                                 "ulimit -x 5; ulimit -S -x 5; prlimit --locks=5 true 2>/dev/null; "
                                                 "ulimit -n 20 && ulimit -n; env -i bash -c 'ulimit -x; ulimit -H -x'");
        const auto outcome = runPlan(tenancy, plan);
        const QByteArray value = QByteArray::number(confinement::markFor(plan.id));
        QCOMPARE(out(outcome), "20\n" + value + "\n" + value + "\n");
    }

    void a_fork_bomb_is_bounded_and_ends_with_the_run_data() { addWalls(); }
    void a_fork_bomb_is_bounded_and_ends_with_the_run()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const QByteArray mark = newMark();
        plan::ExecPlan plan = tenancy.plan(walls, "while :; do sleep @ & done"_ba.replace("@", mark));
        plan.limits.processes = 40;
        struct sysinfo machine{};
        QCOMPARE(::sysinfo(&machine), 0);
        const bool counted = walls == Walls::Both && ::geteuid() != 0; // in a user namespace of their own
        constexpr int others = 64; // that start on this machine before the guard counts
        const int most = counted ? 40 : 4 * 40 + machine.procs + others;
        qsizetype seen = 0;
        const auto outcome = runPlan(tenancy, plan, [&](confinement::GuardProcess &process) {
            connect(&process, &confinement::GuardProcess::output, &process, [&](auto, const QByteArray &bytes) {
                if (!bytes.contains("fork"))
                    return; // "fork: retry: Resource temporarily unavailable"
                seen = std::max(seen, processesWith(mark).size()); // more output may come after the end
                process.cancel();
            });
        });
        QVERIFY2(outcome.outcome == Outcome::Cancelled, describe(outcome).constData());
        QVERIFY2(seen > 30 && seen <= most + 2, QByteArray::number(seen).constData());
        QTRY_COMPARE_WITH_TIMEOUT(processesWith(mark), QList<pid_t>(), patience);
    }

    void fifty_runs_at_once_all_end_as_they_should_data() { addWalls(); }
    void fifty_runs_at_once_all_end_as_they_should()
    {
        QFETCH(Walls, walls);
        constexpr int runs = 50;
        const Tenancy tenancy;
        std::vector<std::unique_ptr<confinement::GuardProcess>> processes;
        int good = 0;
        int finished = 0;
        for (int i = 0; i < runs; ++i) {
            auto process = std::make_unique<confinement::GuardProcess>(tenancy.guard());
            connect(process.get(), &confinement::GuardProcess::finished, this, [&, i](const auto &outcome) {
                ++finished;
                if (outcome.outcome == Outcome::Exited && outcome.exitCode == i
                    && out(outcome) == QByteArray::number(i) + "\n")
                    ++good;
                else
                    qWarning("%s", describe(outcome).constData());
            });
            process->start(tenancy.plan(walls, "echo I; exit I"_ba.replace("I", QByteArray::number(i))));
            processes.push_back(std::move(process));
        }
        QTRY_COMPARE_WITH_TIMEOUT(finished, runs, patience);
        QCOMPARE(good, runs);
    }

private:
    static int sleepersWith(const QByteArray &mark)
    {
        int count = 0;
        for (const pid_t pid : processesWith(mark))
            count += contents(QStringLiteral("/proc/%1/comm").arg(pid)) == "sleep\n" ? 1 : 0;
        return count;
    }

    /// A runner of its own: only the guard's start and an event loop.
    static pid_t forkRunner(const Tenancy &tenancy, const plan::ExecPlan &plan)
    {
        const pid_t pid = ::fork();
        if (pid != 0)
            return pid;
        confinement::adoptOrphans();
        runPlan(tenancy, plan);
        ::_exit(0);
    }

    /// The guard: the ancestor of the processes whose parent is the runner.
    static pid_t parentOfSession(const QList<pid_t> &processes, pid_t runner)
    {
        for (pid_t pid : processes) {
            while (pid > 1) {
                const pid_t parent = statOf(pid).value(1).toInt();
                if (parent == runner)
                    return pid;
                pid = parent;
            }
        }
        return 0;
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstLifetime)
#include "tst_lifetime.moc"
