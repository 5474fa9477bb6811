// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/channel.h"

namespace portcullis::guard {

/// Carries out a plan: all of it, or a report of the step that failed. The result is the guard's exit code.
int run(int control, const Received &received);

void reportFailure(int control, const Failure &failure);

} // namespace portcullis::guard
