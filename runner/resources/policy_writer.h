// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"

#include <optional>
#include <string>

namespace portcullis::resources {

struct WriteError {
    enum class Code {
        Changed, ///< the file is not what the edit started from; nothing was written
        Failed, ///< `step` and `errnoValue` say what the system refused; the old file is untouched
    };
    Code code = Code::Failed;
    std::string step; ///< open, write, owner, mode, sync, rename, folder; after the change was made: sync_folder
    int errnoValue = 0;
    std::string path;
};

/// Replaces a policy file as a whole: temporary file beside it, fsync, rename, fsync of the folder. Mode and owner
/// stay; a new file gets 0600. A link stays a link: the file that it leads to is replaced.
///
/// `expected` is the text that the edit started from; nothing means that there was no file. When another program has
/// changed the file in between, also in the last instant, its text stays and the answer is `Changed`.
[[nodiscard]] Result<void, WriteError> writePolicy(const std::string &path, const std::optional<std::string> &expected,
                                                   const std::string &text);

} // namespace portcullis::resources
