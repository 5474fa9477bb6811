// SPDX-License-Identifier: Apache-2.0
#include "app/guard/mounts.h"

#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

namespace portcullis::guard {

Result<UniqueFd, Failure> newFileSystem(const char *type, FileSystemOptions options, unsigned attributes, Step step)
{
    const UniqueFd context(fsopen(type, FSOPEN_CLOEXEC));
    if (!context)
        return failed(step, type);
    for (const auto &[name, value] : options) {
        if (fsconfig(context.get(), value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG, name, value, 0) != 0)
            return failed(step, type);
    }
    if (fsconfig(context.get(), FSCONFIG_CMD_CREATE, nullptr, nullptr, 0) != 0)
        return failed(step, type);
    UniqueFd mount(fsmount(context.get(), FSMOUNT_CLOEXEC, attributes));
    if (!mount)
        return failed(step, type);
    return mount;
}

Result<UniqueFd, Failure> cloneMount(int fd, std::uint64_t attributes, const std::string &path)
{
    UniqueFd mount(open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH | AT_RECURSIVE));
    if (!mount)
        return failed(Step::CloneGrant, path);
    if (Done done = addAttributes(mount.get(), attributes, true, Step::ProtectMount, path); !done)
        return std::unexpected(done.error());
    return mount;
}

Done moveMount(int mount, int mountPoint, const std::string &path)
{
    if (move_mount(mount, "", mountPoint, "", MOVE_MOUNT_F_EMPTY_PATH | MOVE_MOUNT_T_EMPTY_PATH) != 0)
        return failed(Step::MoveMount, path);
    return {};
}

Done addAttributes(int mount, std::uint64_t attributes, bool recursive, Step step, const std::string &path)
{
    mount_attr wanted{};
    wanted.attr_set = attributes;
    const unsigned flags = AT_EMPTY_PATH | (recursive ? AT_RECURSIVE : 0);
    if (mount_setattr(mount, "", flags, &wanted, sizeof wanted) != 0)
        return failed(step, path);
    return {};
}

} // namespace portcullis::guard
