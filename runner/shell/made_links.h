// SPDX-License-Identifier: Apache-2.0
#pragma once

// Links that a command makes and then goes through: `ln -s / r; cat r/…`. The host cannot be asked about them, because
// they do not exist yet.

#include "runner/shell/evaluation.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::shell {

struct MadeLink {
    std::string place; ///< absolute and normalised: where the link will be
    std::string target; ///< absolute and normalised: where it leads
    std::string folder; ///< in which it is made: a relative target starts there
    Span targetSpan; ///< the word of the target
};

/// The links that `ln -s` and `cp -s` make from constant words, in order; each under every name that it can get. At
/// most 64.
[[nodiscard]] std::vector<MadeLink> madeLinks(const Evaluation &evaluation);

/// How many bytes of a path are literal and end at a `/`, before the first glob or gap; all of it where there is none.
/// npos: none.
[[nodiscard]] std::size_t literalBytes(std::string_view text, const std::vector<std::uint32_t> &globs,
                                       const std::vector<std::uint32_t> &gaps);

/// Where an absolute path (`..` not yet cancelled) leads as the kernel would go through these links; empty: the root.
/// Nothing when none is on the way. `followLast`: false for programs that work on a link itself, such as `rm`.
[[nodiscard]] std::optional<std::string> ledByLinks(std::string_view path, const std::vector<MadeLink> &links,
                                                    bool followLast = true);

} // namespace portcullis::shell
