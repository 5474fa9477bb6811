// SPDX-License-Identifier: Apache-2.0
#pragma once

// Where secrets stand in a text. Only for this folder.

#include "runner/base/span.h"

#include <string_view>
#include <vector>

namespace portcullis::record {

/// A mark is this, the length class and "_". Word characters only: a shell, a URL and JSON read it as one plain word.
inline constexpr std::string_view markStart = "_MASKED_";

/// The secrets of a text, ascending, not overlapping, never a mark. Linear in the length of the text.
[[nodiscard]] std::vector<Span> findSecrets(std::string_view text);

/// Ascending, and overlapping ones as one.
[[nodiscard]] std::vector<Span> merged(std::vector<Span> spans);

/// Whether a value that stands where a secret is expected may be one: no reference (`$TOKEN`), no mark, no `true`.
[[nodiscard]] bool isSecretValue(std::string_view value);

/// Whether this is an option that takes a secret as the next argument (`--password`, `-token`).
[[nodiscard]] bool isSecretOption(std::string_view word);

} // namespace portcullis::record
