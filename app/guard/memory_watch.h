// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/memory_use.h"
#include "runner/confinement/unique_fd.h"

#include <atomic>
#include <memory>

namespace portcullis::guard {

/// Looks at the memory of a run again and again, in a thread of its own: a look takes as long as the run makes it take,
/// and the time limit, a cancel and a hang-up do not wait for it.
class MemoryWatch
{
public:
    MemoryWatch(MemoryUse use, std::uint64_t limit);

    /// From the thread whose credentials the looks shall have. False where there is no room for a thread; then
    /// `exceeds` has to be asked instead.
    [[nodiscard]] bool start();
    [[nodiscard]] bool isRunning() const { return m_running; }

    /// Becomes readable when the run has taken too much.
    [[nodiscard]] int descriptor() const { return m_verdict.get(); }

    /// Whether one look has taken so long that the run must count as having taken too much. `now`: ms of the monotonic
    /// clock.
    [[nodiscard]] bool isStuck(std::uint64_t now) const;

    /// One look, here and now.
    [[nodiscard]] bool exceeds() const;

private:
    /// Lives as long as the longer of watch and thread: a look may hang in the kernel when the watch is over.
    struct Shared {
        MemoryUse use;
        std::uint64_t limit = 0;
        confinement::UniqueFd verdict;
        std::atomic<std::uint64_t> lookingSince = 0; ///< ms of the monotonic clock; 0: not looking
    };
    static void *lookAgainAndAgain(void *shared);

    std::shared_ptr<Shared> m_shared;
    confinement::UniqueFd m_verdict;
    bool m_running = false;
};

} // namespace portcullis::guard
