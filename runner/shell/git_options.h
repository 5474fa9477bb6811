// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/shell/option_table.h"

namespace portcullis::shell {

/// The options of one command of git (gitcli(7): short ones cluster, long ones may be abbreviated), for those commands
/// whose options run a program or call a deletion off; null for others.
[[nodiscard]] const OptionTable *gitCommandOptions(std::string_view command);

} // namespace portcullis::shell
