// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace portcullis::test {

/// A text of tests/data/shell/oracle.jsonl. Its commands are `sudo` (a marker program of the test), true, echo and cat.
struct ShellText {
    std::string kind;
    std::string text;
    /// Shells (`bash`, `dash`) that call `sudo` when they run it.
    std::vector<std::string> ran;
    /// Shells in which a call of `sudo` that stands in the text need not be reached.
    std::vector<std::string> mayNotRun;
    /// Shells whose `-n` says something else than running does: errors found late, options set by the text itself.
    std::vector<std::string> unclearSyntax;
};

/// The texts of tests/data/shell/started.jsonl: commands in which a shell starts `sudo`, or seems to.
[[nodiscard]] std::vector<std::string> startedTexts();

/// Every text, in the order of the file; empty when the file cannot be read.
[[nodiscard]] std::vector<ShellText> shellCorpus();

} // namespace portcullis::test
