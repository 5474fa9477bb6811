// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/channel.h"

namespace portcullis::guard {

/// The rights of the file system that an ABI has, all of which we handle (landlock(7)).
[[nodiscard]] std::uint64_t handledRights(std::uint32_t abi);

/// The bits that `rights` gives below a directory or on a file, within what the ABI has.
[[nodiscard]] std::uint64_t rightBits(wire::Rights rights, bool directory, std::uint32_t abi);

/// One ruleset for one layer: a second layer without REFER would forbid every rename across directories.
class Ruleset
{
public:
    /// An empty one: everything is refused, with ABI ≥ 6 also signals and abstract sockets to the outside, with
    /// `noNetwork` and ABI ≥ 4 also TCP.
    [[nodiscard]] static Result<Ruleset, Failure> create(std::uint32_t abi, bool noNetwork);

    /// Grants what lies at or below the descriptor. `path` is for the failure only.
    [[nodiscard]] Done grant(int fd, wire::Rights rights, bool directory, const std::string &path);
    [[nodiscard]] int fd() const { return m_fd.get(); }

private:
    UniqueFd m_fd;
    std::uint32_t m_abi = 0;
};

/// Grants the host's `/proc` (read) and the harmless device nodes; for runs without a view.
[[nodiscard]] Done grantHostBasics(Ruleset &ruleset);

/// Puts the calling process into the domain, for good.
[[nodiscard]] Done restrictSelf(int ruleset);

} // namespace portcullis::guard
