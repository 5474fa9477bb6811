// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/open_text.h"
#include "runner/shell/evaluation.h"
#include "runner/shell/made_links.h"
#include "runner/shell/option_table.h"

#include <span>
#include <vector>

namespace portcullis::rules {

/// A file that an invocation names: by an argument, by a part of one (`source=/x`, `unix:///x`, `@/x`, `a:b`) or by a
/// redirection.
struct FileMention {
    PathText path;
    Span span;
    bool written = false; ///< by a redirection or a program that is known to write there
    bool redirected = false; ///< target of an output redirection
    bool own = false; ///< surely below the directory in which the whole command starts
};

/// The links that the command makes, as one program goes through them. What lies behind one counts as named as well.
struct Links {
    std::vector<shell::MadeLink> made;
    bool followLast = true; ///< false: the program works on a link itself, and follows only those on the way
};
/// Without those that the invocation itself makes.
[[nodiscard]] Links linksFor(const shell::Invocation &invocation, std::span<const shell::MadeLink> made);

/// The files that the redirections name.
[[nodiscard]] std::vector<FileMention> redirectedFiles(std::span<const shell::Redirection> redirects,
                                                       const std::optional<std::string> &cwd, const Links &links);

/// The files that an invocation names, its redirections included. Words that are data for the program (what `echo`
/// prints, a search pattern, a commit message) are no file names.
[[nodiscard]] std::vector<FileMention> mentionedFiles(const shell::Invocation &invocation,
                                                      const shell::SplitArguments &split, const Links &links);

/// Files that are written under these names.
[[nodiscard]] std::vector<FileMention> writtenFiles(std::span<const shell::Value> names,
                                                    const std::optional<std::string> &cwd, const Links &links);

} // namespace portcullis::rules
