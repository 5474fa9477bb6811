// SPDX-License-Identifier: Apache-2.0
#pragma once

// Room on the device that is kept free for the outcomes of running commands. Only for this folder.

#include <cstdint>
#include <string>

namespace portcullis::audit {

/// A file beside the database whose blocks are allocated. Several processes share it: whoever needs the room removes
/// it. It is taken again only when there is room for it and for the floor, so that on a disk that somebody has filled
/// its room stays for rows.
class ReserveFile
{
public:
    /// `bytes` 0: no reserve is kept, and it always counts as held.
    ReserveFile(std::string path, std::int64_t bytes);

    /// Holds the reserve, making it when it is missing. 0, or the errno why not: ENOSPC below the floor, ENOSPC and
    /// EDQUOT for a full device.
    [[nodiscard]] int hold() const;
    /// Gives the room back. Whether there was any.
    bool release() const;
    /// Whether so much is free, without the reserve, that a command may begin and the outcomes of those that run can
    /// still be written.
    [[nodiscard]] bool hasRoomWithout() const;

private:
    [[nodiscard]] bool isThere() const;
    std::string m_path;
    std::int64_t m_bytes;
};

} // namespace portcullis::audit
