// SPDX-License-Identifier: Apache-2.0
#pragma once

// Room on the device that is kept free for the outcomes of running commands. Only for this folder.

#include <cstdint>
#include <string>

namespace portcullis::audit {

/// A file beside the database whose blocks are allocated. Several processes share it: whoever needs the room removes
/// it, whoever wants to start a command must have it back first.
class ReserveFile
{
public:
    /// `bytes` 0: no reserve is kept, and it always counts as held.
    ReserveFile(std::string path, std::int64_t bytes);

    /// Holds the reserve, making it when it is missing. 0, or the errno why not; ENOSPC and EDQUOT mean a full device.
    [[nodiscard]] int hold() const;
    /// Gives the room back. Whether there was any.
    bool release() const;

private:
    [[nodiscard]] bool isThere() const;
    std::string m_path;
    std::int64_t m_bytes;
};

} // namespace portcullis::audit
