// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/confinement/unique_fd.h"

#include <string>

namespace portcullis::resources {

struct PlaceError {
    enum class Code {
        NotTrusted, ///< somebody else decides where `path` leads, or what stands there; nothing was made or changed
        Failed, ///< `errnoValue` says what the system refused
    };
    Code code = Code::Failed;
    int errnoValue = 0;
    std::string path; ///< the folder, link or file that is the reason
};

/// Opens a file to be written anew; makes it (mode 0600) where it is missing. It must be a regular file that belongs to
/// us or to root, no link, in a folder of ours or root's that others cannot write (the group may, where we are not
/// root; the sticky bit protects). The same holds for the folders that hold a link on the way, and for these links.
/// Every condition is asked of what has been opened, so nothing can be exchanged in between. Never blocks: a pipe
/// without a reader is not opened. Its old text is gone afterwards.
[[nodiscard]] Result<confinement::UniqueFd, PlaceError> openForWriting(const std::string &path);

/// Whether the links on the way to a file are ours or root's and stand in folders where nobody else can exchange them,
/// and where there is one, whether the file stands in such a folder too. A path without a link is always good.
[[nodiscard]] Result<void, PlaceError> checkLinks(const std::string &path);

} // namespace portcullis::resources
