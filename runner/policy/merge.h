// SPDX-License-Identifier: Apache-2.0
#pragma once

// Precedence: which layer's value is in force for each key.

#include "runner/policy/layer.h"

#include <string_view>
#include <vector>

namespace portcullis::policy {

/// The layers that speak about one tenant and agent; null where a layer says nothing.
struct Layers {
    const LayerValues *gateway = nullptr;
    const LayerValues *gatewayAgent = nullptr;
    const LayerValues *tenant = nullptr;
    const LayerValues *tenantAgent = nullptr;
    const LayerValues *environment = nullptr;
};

/// Puts the values in force into `effective`: environment > tenant's agent > tenant > gateway's agent > gateway >
/// default; for keys marked `strictest` the strictest of (environment, else gateway) and tenant.
void merge(const Layers &layers, Effective &effective);

/// Adds a warning for each value of the tenant that asks for less than what stays in force. `agent` tells whether the
/// tenant's agent layer is looked at, or the tenant's own.
void warnOfLoosening(const Layers &layers, bool agent, ProblemSink &problems);

} // namespace portcullis::policy
