// SPDX-License-Identifier: Apache-2.0

// Guards that are started while other threads of the program allocate memory.
//
// PORTCULLIS_SPAWNS makes it longer.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

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
