// SPDX-License-Identifier: Apache-2.0
// From git 2.47: git-rebase(1), git-difftool(1), git-grep(1), git-clone(1), git-ls-remote(1), git-clean(1).
#include "runner/shell/git_options.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

const OptionTable *gitCommandOptions(std::string_view command)
{
    static const std::array<OptionTable, 6> tables{
        {{.program = "rebase",
          .shortWithValue = "xsXC",
          .longWithValue = {"exec", "onto", "strategy", "strategy-option", "whitespace", "empty"},
          .longFlags = {"edit-todo", "interactive", "autosquash", "autostash", "abort", "continue", "skip", "quit"},
          .shortOptionalValue = "Sr"},
         {.program = "difftool",
          .shortWithValue = "xtSGOIUl",
          .longWithValue = {"extcmd", "tool"},
          .longFlags = {"exit-code", "tool-help", "trust-exit-code"},
          .shortOptionalValue = "BMCDX"},
         {.program = "grep",
          .shortWithValue = "efABCm",
          .longWithValue = {"max-depth", "threads", "context", "before-context", "after-context", "max-count"},
          .longFlags = {"open-files-in-pager", "only-matching", "or"},
          .shortOptionalValue = "O"},
         {.program = "clone",
          .shortWithValue = "obucj",
          .longWithValue = {"upload-pack", "origin", "branch", "config", "jobs", "template", "reference",
                            "reference-if-able", "separate-git-dir", "depth", "shallow-since", "shallow-exclude",
                            "revision", "server-option", "filter", "bundle-uri", "ref-format"}},
         {.program = "ls-remote",
          .shortWithValue = "ou",
          .longWithValue = {"upload-pack", "exec", "server-option", "sort"},
          .longFlags = {"exit-code"}},
         {.program = "clean",
          .shortWithValue = "e",
          .longWithValue = {"exclude"},
          .longFlags = {"dry-run", "no-dry-run", "force", "interactive", "quiet"}}}};
    const auto found = std::ranges::find(tables, command, &OptionTable::program);
    return found == tables.end() ? nullptr : found;
}

} // namespace portcullis::shell
