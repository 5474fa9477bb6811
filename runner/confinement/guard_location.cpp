// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/guard_location.h"

#include <cerrno>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::confinement {

Result<GuardLocation, StartFailure> GuardLocation::find(const std::string &applicationDir)
{
    constexpr std::string_view name = "/portcullis-guard";
    Result<GuardLocation, StartFailure> first = at(applicationDir + std::string(name));
    if (first || first.error().errorNumber != ENOENT)
        return first; // a file that others can write is not passed over in silence
    for (const char *folder : {"/../" PORTCULLIS_LIBEXECDIR, "/../libexec"}) {
        Result<GuardLocation, StartFailure> found = at(applicationDir + folder + std::string(name));
        if (found || found.error().errorNumber != ENOENT)
            return found;
    }
    return first;
}

Result<GuardLocation, StartFailure> GuardLocation::at(const std::string &path)
{
    struct stat about{};
    if (stat(path.c_str(), &about) != 0)
        return failure(StartFailure{wire::Step::FindGuard, errno, path});
    const bool ours = about.st_uid == 0 || about.st_uid == geteuid();
    const bool othersWrite =
        (about.st_mode & S_IWOTH) || ((about.st_mode & S_IWGRP) && about.st_gid != 0 && about.st_gid != getegid());
    if (!S_ISREG(about.st_mode) || !ours || othersWrite)
        return failure(StartFailure{wire::Step::FindGuard, EPERM, path});
    GuardLocation location;
    location.m_path = path;
    return location;
}

} // namespace portcullis::confinement
