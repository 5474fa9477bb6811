// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/failure.h"

namespace portcullis::guard {

/// Moves the calling process into new mount, IPC, UTS and, if asked, network namespaces, and its future children into a
/// new pid namespace; through a user namespace with only the own ids mapped when we are not root (namespaces(7)).
[[nodiscard]] Done enterNamespaces(const wire::GuardPlan &plan);

/// Switches on the loopback of a fresh network namespace.
[[nodiscard]] Done bringLoopbackUp();

} // namespace portcullis::guard
