// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/trusted_place.h"

#include <array>
#include <cerrno>
#include <climits>
#include <deque>
#include <fcntl.h>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

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

} // namespace

Result<UniqueFd, PlaceError> openForWriting(const std::string &path)
{
    Walk walk(path);
    if (path.ends_with('/'))
        return failed(path, EISDIR);
    if (auto there = walk.toLastFolder(); !there)
        return failure(there.error());
    if (!holdsSafely(walk.folder()))
        return notTrusted(pathOf(walk.folder()));
    constexpr int flags = O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
    UniqueFd fd(::openat(walk.folder(), walk.lastName().c_str(), flags, 0600));
    if (!fd && (errno == ELOOP || errno == ENXIO)) // a link; a pipe that nobody reads, a socket
        return notTrusted(path);
    struct stat status{};
    if (!fd || ::fstat(fd.get(), &status) != 0)
        return failed(path, errno);
    if (!S_ISREG(status.st_mode) || !belongsToUs(status))
        return notTrusted(path);
    if (::ftruncate(fd.get(), 0) != 0)
        return failed(path, errno);
    return fd;
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
