// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/reserve_file.h"

#include "runner/base/paths.h"

#include <QFile>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace portcullis::audit {
namespace {

int allocate(int fd, std::int64_t bytes)
{
    int error = 0;
    do {
        error = posix_fallocate(fd, 0, bytes);
    } while (error == EINTR);
    return error;
}

/// Enough for other programs of the machine on a large device, and a share of a small one.
constexpr std::int64_t greatestFloor = 128LL << 20;
constexpr std::int64_t floorShare = 16;

struct Room {
    std::int64_t free = 0;
    std::int64_t floor = 0;
};

/// What this process may still take beside `path`, and what must be left. Without end where the device cannot be asked.
Room roomBeside(const std::string &path)
{
    struct statvfs about{};
    const std::string folder = paths::parentOf(path);
    if (::statvfs(folder.empty() ? "." : folder.c_str(), &about) != 0 || about.f_blocks == 0)
        return {std::numeric_limits<std::int64_t>::max(), 0};
    const auto block = static_cast<std::int64_t>(about.f_frsize);
    const auto blocks = static_cast<std::int64_t>(::geteuid() == 0 ? about.f_bfree : about.f_bavail);
    return {blocks * block, std::min(greatestFloor, static_cast<std::int64_t>(about.f_blocks) * block / floorShare)};
}

} // namespace

ReserveFile::ReserveFile(std::string path, std::int64_t bytes) : m_path(std::move(path)), m_bytes(bytes) { }

bool ReserveFile::isThere() const
{
    struct stat info{};
    // Blocks count too: a sparse file of the right length would hold no room.
    return ::lstat(m_path.c_str(), &info) == 0 && S_ISREG(info.st_mode) && info.st_size >= m_bytes
        && static_cast<std::int64_t>(info.st_blocks) * 512 >= m_bytes;
}

int ReserveFile::hold() const
{
    if (m_bytes == 0 || isThere())
        return 0;
    if (const Room room = roomBeside(m_path); room.free - m_bytes < room.floor)
        return ENOSPC;
    QFile file(QFile::decodeName(m_path.c_str()));
    if (!file.open(QIODevice::ReadWrite, QFile::ReadOwner | QFile::WriteOwner))
        return errno;
    const int error = allocate(file.handle(), m_bytes);
    if (error != 0)
        std::ignore = release(); // a part of the reserve would only take room from the record
    return error;
}

bool ReserveFile::hasRoomWithout() const
{
    return roomBeside(m_path).free >= m_bytes / 2;
}

bool ReserveFile::release() const
{
    return ::unlink(m_path.c_str()) == 0;
}

} // namespace portcullis::audit
