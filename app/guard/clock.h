// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <ctime>

namespace portcullis::guard {

/// Milliseconds of a clock of clock_gettime(2); of the monotonic one where none is named.
[[nodiscard]] inline std::uint64_t nowMs(clockid_t clock = CLOCK_MONOTONIC)
{
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1000 + static_cast<std::uint64_t>(now.tv_nsec) / 1'000'000;
}

} // namespace portcullis::guard
