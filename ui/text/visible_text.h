// SPDX-License-Identifier: Apache-2.0
#pragma once

// Text of others (commands, output, paths, names) as text that is safe to show: what would not be seen, or would change
// how other text is seen, becomes a visible token such as `<U+202E>`; bytes that are not UTF-8 become `<FF>`.

#include <QString>

#include <string_view>

namespace portcullis::text {

/// The token that stands for an invisible character, e.g. `<U+200B>`; a tab is `⇥`, a line feed `↵`.
[[nodiscard]] QString visibleToken(char32_t code);

/// The tokens for bytes that are not UTF-8, e.g. `<E2><80>`.
[[nodiscard]] QString visibleBytes(std::string_view bytes);

/// All of it on one line. Plain text: never give it to something that reads markup.
[[nodiscard]] QString visibleText(std::string_view bytes);

} // namespace portcullis::text
