// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/runner/arguments.h"
#include "runner/resources/config_loader.h"

namespace portcullis::cli {

/// Where the configuration is, by the global options of the command line and the environment of this process.
[[nodiscard]] resources::LoadOptions loadOptions(const Arguments &arguments);

} // namespace portcullis::cli
