// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/file_identity.h"

#include <sys/stat.h>

namespace portcullis::audit {

std::optional<FileIdentity> identityOf(const std::string &path)
{
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0)
        return std::nullopt;
    return FileIdentity{.device = info.st_dev, .inode = info.st_ino};
}

RecordIdentity recordIdentityOf(const std::string &path)
{
    return {.database = identityOf(path), .log = identityOf(path + "-wal"), .index = identityOf(path + "-shm")};
}

} // namespace portcullis::audit
