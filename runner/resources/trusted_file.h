// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/policy/policy.h"

#include <cstddef>
#include <string>

namespace portcullis::resources {

inline constexpr std::size_t maxGatewayBytes = 4U << 20;
inline constexpr std::size_t maxPolicyBytes = 1U << 20;

/// Reads a file that decides what may run. It must be a regular file that belongs to us or to root and that neither
/// group nor others can write, in a folder where others cannot put another file in its place. The checks are on the
/// opened file. Links are followed where nobody else can set them (`checkLinks`). A special file never blocks.
[[nodiscard]] Result<policy::NamedText, policy::Problem> readTrustedFile(const std::string &path, std::size_t maxBytes);

/// A regular file of the installation, which is as trusted as the program beside it: no question of owner and mode.
[[nodiscard]] Result<policy::NamedText, policy::Problem> readOwnFile(const std::string &path, std::size_t maxBytes);

/// The same conditions as for a trusted file, for a folder of such files: ours or root's, and not writable by others,
/// not even with the sticky bit, since every file in it counts.
[[nodiscard]] Result<void, policy::Problem> checkTrustedFolder(const std::string &path);

/// What cannot be read, by the errno of the attempt.
[[nodiscard]] policy::Problem unreadable(const std::string &path, int error);

} // namespace portcullis::resources
