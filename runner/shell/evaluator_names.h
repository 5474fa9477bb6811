// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the parts of the evaluator ask about names and paths. Private to runner/shell.

#include "runner/shell/evaluation.h"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace portcullis::shell {

/// Variables that a shell sets to something that the text does not show.
[[nodiscard]] std::span<const std::string_view> namesOfTheShell();

/// Variables that bash calculates when they are set, without `declare -i`: bash manual, 5.2.
[[nodiscard]] bool isIntegerOfTheShell(std::string_view name);

/// Of traps that are run again at the end.
inline constexpr std::size_t maxDeferred = 64;

/// A path without `.`, `..` and repeated slashes, as a logical `cd` reads it.
[[nodiscard]] std::string normalised(std::string_view path);

/// Whether the file of a redirection may be one that cannot be opened; then its command does not run.
[[nodiscard]] bool mayFailToOpen(const Redirection &redirection);

/// Whether the reference `name` can lead to `target`: a name or an element.
[[nodiscard]] bool isReferable(std::string_view target, std::string_view name);

} // namespace portcullis::shell
