// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the benchmarks share: times of repeated work, their quantiles, and the lines of which tests/bench/run makes its
// table.

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>
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

/// `q` between 0 and 1, of sorted values.
[[nodiscard]] inline double quantile(const std::vector<double> &sorted, double q)
{
    return sorted.at(static_cast<std::size_t>(q * static_cast<double>(sorted.size() - 1)));
}

[[nodiscard]] inline double median(std::vector<double> values)
{
    std::ranges::sort(values);
    return quantile(values, 0.5);
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

struct Value {
    double number = 0;
    std::string_view unit;
};

/// What is measured beside ours, in turns with it.
struct Peer {
    std::string_view name;
    double number = 0; ///< in the unit of ours
};

struct Goal {
    enum class Of { Nothing, Value, Ratio };
    Of of = Of::Nothing;
    enum class Bound { AtMost, AtLeast };
    Bound bound = Bound::AtMost;
    double limit = 0;
};
[[nodiscard]] constexpr Goal atMost(double limit)
{
    return {Goal::Of::Value, Goal::Bound::AtMost, limit};
}
[[nodiscard]] constexpr Goal atLeast(double limit)
{
    return {Goal::Of::Value, Goal::Bound::AtLeast, limit};
}
/// Of ours to the peer's.
[[nodiscard]] constexpr Goal ratioAtMost(double limit)
{
    return {Goal::Of::Ratio, Goal::Bound::AtMost, limit};
}

[[nodiscard]] inline std::string shortNumber(double number)
{
    char text[32];
    std::snprintf(text, sizeof text, number >= 1000 ? "%.0f" : number >= 100 ? "%.1f" : "%.2f", number);
    return text;
}

/// One line of the table: what, ours, peer, ratio, goal, whether it is met.
inline void row(std::string_view what, Value ours, std::optional<Peer> peer, Goal goal)
{
    const auto sized = [](std::string_view text) { return static_cast<int>(text.size()); };
    std::string other = "-";
    std::string ratio = "-";
    double compared = ours.number;
    if (peer) {
        other = shortNumber(peer->number) + " " + std::string(ours.unit) + " (" + std::string(peer->name) + ")";
        const double part = peer->number > 0 ? ours.number / peer->number : 0;
        ratio = shortNumber(part);
        if (goal.of == Goal::Of::Ratio)
            compared = part;
    }
    std::string wanted = "-";
    std::string_view met = "-";
    if (goal.of != Goal::Of::Nothing) {
        const bool most = goal.bound == Goal::Bound::AtMost;
        wanted = std::string(most ? "≤ " : "≥ ") + shortNumber(goal.limit) + " "
            + (goal.of == Goal::Of::Ratio ? "×" : std::string(ours.unit));
        met = (most ? compared <= goal.limit : compared >= goal.limit) ? "yes" : "no";
    }
    std::printf("row\t%.*s\t%s %.*s\t%s\t%s\t%s\t%.*s\n", sized(what), what.data(), shortNumber(ours.number).c_str(),
                sized(ours.unit), ours.unit.data(), other.c_str(), ratio.c_str(), wanted.c_str(), sized(met),
                met.data());
    std::fflush(stdout);
}

} // namespace portcullis::bench
