// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benchmarks share: times of repeated work, and their quantiles.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <vector>

namespace portcullis::bench {

/// Processor time of this thread in microseconds: what other programs of the machine do does not count.
[[nodiscard]] inline double threadMicroseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

/// Time of day that only goes on, in microseconds.
[[nodiscard]] inline double wallMicroseconds()
{
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

template <class Clock, class Work>
[[nodiscard]] std::vector<double> measured(int times, Clock clock, Work work)
{
    std::vector<double> taken;
    for (int i = 0; i < times; ++i) {
        const double start = clock();
        work();
        taken.push_back(clock() - start);
    }
    std::ranges::sort(taken);
    return taken;
}

/// `q` between 0 and 1, of sorted values.
[[nodiscard]] inline double quantile(const std::vector<double> &sorted, double q)
{
    return sorted.at(static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1)));
}

} // namespace portcullis::bench
