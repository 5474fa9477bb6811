// SPDX-License-Identifier: Apache-2.0
#pragma once

// Ways in which a text spells a path besides writing it out.

#include "runner/decision/path_zones.h"

#include <optional>
#include <string>
#include <string_view>

namespace portcullis::decision {

/// A local `file:` URL as a path, percent escapes decoded; nothing for any other text. RFC 8089.
[[nodiscard]] std::optional<std::string> localFileUrl(std::string_view text);

/// True for `scheme://host…` where the scheme is not `file`: names nothing on this machine.
[[nodiscard]] bool isRemoteUrl(std::string_view text);

/// A path of a URL as a pattern: curl expands `{a,b}` and `[1-9]` itself, such a component may become any name.
[[nodiscard]] Spelling urlPattern(std::string_view path);

/// `/proc/<process>/root` or `/proc/<process>/cwd` at the start of a path: what follows stands after the root, or after
/// the working directory. Whose process it is does not show; the own one is meant, or guessed.
struct ProcessPath {
    bool root = false;
    std::size_t rest = 0; ///< offset of the rest
};
[[nodiscard]] std::optional<ProcessPath> processPath(std::string_view text);

/// With `..` behind the system's own links resolved as the kernel does: `/dev/fd` is `/proc/self/fd`, and an open
/// descriptor or `/dev/stdin` that is entered may be any directory, so the working directory is guessed. Ends at
/// `/proc/<process>/cwd` and `root`; other spellings are given back unchanged.
[[nodiscard]] Spelling throughSystemLinks(Spelling spelling);

/// Spellings with `..` where a shell may find it by a glob (`.*/x` in dash): the first such component, the first two,
/// …. What stands last does not count: `ls .*` is about hidden files.
[[nodiscard]] std::vector<Spelling> withParents(const Spelling &spelling);

/// `~`, `$HOME` or `${HOME}` standing first, as bytes that nobody expanded: length, or 0.
[[nodiscard]] std::size_t writtenHome(std::string_view text);

[[nodiscard]] bool looksLikePath(std::string_view text);

/// What stands between the paths of a list: `"$PWD":/app`, `-D…="$PWD;$PWD/x"`, `--remap-path-prefix=$PWD=.`.
inline constexpr std::string_view listSeparators = ":;,=";
/// Whether this is `root` with a list going on behind it, of which the rest is looked at by itself.
[[nodiscard]] bool listsAfter(const Spelling &spelling, std::string_view root);

/// Bytes before which a `/` does not start a path: of names, and ends of globs and expansions.
[[nodiscard]] bool isNameByte(char c);

} // namespace portcullis::decision
