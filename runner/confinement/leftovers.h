// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

namespace portcullis::confinement {

/// Name of the variable in every command's environment that carries the run id.
inline constexpr std::string_view runIdVariable = "PORTCULLIS_RUN";

/// What marks the processes of a run (run_mark.h): from 2^61 up to 2^62, a limit that nobody else has.
[[nodiscard]] std::uint64_t markFor(std::string_view runId);

/// Kills what is left of a run whose runner and guard both died (possible with Landlock alone): every process that has
/// the run's mark, or its id in the environment, and started after `notBefore` (wall clock; guards against a reused
/// id). Repeats until none is found, at most for a bounded number of rounds. Returns how many were killed. Called at
/// start, before runs; reads all of /proc, a few milliseconds.
int sweepLeftovers(std::string_view runId, std::chrono::system_clock::time_point notBefore = {});

/// Kills and reaps the descendants that this process adopted from a dead guard. Other children (QProcess) are spared:
/// what a guard started has one more seccomp filter than we have, and cannot get rid of it.
int killAdopted();

} // namespace portcullis::confinement
