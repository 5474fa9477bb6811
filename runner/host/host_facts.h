// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/probe.h"
#include "runner/decision/facts.h"

namespace portcullis::host {

/// What decisions need to know of this machine, from a finished probe and a look at the shells. Any thread.
[[nodiscard]] decision::HostFacts hostFacts(const confinement::ProbeReport &report);

} // namespace portcullis::host
