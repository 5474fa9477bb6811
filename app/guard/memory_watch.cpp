// SPDX-License-Identifier: Apache-2.0
#include "app/guard/memory_watch.h"

#include "app/guard/clock.h"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

/// Of the time at most one part in twenty goes into looking, as long as that leaves no second without a look.
int pauseAfter(std::uint64_t took)
{
    constexpr std::uint64_t leastMs = 100;
    constexpr std::uint64_t mostMs = 1000;
    constexpr std::uint64_t share = 20;
    return static_cast<int>(std::clamp(share * took, leastMs, mostMs));
}

} // namespace

MemoryWatch::MemoryWatch(MemoryUse use, std::uint64_t limit) : m_shared(std::make_shared<Shared>(std::move(use), limit))
{
}

bool MemoryWatch::start()
{
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return false;
    m_verdict.reset(ends[0]);
    m_shared->verdict.reset(ends[1]);
    auto handedOver = std::make_unique<std::shared_ptr<Shared>>(m_shared);
    pthread_t thread{};
    if (pthread_create(&thread, nullptr, lookAgainAndAgain, handedOver.get()) != 0) {
        m_verdict.reset();
        return false;
    }
    static_cast<void>(handedOver.release()); // the thread's now
    pthread_detach(thread);
    m_running = true;
    return true;
}

void *MemoryWatch::lookAgainAndAgain(void *shared)
{
    const std::unique_ptr<std::shared_ptr<Shared>> own(static_cast<std::shared_ptr<Shared> *>(shared));
    Shared &run = **own;
    for (;;) {
        const std::uint64_t start = nowMs();
        run.lookingSince = start;
        if (run.use.exceeds(run.limit))
            break;
        run.lookingSince = 0;
        poll(nullptr, 0, pauseAfter(nowMs() - start));
    }
    constexpr char exceeded = 1;
    [[maybe_unused]] const ssize_t written = write(run.verdict.get(), &exceeded, 1);
    return nullptr;
}

bool MemoryWatch::isStuck(std::uint64_t now) const
{
    constexpr std::uint64_t patienceMs = 10'000; // of a machine on which twenty others want to run
    const std::uint64_t since = m_shared->lookingSince;
    return since != 0 && now > since + patienceMs;
}

bool MemoryWatch::exceeds() const
{
    return m_shared->use.exceeds(m_shared->limit);
}

} // namespace portcullis::guard
