// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/known_programs.h"

#include <span>
#include <vector>

namespace portcullis::shell {

/// Programs of developers that start others: terminals, watchers, task runners, environment and version managers.
void addToolLaunchers(std::vector<Launcher> &table);
/// Interpreters whose code is read only loosely.
void addLooseInterpreters(std::vector<Interpreter> &table);

[[nodiscard]] std::span<const Launcher> launcherTable();
[[nodiscard]] std::span<const Interpreter> interpreterTable();

} // namespace portcullis::shell
