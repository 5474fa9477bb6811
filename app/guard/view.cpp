// SPDX-License-Identifier: Apache-2.0
#include "app/guard/view.h"

#include "app/guard/devices.h"
#include "app/guard/mounts.h"
#include "app/guard/paths.h"

#include <algorithm>
#include <array>
#include <climits>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

constexpr const char *temporarySize = "1g";

std::uint64_t attributesOf(wire::Rights rights)
{
    std::uint64_t attributes = MOUNT_ATTR_NOSUID;
    if (rights != wire::Rights::Device)
        attributes |= MOUNT_ATTR_NODEV;
    if (rights == wire::Rights::Read || rights == wire::Rights::ReadExecute)
        attributes |= MOUNT_ATTR_RDONLY;
    if (rights == wire::Rights::Read) // below a temporary folder Landlock would let its programs run
        attributes |= MOUNT_ATTR_NOEXEC;
    return attributes;
}

/// Folders of the view in which a command may make, rename and remove what it likes.
bool isForAll(std::string_view path)
{
    return path == "/tmp" || path == "/var/tmp" || path == "/dev/shm";
}

/// Folders whose other names need not be closed: they are fresh in the view, or hold nothing of anybody.
bool isOurs(std::string_view path)
{
    return isForAll(path) || path == "/dev" || path == "/proc" || path == "/sys" || path.starts_with("/sys/");
}

} // namespace

Result<View, Failure> View::enter(const Received &received)
{
    View view;
    // Private propagation first, or what follows would also happen on the host.
    if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return failed(Step::PrivatePropagation);
    umask(0);
    const wire::GuardPlan &plan = received.plan;
    if (Done done = view.cloneGrants(plan); !done)
        return std::unexpected(done.error());
    for (const auto step : {&View::cloneDevices, &View::makeOwnFileSystems, &View::makeRoot, &View::placeMounts,
                            &View::makeDeviceLinks}) {
        if (Done done = (view.*step)(); !done)
            return std::unexpected(done.error());
    }
    if (Done done = view.makeLinks(plan); !done)
        return std::unexpected(done.error());
    for (const auto step : {&View::closeOtherNames, &View::goIn}) {
        if (Done done = (view.*step)(); !done)
            return std::unexpected(done.error());
    }
    return view;
}

Done View::cloneGrants(const wire::GuardPlan &plan)
{
    for (const wire::GuardGrant &grant : plan.grants) {
        if (grant.source == wire::Source::Temporary) {
            if (Done done = addTemporary(grant.target); !done)
                return done;
            m_mounts.back().optionalPlace = true;
            continue;
        }
        auto found = reopenVerified(grant);
        if (!found && hasVanished(grant, found.error()))
            continue;
        if (!found)
            return std::unexpected(found.error());
        if (grant.source == wire::Source::Part) {
            m_parts.push_back({grant.target, grant.rights, grant.directory, std::move(*found)});
            continue;
        }
        auto clone = cloneMount(found->get(), attributesOf(grant.rights), grant.path);
        if (!clone)
            return std::unexpected(clone.error());
        m_mounts.push_back({grant.target, grant.rights, grant.directory, std::move(*clone)});
        m_mounts.back().granted = grant.source == wire::Source::Host;
    }
    return {};
}

Done View::cloneDevices()
{
    for (const char *name : deviceNames) {
        const std::string path = std::string("/dev/") + name;
        const UniqueFd device = openWithoutLinks(AT_FDCWD, path);
        struct stat about{};
        if (!device || fstat(device.get(), &about) != 0)
            return failed(Step::MountDevices, path);
        if (!S_ISCHR(about.st_mode))
            return failedWith(Step::MountDevices, ENODEV, path);
        auto clone = cloneMount(device.get(), attributesOf(wire::Rights::Device) | MOUNT_ATTR_NOEXEC, path);
        if (!clone)
            return std::unexpected(clone.error());
        m_mounts.push_back({path, wire::Rights::Device, false, std::move(*clone)});
    }
    return {};
}

bool View::has(const std::string &target) const
{
    return std::ranges::any_of(m_mounts, [&](const Mount &mount) { return mount.target == target; });
}

Done View::addTemporary(const std::string &target)
{
    auto made = newFileSystem("tmpfs", {{"mode", "1777"}, {"size", temporarySize}},
                              MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, Step::MountTemporary);
    if (!made)
        return std::unexpected(made.error());
    m_mounts.push_back({target, wire::Rights::All, true, std::move(*made)});
    m_mounts.back().inMemory = true;
    return remember(m_mounts.back().fd.get(), Step::MountTemporary, target);
}

Done View::makeOwnFileSystems()
{
    constexpr unsigned plain = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC;
    auto proc = newFileSystem("proc", {}, plain | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY, Step::MountProc);
    if (!proc)
        return std::unexpected(proc.error());
    m_mounts.push_back({"/proc", wire::Rights::Read, true, std::move(*proc)});
    // Of terminals there are some 3,000 for all instances of a machine.
    auto terminals =
        newFileSystem("devpts", {{"ptmxmode", "0666"}, {"mode", "0620"}, {"max", "64"}}, plain, Step::MountTerminals);
    if (!terminals)
        return std::unexpected(terminals.error());
    m_mounts.push_back({"/dev/pts", wire::Rights::Device, true, std::move(*terminals)});
    for (const char *target : {"/dev/shm", "/tmp", "/var/tmp"}) {
        if (has(target))
            continue;
        if (Done done = addTemporary(target); !done)
            return done;
    }
    // mq_open(3) goes past the mounts of the view, but not past Landlock. Without it there are no queues, no more.
    if (auto queues = newFileSystem("mqueue", {}, plain | MOUNT_ATTR_NODEV, Step::MountTemporary))
        m_queues = std::move(*queues);
    std::ranges::sort(m_mounts, {}, &Mount::target); // outer before inner
    return {};
}

Done View::makeRoot()
{
    auto root = newFileSystem("tmpfs", {{"mode", "0111"}, {"size", "4m"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                              Step::MountRoot);
    if (!root)
        return std::unexpected(root.error());
    m_root = std::move(*root);
    if (Done done = remember(m_root.get(), Step::MountRoot, "/"); !done)
        return done;
    // Over the present root: names are still looked up in the old tree until the pivot.
    if (move_mount(m_root.get(), "", AT_FDCWD, "/", MOVE_MOUNT_F_EMPTY_PATH) != 0)
        return failed(Step::MountRoot);
    const int held = fcntl(m_root.get(), F_DUPFD_CLOEXEC, 3);
    if (held < 0 || mkdirat(m_root.get(), wire::closedFolder, 0) != 0)
        return failed(Step::MountRoot);
    m_made.push_back({"/", UniqueFd(held)});
    return {};
}

Done View::placeMounts()
{
    for (const Mount &mount : m_mounts) {
        auto place = mountPoint(mount);
        if (!place && mount.optionalPlace && (place.error().error == ELOOP || place.error().error == ENOTDIR))
            continue; // inside another grant; the link leads to nothing that the view does not have
        if (!place)
            return std::unexpected(place.error());
        if (Done done = moveMount(mount.fd.get(), place->get(), mount.target); !done)
            return done;
    }
    return {};
}

Done View::remember(int fileSystem, Step step, const std::string &path)
{
    struct stat about{};
    if (fstat(fileSystem, &about) != 0)
        return failed(step, path);
    m_own.push_back(about.st_dev);
    return {};
}

/// Whether something may be made in `folder`: what lies inside a grant belongs to others and is really there.
bool View::isInOwn(int folder) const
{
    struct stat about{};
    return fstat(folder, &about) == 0 && std::ranges::contains(m_own, about.st_dev);
}

/// The folder `name` on the way to a grant, made when missing.
Result<UniqueFd, Failure> View::ancestor(int parent, const std::string &name, const std::string &path)
{
    UniqueFd found = openWithoutLinks(parent, name);
    if (found)
        return found;
    if (errno != ENOENT)
        return failed(Step::MakeMountPoint, path);
    if (!isInOwn(parent)) // a tenant has just removed it
        return failedWith(Step::MakeMountPoint, ENOENT, path);
    const bool listable = path == "/dev";
    if (mkdirat(parent, name.c_str(), listable ? 0555 : 0111) != 0)
        return failed(Step::MakeMountPoint, path);
    UniqueFd made = openWithoutLinks(parent, name);
    if (made && isForAll(std::string_view(path).substr(0, path.rfind('/')))) {
        auto shut = shutFolder(std::move(made), path);
        if (!shut)
            return shut;
        made = std::move(*shut);
    }
    const int held = made ? fcntl(made.get(), F_DUPFD_CLOEXEC, 3) : -1;
    if (held < 0)
        return failed(Step::MakeMountPoint, path);
    m_made.push_back({path, UniqueFd(held)});
    return made;
}

/// A file system of its own over a folder on the way to a grant that lies where the command may write: what stands
/// there would belong to the user of the run, who could open it up and lose data in it.
Result<UniqueFd, Failure> View::shutFolder(UniqueFd place, const std::string &path)
{
    auto made = newFileSystem("tmpfs", {{"mode", "0111"}, {"size", "4m"}}, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
                              Step::MakeMountPoint);
    if (!made)
        return made;
    if (Done done = remember(made->get(), Step::MakeMountPoint, path); !done)
        return std::unexpected(done.error());
    if (Done done = moveMount(made->get(), place.get(), path); !done)
        return std::unexpected(done.error());
    const int held = fcntl(made->get(), F_DUPFD_CLOEXEC, 3);
    if (held < 0)
        return failed(Step::MakeMountPoint, path);
    m_shut.push_back({path, UniqueFd(held)});
    return made;
}

/// The folder in which the last part of `path` lies.
Result<int, Failure> View::parentFolder(const std::string &path)
{
    std::string folder = path.substr(0, path.rfind('/'));
    if (folder.empty())
        return m_root.get();
    if (m_parent.fd && m_parent.path == folder)
        return m_parent.fd.get();
    UniqueFd held;
    for (std::size_t start = 1, end = 0; (end = path.find('/', start)) != std::string::npos; start = end + 1) {
        auto next = ancestor(held ? held.get() : m_root.get(), path.substr(start, end - start), path.substr(0, end));
        if (!next)
            return std::unexpected(next.error());
        held = std::move(*next);
    }
    m_parent = {std::move(folder), std::move(held)};
    return m_parent.fd.get();
}

Result<UniqueFd, Failure> View::mountPoint(const Mount &mount)
{
    const auto parent = parentFolder(mount.target);
    if (!parent)
        return std::unexpected(parent.error());
    const std::string name = mount.target.substr(mount.target.rfind('/') + 1);
    const int made = !isInOwn(*parent) ? 0 // inside another grant it is there, or nowhere
        : mount.directory              ? mkdirat(*parent, name.c_str(), 0111)
                                       : mknodat(*parent, name.c_str(), S_IFREG | 0444, 0);
    UniqueFd place;
    if (made == 0 || errno == EEXIST)
        place = openWithoutLinks(*parent, name);
    if (!place)
        return failed(Step::MakeMountPoint, mount.target);
    return place;
}

Done View::makeLinks(const wire::GuardPlan &plan)
{
    for (const wire::GuardLink &link : plan.links) {
        const auto parent = parentFolder(link.path);
        if (!parent)
            return std::unexpected(parent.error());
        if (!isInOwn(*parent)) // a grant that holds the link, too
            continue;
        const std::string name = link.path.substr(link.path.rfind('/') + 1);
        if (symlinkat(link.text.c_str(), *parent, name.c_str()) != 0 && errno != EEXIST)
            return failed(Step::MakePlaceholder, link.path);
    }
    return {};
}

Done View::makeDeviceLinks()
{
    const UniqueFd dev = openWithoutLinks(m_root.get(), "dev");
    constexpr std::array<std::pair<const char *, const char *>, 5> links{{{"/proc/self/fd", "fd"},
                                                                          {"/proc/self/fd/0", "stdin"},
                                                                          {"/proc/self/fd/1", "stdout"},
                                                                          {"/proc/self/fd/2", "stderr"},
                                                                          {"pts/ptmx", "ptmx"}}};
    for (const auto &[text, name] : links) {
        if (symlinkat(text, dev.get(), name) != 0)
            return failed(Step::MountDevices, name);
    }
    return {};
}

Done View::closeOtherNames()
{
    for (const Folder &made : m_made) {
        if (isOurs(made.path))
            continue;
        if (Done done = closeNamesIn(made); !done)
            return done;
    }
    return {};
}

Done View::closeNamesIn(const Folder &made)
{
    const int host = open(made.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (host < 0) // not there on the host, or nothing that we could list: then there is nothing to name
        return {};
    const std::unique_ptr<DIR, int (*)(DIR *)> names(fdopendir(host), closedir);
    if (!names)
        return failed(Step::MakePlaceholder, made.path);
    while (const dirent *entry = readdir(names.get())) {
        const std::string_view name = entry->d_name;
        if (name == "." || name == "..")
            continue;
        if (Done done = closeName(made.fd.get(), host, entry->d_name, entry->d_type, made.path == "/"); !done)
            return failedWith(Step::MakePlaceholder, done.error().error, made.path);
    }
    return {};
}

/// Links of the root folder (`/bin`) are the operator's and lead to grants or to closed doors.
Done View::closeName(int directory, int host, const char *name, unsigned char type, bool copyLinks)
{
    struct stat about{};
    if (type == DT_UNKNOWN && fstatat(host, name, &about, AT_SYMLINK_NOFOLLOW) == 0)
        type = static_cast<unsigned char>(IFTODT(about.st_mode));
    std::array<char, PATH_MAX> text{};
    int result = 0;
    if (type == DT_DIR)
        result = mkdirat(directory, name, 0);
    else if (type == DT_LNK && copyLinks && readlinkat(host, name, text.data(), text.size() - 1) > 0)
        result = symlinkat(text.data(), directory, name);
    else
        result = symlinkat(wire::closedDoor, directory, name);
    if (result != 0 && errno != EEXIST)
        return failed(Step::MakePlaceholder);
    return {};
}

Done View::goIn()
{
    if (Done done = addAttributes(m_root.get(), MOUNT_ATTR_RDONLY, false, Step::ReadOnlyRoot, "/"); !done)
        return done;
    for (const Folder &shut : m_shut) {
        if (Done done = addAttributes(shut.fd.get(), MOUNT_ATTR_RDONLY, false, Step::ReadOnlyRoot, shut.path); !done)
            return done;
    }
    if (fchdir(m_root.get()) != 0 || syscall(SYS_pivot_root, ".", ".") != 0)
        return failed(Step::PivotRoot);
    if (umount2(".", MNT_DETACH) != 0) // the old root lies over the new one
        return failed(Step::DetachOldRoot);
    if (chdir("/") != 0)
        return failed(Step::PivotRoot);
    m_made.clear();
    m_shut.clear();
    m_parent = {};
    return {};
}

Done View::grantAll(Ruleset &ruleset) const
{
    for (const Mount &mount : m_mounts) {
        if (!mount.granted)
            continue;
        if (Done done = ruleset.grant(mount.fd.get(), mount.rights, mount.directory, mount.target); !done)
            return done;
    }
    for (const Mount &part : m_parts) {
        if (Done done = ruleset.grant(part.fd.get(), part.rights, part.directory, part.target); !done)
            return done;
    }
    return m_queues ? ruleset.grant(m_queues.get(), wire::Rights::All, true, "mqueue") : Done();
}

std::vector<int> View::filesInMemory() const
{
    std::vector<int> found;
    for (const Mount &mount : m_mounts) {
        if (mount.inMemory)
            found.push_back(mount.fd.get());
    }
    return found;
}

} // namespace portcullis::guard
