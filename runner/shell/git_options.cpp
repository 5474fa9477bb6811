// SPDX-License-Identifier: Apache-2.0
// From git 2.47: git-rebase(1), git-difftool(1), git-grep(1), git-clone(1), git-ls-remote(1), git-clean(1),
// git-archive(1), git-config(1), git-format-patch(1), git-checkout-index(1).
#include "runner/shell/git_options.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

const OptionTable *gitCommandOptions(std::string_view command)
{
    static const std::array<OptionTable, 10> tables{
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
         {.program = "archive",
          .shortWithValue = "o",
          .longWithValue = {"format", "prefix", "add-file", "add-virtual-file", "output", "remote", "exec", "mtime"},
          .longFlags = {"list", "verbose", "worktree-attributes"}},
         {.program = "config",
          .shortWithValue = "f",
          .longWithValue = {"file", "blob", "type", "default", "value", "comment", "url"},
          .longFlags = {"global", "system", "local", "worktree", "get", "get-all", "get-regexp", "get-urlmatch", "list",
                        "add", "unset", "unset-all", "replace-all", "edit", "fixed-value", "bool", "int", "path"}},
         {.program = "format-patch",
          .shortWithValue = "ovUlSG",
          .longWithValue = {"output", "output-directory", "start-number", "subject-prefix", "suffix", "to", "cc",
                            "in-reply-to", "signature", "signature-file", "reroll-count", "filename-max-length", "base",
                            "interdiff", "range-diff", "creation-factor", "description-file"},
          .longFlags = {"stdout", "numbered", "no-numbered", "cover-letter", "signoff"},
          .shortOptionalValue = "BMC"},
         {.program = "checkout-index", .longWithValue = {"prefix", "stage"}, .longFlags = {"all", "force", "temp"}},
         {.program = "clean",
          .shortWithValue = "e",
          .longWithValue = {"exclude"},
          .longFlags = {"dry-run", "no-dry-run", "force", "interactive", "quiet"}}}};
    const auto found = std::ranges::find(tables, command, &OptionTable::program);
    return found == tables.end() ? nullptr : found;
}

} // namespace portcullis::shell
