// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/reserve_file.h"

#include <QFile>

#include <cerrno>
#include <tuple>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
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
    QFile file(QFile::decodeName(m_path.c_str()));
    if (!file.open(QIODevice::ReadWrite, QFile::ReadOwner | QFile::WriteOwner))
        return errno;
    const int error = allocate(file.handle(), m_bytes);
    if (error != 0)
        std::ignore = release(); // a part of the reserve would only take room from the record
    return error;
}

bool ReserveFile::release() const
{
    return ::unlink(m_path.c_str()) == 0;
}

} // namespace portcullis::audit
