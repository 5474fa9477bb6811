// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace portcullis {

/// A word quoted so that a POSIX shell reads it back as it is; as it stands where it needs no quotes.
[[nodiscard]] std::string shellQuoted(std::string_view word);

} // namespace portcullis
