// SPDX-License-Identifier: Apache-2.0
#pragma once

// File names in code of other languages, beyond single literals: names put together from parts, directories that the
// code enters, spellings of the parent directory.

#include "runner/decision/path_zones.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::decision {

/// A stretch of code and the directories from which its relative names may start.
struct CodeStretch {
    Spelling text;
    std::vector<std::optional<std::string>> directories; ///< nothing: one that is not known
};

/// Cuts code where it enters another directory. `directory`: where it is started.
[[nodiscard]] std::vector<CodeStretch> stretchesOf(const Spelling &code, const std::optional<std::string> &directory);

/// A file name that the code puts together from literals (`join('..', 'x')`, `'/a/' + 'b'`, `Path('..') / 'x'`) or that
/// is the parent directory alone (`listdir('..')`). Where more follows that is not known, a gap ends it.
struct CodePath {
    Spelling spelling;
    bool walked = false; ///< the code goes through the whole tree
};
[[nodiscard]] std::vector<CodePath> joinedPaths(std::string_view code, std::string_view language);

/// Whether each call in the code is one that is known, and each that opens a file names it by a literal: then no other
/// literal is a file name. Python and node, where no other program of the command can take what this one prints.
[[nodiscard]] bool opensOnlyLiterals(const shell::EmbeddedCode &code, const shell::Evaluation &evaluation);

/// Whether the literal whose quote stands at `quote` is what a call opens or what is imported.
[[nodiscard]] bool isOpened(std::string_view code, std::size_t quote);

/// The modules that a jq filter loads and the folders in which it looks for them: `import "a" as $x {search: "b"};`.
/// jq(1), MODULES
[[nodiscard]] std::vector<std::string> jqModules(std::string_view filter);

/// A literal with its numeric escapes (`\\x2e`, `\\u002e`, `\\56`) as the bytes that they stand for, where they are
/// ASCII.
[[nodiscard]] Spelling withoutEscapes(Spelling literal);

/// A file that a sed script reads or writes: by `r`, `w`, `R`, `W` and the `w` flag of `s`. sed(1)
struct SedFile {
    std::string name; ///< as far as it is known
    bool written = false;
};
[[nodiscard]] std::vector<SedFile> sedFiles(const shell::Value &script);

} // namespace portcullis::decision
