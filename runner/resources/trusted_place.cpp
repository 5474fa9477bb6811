// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/trusted_place.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <fcntl.h>
#include <filesystem>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace portcullis::resources {
namespace {

using confinement::UniqueFd;

constexpr int mostLinks = 40; // path_resolution(7)

auto failed(const std::string &path, int error)
{
    return failure(PlaceError{PlaceError::Code::Failed, error, path});
}

auto notTrusted(const std::string &path)
{
    return failure(PlaceError{PlaceError::Code::NotTrusted, 0, path});
}

bool belongsToUs(const struct stat &status)
{
    return status.st_uid == 0 || status.st_uid == ::geteuid();
}

/// Whether nobody else can put another file in the place of one of ours.
bool holdsSafely(int folder)
{
    struct stat status{};
    if (::fstat(folder, &status) != 0 || !belongsToUs(status))
        return false;
    const mode_t others = ::geteuid() == 0 ? S_IWGRP | S_IWOTH : S_IWOTH;
    return (status.st_mode & others) == 0 || (status.st_mode & S_ISVTX) != 0;
}

/// The path of an open folder or link, as the kernel knows it.
std::string pathOf(int fd)
{
    std::array<char, PATH_MAX> bytes{};
    const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(fd)).c_str(), bytes.data(), bytes.size());
    return length > 0 ? std::string(bytes.data(), static_cast<std::size_t>(length)) : std::string();
}

std::deque<std::string> namesOf(std::string_view path)
{
    std::deque<std::string> names;
    while (!path.empty()) {
        const std::size_t end = path.find('/');
        if (end != 0 && path.substr(0, end) != ".")
            names.emplace_back(path.substr(0, end));
        path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    }
    return names;
}

/// Goes along a path one name at a time; every folder stays open while it is asked.
class Walk
{
public:
    explicit Walk(const std::string &path) : m_path(path), m_names(namesOf(path)) { start(path); }

    /// The folder of the last name, or why it cannot be reached.
    Result<void, PlaceError> toLastFolder()
    {
        while (m_folder && m_names.size() > 1) {
            if (auto gone = enter(); !gone)
                return gone;
        }
        return m_folder && !m_names.empty() ? Result<void, PlaceError>() : failed(m_path, m_folder ? EISDIR : errno);
    }
    /// The same for what the last name leads to, when that is a link; it is then no longer one.
    Result<void, PlaceError> toLastTarget()
    {
        for (;;) {
            if (auto there = toLastFolder(); !there)
                return there;
            const UniqueFd last(::openat(folder(), lastName().c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
            struct stat status{};
            if (!last || ::fstat(last.get(), &status) != 0)
                return failed(m_path, errno);
            if (!S_ISLNK(status.st_mode))
                return {};
            m_names.pop_front();
            if (auto followed = follow(last.get(), status); !followed)
                return followed;
        }
    }
    [[nodiscard]] bool followedLinks() const { return m_links > 0; }
    [[nodiscard]] int folder() const { return m_folder.get(); }
    [[nodiscard]] const std::string &lastName() const { return m_names.front(); }

private:
    void start(const std::string &path)
    {
        m_folder.reset(::open(path.starts_with('/') ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC));
    }

    Result<void, PlaceError> enter()
    {
        const std::string name = std::move(m_names.front());
        m_names.pop_front();
        UniqueFd next(::openat(m_folder.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
        struct stat status{};
        if (!next || ::fstat(next.get(), &status) != 0)
            return failed(m_path, errno);
        if (S_ISLNK(status.st_mode))
            return follow(next.get(), status);
        if (!S_ISDIR(status.st_mode))
            return failed(m_path, ENOTDIR);
        m_folder = std::move(next);
        return {};
    }

    Result<void, PlaceError> follow(int link, const struct stat &status)
    {
        if (!belongsToUs(status))
            return notTrusted(pathOf(link));
        if (!holdsSafely(folder()))
            return notTrusted(pathOf(folder()));
        std::array<char, PATH_MAX> bytes{};
        const ssize_t length = ::readlinkat(link, "", bytes.data(), bytes.size());
        if (length <= 0 || ++m_links > mostLinks)
            return failed(m_path, length < 0 ? errno : ELOOP);
        const std::string target(bytes.data(), static_cast<std::size_t>(length));
        if (target.starts_with('/'))
            start(target);
        const std::deque<std::string> names = namesOf(target);
        m_names.insert(m_names.begin(), names.begin(), names.end());
        return {};
    }

    std::string m_path;
    std::deque<std::string> m_names;
    UniqueFd m_folder;
    int m_links = 0;
};

using FileId = std::pair<dev_t, ino_t>;

/// The file or folder of this name, links not followed, and every folder above it.
std::vector<FileId> idsOnTheWayTo(int folder, const std::string &name)
{
    std::vector<FileId> out;
    struct stat status{};
    if (::fstatat(folder, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0)
        out.emplace_back(status.st_dev, status.st_ino);
    UniqueFd at(::fcntl(folder, F_DUPFD_CLOEXEC, 3));
    while (at && ::fstat(at.get(), &status) == 0) {
        const FileId id(status.st_dev, status.st_ino);
        if (!out.empty() && out.back() == id) // the root folder is its own parent
            break;
        out.push_back(id);
        at.reset(::openat(at.get(), "..", O_PATH | O_DIRECTORY | O_CLOEXEC));
    }
    return out;
}

/// Where the existing part of a path really is, with the rest behind it.
std::string realHead(const std::string &path)
{
    std::error_code error;
    const std::filesystem::path real = std::filesystem::weakly_canonical(path, error);
    return error ? path : real.string();
}

/// A file that holds nothing yet, to be written; nothing where there is no such file, or another one.
UniqueFd openEmpty(int folder, const std::string &name)
{
    UniqueFd fd(::openat(folder, name.c_str(), O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    struct stat status{};
    const bool empty =
        fd && ::fstat(fd.get(), &status) == 0 && S_ISREG(status.st_mode) && belongsToUs(status) && status.st_size == 0;
    return empty ? std::move(fd) : UniqueFd();
}

int writeWhole(int fd, std::string_view text)
{
    while (!text.empty()) {
        const ssize_t written = ::write(fd, text.data(), text.size());
        if (written < 0 && errno != EINTR)
            return errno;
        text.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return 0;
}

} // namespace

Result<NewText, PlaceError> NewText::at(const std::string &path)
{
    Walk walk(path);
    if (path.ends_with('/'))
        return failed(path, EISDIR);
    if (auto there = walk.toLastFolder(); !there)
        return failure(there.error());
    const std::string &name = walk.lastName();
    if (name == "..")
        return failed(path, EISDIR);
    if (!holdsSafely(walk.folder()))
        return notTrusted(pathOf(walk.folder()));
    struct stat status{};
    mode_t mode = S_IRUSR | S_IWUSR;
    if (::fstatat(walk.folder(), name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) {
        if (S_ISDIR(status.st_mode))
            return failed(path, EISDIR);
        if (!S_ISREG(status.st_mode) || !belongsToUs(status))
            return notTrusted(path);
        if (::faccessat(walk.folder(), name.c_str(), W_OK, AT_EACCESS | AT_SYMLINK_NOFOLLOW) != 0)
            return failed(path, errno);
        mode = status.st_mode & (S_IRWXU | S_IRWXG | S_IRWXO);
    } else if (errno != ENOENT) {
        return failed(path, errno);
    }
    UniqueFd folder(::fcntl(walk.folder(), F_DUPFD_CLOEXEC, 3));
    if (!folder || ::faccessat(walk.folder(), ".", W_OK | X_OK, AT_EACCESS) != 0)
        return failed(path, errno);
    const std::string where = pathOf(walk.folder());
    return NewText(std::move(folder), name, (where == "/" ? "" : where) + '/' + name, mode);
}

std::optional<std::string> NewText::within(std::span<const std::string> places) const
{
    const std::vector<FileId> onTheWay = idsOnTheWayTo(m_folder.get(), m_name);
    for (const std::string &place : places) {
        struct stat status{};
        if (place.empty())
            continue;
        if (paths::isWithin(m_realPath, realHead(place)))
            return place;
        if (::stat(place.c_str(), &status) == 0
            && std::ranges::contains(onTheWay, FileId(status.st_dev, status.st_ino)))
            return place;
    }
    return std::nullopt;
}

int NewText::write(std::string_view text) const
{
    // Nothing is lost in an empty one, and whoever made it may read it through a descriptor.
    if (const UniqueFd empty = openEmpty(m_folder.get(), m_name)) {
        const int error = writeWhole(empty.get(), text);
        if (error != 0)
            (void)!::ftruncate(empty.get(), 0);
        return error;
    }
    return replace(text);
}

int NewText::replace(std::string_view text) const
{
    constexpr int attempts = 100;
    constexpr int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    std::string beside;
    UniqueFd fd;
    for (int i = 0; i < attempts && !fd; ++i) {
        beside = ".portcullis-new-" + std::to_string(::getpid()) + '-' + std::to_string(i);
        fd.reset(::openat(m_folder.get(), beside.c_str(), flags, S_IRUSR | S_IWUSR));
        if (!fd && errno != EEXIST)
            break;
    }
    if (!fd)
        return errno;
    int error = writeWhole(fd.get(), text);
    if (error == 0 && ::fchmod(fd.get(), m_mode) != 0)
        error = errno;
    if (error == 0 && ::renameat(m_folder.get(), beside.c_str(), m_folder.get(), m_name.c_str()) != 0)
        error = errno;
    if (error != 0)
        ::unlinkat(m_folder.get(), beside.c_str(), 0);
    return error;
}

Result<void, PlaceError> checkLinks(const std::string &path)
{
    Walk walk(path);
    if (auto there = walk.toLastTarget(); !there)
        return there;
    return !walk.followedLinks() || holdsSafely(walk.folder()) ? Result<void, PlaceError>()
                                                               : notTrusted(pathOf(walk.folder()));
}

} // namespace portcullis::resources
