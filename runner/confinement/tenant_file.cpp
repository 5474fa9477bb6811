// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/tenant_file.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::confinement {

namespace {

constexpr auto step = wire::Step::CreateFolder;

/// One folder after the other: each belongs to the owner, not only the last.
Result<void, StartFailure> makeParents(const OpenedPath &folder, std::string_view name, NewOwner owner)
{
    for (std::size_t slash = name.find('/'); slash != std::string_view::npos; slash = name.find('/', slash + 1)) {
        if (auto made = createBeneath(folder, name.substr(0, slash), owner); !made)
            return made;
    }
    return {};
}

/// The folder is the tenant's, who may have put anything there: a pipe would block, a link would lead elsewhere.
bool hasContent(int folder, const std::string &name, const std::string &content)
{
    const UniqueFd file(openat(folder, name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat about{};
    if (!file || fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)
        || about.st_size != static_cast<off_t>(content.size()))
        return false;
    std::string present(content.size(), '\0');
    return read(file.get(), present.data(), present.size()) == static_cast<ssize_t>(present.size())
        && present == content;
}

bool writeNew(int folder, const std::string &name, const std::string &content, NewOwner owner)
{
    const UniqueFd file(openat(folder, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
    return file && write(file.get(), content.data(), content.size()) == static_cast<ssize_t>(content.size())
        && fchmod(file.get(), 0644) == 0 && (owner.uid == geteuid() || fchown(file.get(), owner.uid, owner.gid) == 0);
}

} // namespace

Result<void, StartFailure> writeTenantFile(const OpenedPath &folder, const plan::TenantFile &file, NewOwner owner)
{
    if (auto made = makeParents(folder, file.name, owner); !made)
        return made;
    const std::size_t slash = file.name.rfind('/');
    const std::string_view parentName =
        slash == std::string::npos ? std::string_view() : std::string_view(file.name).substr(0, slash);
    const std::string name = file.name.substr(slash == std::string::npos ? 0 : slash + 1);
    const auto opened = openBeneath(folder, parentName, step);
    if (!opened)
        return failure(opened.error());
    const UniqueFd parent(openat(opened->fd.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (parent && hasContent(parent.get(), name, file.content))
        return {};
    // Put together beside its place, so that no reader sees half of it.
    const std::string unfinished = name + '.' + std::to_string(getpid());
    if (!parent || !writeNew(parent.get(), unfinished, file.content, owner)
        || renameat(parent.get(), unfinished.c_str(), parent.get(), name.c_str()) != 0) {
        const int error = errno;
        if (parent)
            unlinkat(parent.get(), unfinished.c_str(), 0);
        return failure(StartFailure{step, error, file.name});
    }
    return {};
}

} // namespace portcullis::confinement
