// SPDX-License-Identifier: Apache-2.0
#pragma once

// Lexical work on absolute paths. Nothing here looks at a file system.

#include <string>
#include <string_view>

namespace portcullis::paths {

/// True when `path` is `folder` or lies below it; whole components, so `/a/bc` is not below `/a/b`.
/// Both absolute and normalised. `/` contains everything.
[[nodiscard]] bool isWithin(std::string_view path, std::string_view folder);

/// An absolute path without `.`, `..`, empty components and trailing slash; `base` (absolute) is put before a relative
/// path. Lexical, as `cd -L` does it.
[[nodiscard]] std::string normalised(std::string_view path, std::string_view base = "/");

/// The folder that contains `path`; `/` for `/`.
[[nodiscard]] std::string parentOf(std::string_view path);

/// The last component; empty for `/`.
[[nodiscard]] std::string_view baseName(std::string_view path);

} // namespace portcullis::paths
