// SPDX-License-Identifier: Apache-2.0

// Guards that are started from programs with threads: for one that ends, and while others allocate memory.
//
// PORTCULLIS_SPAWNS makes the second one longer.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

#include <QThread>

#include <atomic>
#include <thread>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

/// Threads that take memory and give it back as long as it lives, so that at each moment one is likely to hold the
/// allocator's lock.
class MemoryLoad
{
public:
    MemoryLoad()
    {
        for (int i = 0; i < 2; ++i)
            m_threads.emplace_back([this] {
                std::vector<std::unique_ptr<char[]>> kept(64);
                for (std::size_t at = 0; !m_stop; ++at)
                    kept[at % kept.size()] = std::make_unique<char[]>(16 + at * 97 % 70'000);
            });
    }
    MemoryLoad(const MemoryLoad &) = delete;
    MemoryLoad &operator=(const MemoryLoad &) = delete;
    ~MemoryLoad()
    {
        m_stop = true;
        for (std::thread &thread : m_threads)
            thread.join();
    }

private:
    std::atomic<bool> m_stop = false;
    std::vector<std::thread> m_threads;
};

} // namespace

class TstSpawning : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    /// The parent-death signal follows the thread that starts a guard, so that is one which stays.
    void a_command_outlives_the_thread_that_asked_for_it_data() { addWalls(); }
    void a_command_outlives_the_thread_that_asked_for_it()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const auto plan = tenancy.plan(walls, "touch started; until [ -e go ]; do sleep 0.05; done; exit 7");
        QThread permanent;
        auto process = std::make_unique<confinement::GuardProcess>(tenancy.guard());
        process->moveToThread(&permanent);
        permanent.start();
        std::atomic<bool> finished = false;
        confinement::RunOutcome outcome;
        connect(process.get(), &confinement::GuardProcess::finished, process.get(), [&](const auto &result) {
            outcome = result;
            finished = true;
        });
        std::thread asking([&] { QMetaObject::invokeMethod(process.get(), [&] { process->start(plan); }); });
        asking.join();
        QTRY_VERIFY_WITH_TIMEOUT(finished || QFile::exists(tenancy.workspace() + u"/started"_s), patience);
        tenancy.fileAt(u"workspace/tenants/acme/go"_s, {});
        QTRY_VERIFY_WITH_TIMEOUT(finished, patience);
        QMetaObject::invokeMethod(process.get(), [&] { process.reset(); }, Qt::BlockingQueuedConnection);
        permanent.quit();
        permanent.wait();
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 7, describe(outcome).constData());
    }

    void every_run_starts_while_other_threads_allocate_data() { addBothWalls(); }
    void every_run_starts_while_other_threads_allocate()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const plan::ExecPlan plan = tenancy.plan(walls, "exit 3");
        const int spawns = std::max(qEnvironmentVariableIntValue("PORTCULLIS_SPAWNS"), 25);
        const MemoryLoad load;
        for (int i = 0; i < spawns; ++i) {
            const auto outcome = runPlan(tenancy, plan);
            QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode == 3, describe(outcome).constData());
        }
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstSpawning)
#include "tst_spawning.moc"
