// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/guard_wire.h"

#include <string>

namespace portcullis::confinement {

/// Why a command was not started.
struct StartFailure {
    wire::Step step = wire::Step::None;
    int errorNumber = 0;
    std::string path; ///< may be empty
};

} // namespace portcullis::confinement
