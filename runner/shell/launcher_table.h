// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/known_programs.h"

#include <span>

namespace portcullis::shell {

[[nodiscard]] std::span<const Launcher> launcherTable();
[[nodiscard]] std::span<const Interpreter> interpreterTable();

} // namespace portcullis::shell
