// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/guard/channel.h"

#include <initializer_list>
#include <utility>

namespace portcullis::guard {

/// Thin wrappers of the mount API (fsopen(2), open_tree(2), move_mount(2), mount_setattr(2)): descriptors in and out,
/// so that nothing is looked up by a path twice.

using FileSystemOptions = std::initializer_list<std::pair<const char *, const char *>>;

/// A new file system that is not mounted anywhere yet. An option without value has nullptr.
[[nodiscard]] Result<UniqueFd, Failure> newFileSystem(const char *type, FileSystemOptions options, unsigned attributes,
                                                      Step step);

/// A copy of the mounts at and below what the descriptor names, not mounted anywhere yet, with these attributes added.
[[nodiscard]] Result<UniqueFd, Failure> cloneMount(int fd, std::uint64_t attributes, const std::string &path);

[[nodiscard]] Done moveMount(int mount, int mountPoint, const std::string &path);
[[nodiscard]] Done addAttributes(int mount, std::uint64_t attributes, bool recursive, Step step,
                                 const std::string &path);

} // namespace portcullis::guard
