// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

namespace portcullis::audit {

/// One text that a tenant's policy file had, with who put it there. The record keeps the text as it stood in the file.
struct Revision {
    std::int64_t id = 0; ///< ascending; 0 before it is stored
    std::string tenant{};
    std::string digest{}; ///< of the text: `sha256:<64 hex digits>`
    std::string content{};
    std::string author{}; ///< empty where nobody said: an edit made on disk
    std::string message{};
    std::string source{}; ///< `publish`, `exempt`, or `disk` for an edit that came by no program of ours
    std::int64_t timeUs = 0; ///< UTC, microseconds: when it was stored
    friend bool operator==(const Revision &, const Revision &) = default;
};

} // namespace portcullis::audit
