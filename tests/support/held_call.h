// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <sys/types.h>

namespace portcullis::test {

/// Stops the processes of one tree where they make a certain system call, one after the other, so that a test can do
/// something to them exactly there: seccomp_unotify(2), which the stopped process cannot notice.
class HeldCall
{
public:
    /// `call` is the number of a system call that the processes make rarely.
    explicit HeldCall(int call);
    /// Whoever makes the call from now on is told that there is no such call.
    ~HeldCall();
    HeldCall(const HeldCall &) = delete;
    HeldCall &operator=(const HeldCall &) = delete;

    /// In the root of the tree, between fork and exec. False when the kernel refuses.
    [[nodiscard]] bool install() const;
    /// In the test, once the root has been started. False when `install` has failed.
    [[nodiscard]] bool listen();

    /// The next process that makes the call; it stands still until `letGo`. Nothing when none comes in time.
    [[nodiscard]] std::optional<pid_t> next(std::chrono::milliseconds patience);
    /// Lets the process of the last `next` make its call; one that has died since is no matter.
    void letGo();

private:
    int m_call;
    std::array<int, 2> m_sockets{-1, -1};
    int m_listener = -1;
    std::uint64_t m_held = 0;
};

} // namespace portcullis::test
