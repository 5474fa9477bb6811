// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/channel.h"

namespace portcullis::guard {

/// Opens a canonical path without following any link (openat2(2)); O_PATH.
[[nodiscard]] UniqueFd openWithoutLinks(int directory, const std::string &path);

/// Finds a granted path again in this mount namespace and makes sure that it is what the runner verified.
[[nodiscard]] Result<UniqueFd, Failure> reopenVerified(const wire::GuardGrant &grant);

/// Whether a system path is gone since it was verified, as sockets and other passing things in an `extra_read` folder
/// are: one grant less, and no reason to refuse the run. A path of the tenant's is held open, and must still be there.
[[nodiscard]] bool hasVanished(const wire::GuardGrant &grant, const Failure &failure);

} // namespace portcullis::guard
