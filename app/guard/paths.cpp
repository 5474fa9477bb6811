// SPDX-License-Identifier: Apache-2.0
#include "app/guard/paths.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portcullis::guard {

UniqueFd openWithoutLinks(int directory, const std::string &path)
{
    open_how how{};
    how.flags = O_PATH | O_CLOEXEC;
    how.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    return UniqueFd(static_cast<int>(syscall(SYS_openat2, directory, path.c_str(), &how, sizeof how)));
}

Result<UniqueFd, Failure> reopenVerified(const wire::GuardGrant &grant)
{
    UniqueFd fd = openWithoutLinks(AT_FDCWD, grant.path);
    if (!fd)
        return failed(Step::ReopenGrant, grant.path);
    struct stat about{};
    if (fstat(fd.get(), &about) != 0)
        return failed(Step::CompareGrant, grant.path);
    if (about.st_dev != grant.device || about.st_ino != grant.inode)
        return failedWith(Step::CompareGrant, ESTALE, grant.path);
    return fd;
}

bool hasVanished(const wire::GuardGrant &grant, const Failure &failure)
{
    return grant.fd == 0 && failure.step == Step::ReopenGrant && failure.error == ENOENT;
}

} // namespace portcullis::guard
