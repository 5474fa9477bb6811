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

/// All of it on one line. Plain text: never give it to something that reads markup. Marks that stand over or under a
/// letter are shown up to three on each; more of them, which would reach over other lines, become tokens, and so does a
/// mark without a letter before it. Of more than four equal tokens in a row one is shown with their number.
[[nodiscard]] QString visibleText(std::string_view bytes);

/// A command on one line: a long one shows its beginning and its end, and how many bytes are between. Blanks and line
/// breaks that push the rest out of view are counted instead of shown.
[[nodiscard]] QString commandLine(std::string_view command);

/// At most so many UTF-16 units of a text, "…" included where something is left out; no character is cut.
[[nodiscard]] QString shortened(const QString &text, qsizetype most);

} // namespace portcullis::text
