// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace portcullis::shell {

/// Whether a module is part of what the language itself brings, or data. `language` as in EmbeddedCode.
[[nodiscard]] bool isOwnModule(std::string_view language, std::string_view module);

/// Whether code loads other code that neither it nor the language's own library holds: a module of the project or of a
/// package (`import x`, `require './x'`, `use X`), or a file (`do 'x.pl'`, `include 'x.php'`). Words of texts and
/// comments are taken for code where a line or statement begins with them.
[[nodiscard]] bool loadsOtherCode(std::string_view language, std::string_view code);

/// A module or file that code loads.
struct LoadedName {
    std::string name; ///< as written: `json`, `./a`, `File::Path`
    bool file = false; ///< a path, not the name of a module
};

/// What code loads by a name that it has literally, the language's own library included. Linear in the text.
[[nodiscard]] std::vector<LoadedName> loadedNames(std::string_view language, std::string_view code);

/// Where the file of that name may lie, as paths below the folders in which the language looks.
[[nodiscard]] std::vector<std::string> filesOf(std::string_view language, const LoadedName &loaded);

/// The files, by their literal names, into which code may put what it gets from an address: `urlretrieve(u, "a")`, or
/// any that it writes where an address stands in it.
[[nodiscard]] std::vector<std::string> savedDownloads(std::string_view language, std::string_view code);

} // namespace portcullis::shell
