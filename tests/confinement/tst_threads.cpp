// SPDX-License-Identifier: Apache-2.0

// The parent-death signal follows the thread that started a process (PR_SET_PDEATHSIG(2const)), and threads of a pool
// come and go: a request may come from such a thread, a guard may not be started by it.

#include "tests/support/confined.h"
#include "tests/support/two_users.h"

#include <QSignalSpy>
#include <QThread>
#include <QThreadPool>

#include <atomic>

using namespace portcullis;
using namespace portcullis::test;

namespace {

/// Runs `work` in a thread of a pool; afterwards the kernel knows no such thread any more.
void inAThreadThatEnds(const std::function<void()> &work)
{
    std::atomic<pid_t> thread = 0;
    QThreadPool pool;
    pool.setExpiryTimeout(0);
    pool.start([&] {
        thread = gettid();
        work();
    });
    pool.waitForDone();
    pool.clear();
    const QString task = QStringLiteral("/proc/self/task/%1").arg(thread.load());
    QTRY_VERIFY_WITH_TIMEOUT(thread != 0 && !QFileInfo::exists(task), patience);
}

} // namespace

class TstThreads : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_command_outlives_the_thread_that_asked_for_it_data() { addBothWalls(); }
    void a_command_outlives_the_thread_that_asked_for_it()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan =
            tenancy.plan(walls, "echo up; until [ -e $W/go ]; do sleep 0.02; done; echo alive; exec sleep 600");
        plan.timeoutSeconds = 8;
        confinement::GuardProcess process(tenancy.guard());
        QByteArray output;
        confinement::RunOutcome outcome;
        connect(&process, &confinement::GuardProcess::output, this,
                [&](auto, const QByteArray &bytes) { output += bytes; });
        connect(&process, &confinement::GuardProcess::finished, this, [&](const auto &end) { outcome = end; });
        QSignalSpy finished(&process, &confinement::GuardProcess::finished);
        inAThreadThatEnds([&] {
            // As a request to the engine: it is queued for the permanent thread, here the main one.
            QMetaObject::invokeMethod(&process, [&] { process.start(plan); }, Qt::QueuedConnection);
        });
        QTRY_COMPARE_WITH_TIMEOUT(output, QByteArray("up\n"), patience);
        // Another thread passes by while the command runs.
        inAThreadThatEnds([&] {
            QMetaObject::invokeMethod(
                &process, [&] { tenancy.fileAt(QStringLiteral("workspace/tenants/acme/go"), {}); },
                Qt::QueuedConnection);
        });
        QTRY_COMPARE_WITH_TIMEOUT(output, QByteArray("up\nalive\n"), patience);
        QVERIFY(process.isRunning());
        QTRY_COMPARE_WITH_TIMEOUT(finished.count(), 1, patience);
        QVERIFY2(outcome.outcome == Outcome::TimedOut, describe(outcome).constData());
    }

    /// What the test above would see if the guard were a child of the thread that asks.
    void a_guard_that_a_passing_thread_starts_ends_with_that_thread()
    {
        const Tenancy tenancy;
        const plan::ExecPlan plan = tenancy.plan(
            Walls::Both, "trap 'echo polite' TERM; echo x > $W/up; while :; do echo x > $W/beat; sleep 0.02; done");
        confinement::GuardProcess *process = nullptr;
        inAThreadThatEnds([&] {
            process = new confinement::GuardProcess(tenancy.guard()); // stays: its end would kill the guard as well
            QEventLoop loop;
            connect(process, &confinement::GuardProcess::started, &loop, &QEventLoop::quit);
            connect(process, &confinement::GuardProcess::finished, &loop, &QEventLoop::quit);
            process->start(plan);
            loop.exec();
        });
        QVERIFY(process->isRunning()); // nobody has told it
        const QString beat = tenancy.path("workspace/tenants/acme/beat");
        const auto isQuiet = [&] {
            QFile::remove(beat);
            QThread::msleep(200);
            return !QFile::exists(beat);
        };
        QTRY_VERIFY_WITH_TIMEOUT(isQuiet(), patience);
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstThreads)
#include "tst_threads.moc"
