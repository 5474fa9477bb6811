// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace portcullis::confinement {

/// The kernel counts the descriptors that a user has sent and nobody has received, and lets nobody of that user send
/// more once they are above the sender's own RLIMIT_NOFILE (unix(7), ETOOMANYREFS). One packet can overshoot by 253. So
/// the runner, which sends descriptors to guards, must have this much more than a command.
inline constexpr std::uint64_t roomAboveCommands = 256;

/// Raises the soft limit of this process to its hard one. Once, at start.
void raiseOpenFiles();

/// `wanted` (0: no limit of its own), or less where our own limit would not be `roomAboveCommands` more.
[[nodiscard]] std::uint64_t mostOpenFiles(std::uint64_t wanted);

} // namespace portcullis::confinement
