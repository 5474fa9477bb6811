// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/failure.h"

namespace portcullis::guard {

/// Installs the filter for this kind of run on the calling process, for good. seccomp(2); the table is in
/// `filters/make_filters.cpp`. Needs no_new_privs.
[[nodiscard]] Done installFilter(const wire::GuardPlan &plan);

} // namespace portcullis::guard
