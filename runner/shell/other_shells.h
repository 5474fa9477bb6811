// SPDX-License-Identifier: Apache-2.0
#pragma once

// Shells whose language is another one: fish, nu, elvish, xonsh, pwsh, csh, rc. Their texts are read as a POSIX
// shell's, which finds the programs of plain lines.

#include "runner/shell/gapped.h"

#include <optional>
#include <string_view>

namespace portcullis::shell {

/// Whether that shell reads the text in another way than a POSIX shell, or perhaps does.
[[nodiscard]] bool readsOtherwise(std::string_view shell, const Gapped &text);

/// The text without the signs that this shell has before programs and around commands, so that what they start stands
/// where commands stand; every byte keeps its place. Nothing when there are none.
[[nodiscard]] std::optional<Gapped> withoutSigns(std::string_view shell, const Gapped &text);

} // namespace portcullis::shell
