// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/run_state.h"

#include <span>
#include <string>
#include <string_view>

namespace portcullis::shell {

/// A makefile without the rules that these goals do not need (without goals: that its first target does not need), so
/// that `clean:` does not count where `all` is made. The whole text where it cannot be told: rules that are made while
/// it is read, names that are put together, another makefile in it. Words of a recipe that starts make again count as
/// needed.
[[nodiscard]] std::string neededRules(std::string_view makefile, std::span<const std::string> goals);
/// As above for what stands on the command line of make.
[[nodiscard]] Gapped neededRules(const Gapped &text, const Run &run);

} // namespace portcullis::shell
