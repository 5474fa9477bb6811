// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/paths.h"

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>

namespace portcullis::confinement {

namespace {

constexpr int mostLinks = 40; // as the kernel: path_resolution(7)

std::unexpected<StartFailure> failed(wire::Step step, std::string path)
{
    return failure(StartFailure{step, errno, std::move(path)});
}

/// openat2(2) beneath a directory. EAGAIN means that something was renamed meanwhile, which ends.
UniqueFd openNoLinks(int directory, const std::string &relative, std::uint64_t flags)
{
    open_how how{};
    how.flags = flags | O_CLOEXEC;
    how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
    long fd = -1;
    for (int tries = 0; tries < 100; ++tries) {
        fd = syscall(SYS_openat2, directory, relative.c_str(), &how, sizeof how);
        if (fd >= 0 || errno != EAGAIN)
            break;
    }
    return UniqueFd(static_cast<int>(fd));
}

Result<OpenedPath, StartFailure> describe(UniqueFd fd, const std::string &path, wire::Step step)
{
    if (!fd)
        return failed(step, path);
    struct stat about{};
    std::array<char, PATH_MAX> name{};
    const std::string link = "/proc/self/fd/" + std::to_string(fd.get());
    const ssize_t length = readlink(link.c_str(), name.data(), name.size());
    if (fstat(fd.get(), &about) != 0 || length <= 0)
        return failed(step, path);
    OpenedPath opened;
    opened.fd = std::move(fd);
    opened.canonical.assign(name.data(), static_cast<std::size_t>(length));
    opened.device = about.st_dev;
    opened.inode = about.st_ino;
    opened.owner = about.st_uid;
    opened.directory = S_ISDIR(about.st_mode);
    if (!wire::isCanonical(opened.canonical)) // not reachable from our root, or deleted meanwhile
        return failure(StartFailure{step, ENOENT, path});
    return opened;
}

std::deque<std::string> components(std::string_view path)
{
    std::deque<std::string> parts;
    while (!path.empty()) {
        const std::size_t end = std::min(path.find('/'), path.size());
        if (const std::string_view part = path.substr(0, end); !part.empty() && part != ".")
            parts.emplace_back(part);
        path.remove_prefix(std::min(end + 1, path.size()));
    }
    return parts;
}

} // namespace

Result<OpenedPath, StartFailure> openFollowing(const std::string &path, wire::Step step)
{
    return describe(UniqueFd(open(path.c_str(), O_PATH | O_CLOEXEC)), path, step);
}

Result<OpenedPath, StartFailure> openBeneath(const OpenedPath &root, std::string_view relative, wire::Step step)
{
    const std::string where(relative.empty() ? std::string_view(".") : relative);
    return describe(openNoLinks(root.fd.get(), where, O_PATH), root.canonical + "/" + where, step);
}

Result<void, StartFailure> createBeneath(const OpenedPath &root, std::string_view relative, NewOwner owner)
{
    constexpr auto step = wire::Step::CreateFolder;
    const std::deque<std::string> parts = components(relative);
    UniqueFd held;
    int directory = root.fd.get();
    std::string path = root.canonical;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const bool last = i + 1 == parts.size();
        path += "/" + parts[i];
        const bool made = mkdirat(directory, parts[i].c_str(), 0700) == 0;
        if (!made && errno != EEXIST)
            return failed(step, path);
        UniqueFd next = openNoLinks(directory, parts[i], made ? O_RDONLY | O_DIRECTORY : O_PATH | O_DIRECTORY);
        if (!next)
            return failed(step, path);
        if (made && !last && fchmod(next.get(), 0711) != 0)
            return failed(step, path);
        if (made && last && owner.uid != geteuid() && fchown(next.get(), owner.uid, owner.gid) != 0)
            return failed(step, path);
        held = std::move(next);
        directory = held.get();
    }
    return {};
}

std::vector<wire::GuardLink> linksOnTheWay(const std::string &path)
{
    std::vector<wire::GuardLink> links;
    std::deque<std::string> rest = components(path);
    std::string place; // canonical so far, without the last slash
    std::array<char, PATH_MAX> text{};
    while (!rest.empty()) {
        const std::string part = rest.front();
        rest.pop_front();
        if (part == "..") {
            place.resize(place.empty() ? 0 : place.rfind('/'));
            continue;
        }
        const std::string here = place + "/" + part;
        const ssize_t length = readlink(here.c_str(), text.data(), text.size());
        if (length <= 0) {
            place = here;
            continue;
        }
        const std::string target(text.data(), static_cast<std::size_t>(length));
        links.push_back({here, target});
        if (links.size() > static_cast<std::size_t>(mostLinks))
            return {};
        if (target.front() == '/')
            place.clear();
        std::deque<std::string> more = components(target);
        rest.insert(rest.begin(), more.begin(), more.end());
    }
    return links;
}

std::optional<std::string_view> below(std::string_view path, std::string_view root)
{
    if (root == "/")
        return path.substr(1);
    if (path == root)
        return std::string_view();
    if (path.starts_with(root) && path.size() > root.size() && path[root.size()] == '/')
        return path.substr(root.size() + 1);
    return std::nullopt;
}

std::string tidy(std::string_view path)
{
    std::string result;
    for (const std::string &part : components(path))
        result += "/" + part;
    return result.empty() ? "/" : result;
}

} // namespace portcullis::confinement
