// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/policy_writer.h"

#include "runner/base/paths.h"

#include <QFile>
#include <QUuid>

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::resources {
namespace {

using Written = Result<void, WriteError>;

auto failed(std::string step, const std::string &path)
{
    return failure(WriteError{WriteError::Code::Failed, std::move(step), errno, path});
}

/// The bytes of a file, or nothing.
std::optional<std::string> bytesOf(const std::string &path)
{
    QFile file(QFile::decodeName(path.c_str()));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    return file.readAll().toStdString();
}

/// A file beside the target that goes away unless it was moved into place.
class Temporary
{
public:
    explicit Temporary(const std::string &target)
        : m_path(paths::parentOf(target) + "/." + std::string(paths::baseName(target)) + '.'
                 + QUuid::createUuid().toString(QUuid::Id128).left(12).toStdString())
        , m_fd(::open(m_path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600))
    {
    }
    ~Temporary()
    {
        if (m_fd < 0)
            return;
        ::close(m_fd);
        if (!m_kept)
            ::unlink(m_path.c_str());
    }
    Temporary(const Temporary &) = delete;
    Temporary &operator=(const Temporary &) = delete;

    [[nodiscard]] const std::string &path() const { return m_path; }
    [[nodiscard]] int fd() const { return m_fd; }
    void keep() { m_kept = true; }

private:
    std::string m_path;
    int m_fd;
    bool m_kept = false;
};

Written fill(const Temporary &temporary, const std::string &text, const struct stat *old)
{
    std::size_t done = 0;
    while (done < text.size()) {
        const ssize_t n = ::write(temporary.fd(), text.data() + done, text.size() - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return failed("write", temporary.path());
        done += static_cast<std::size_t>(n);
    }
    if (old && ::fchown(temporary.fd(), old->st_uid, old->st_gid) != 0)
        return failed("owner", temporary.path());
    if (old && ::fchmod(temporary.fd(), old->st_mode & 07777U) != 0) // after chown, which may clear bits
        return failed("mode", temporary.path());
    if (::fsync(temporary.fd()) != 0)
        return failed("sync", temporary.path());
    return {};
}

Written changed(const std::string &path)
{
    return failure(WriteError{WriteError::Code::Changed, "rename", 0, path});
}

/// Exchanges both files and looks at what was there: if it is not what was expected, it goes back.
Written exchange(Temporary &temporary, const std::string &path, const std::string &expected)
{
    if (::renameat2(AT_FDCWD, temporary.path().c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) == 0) {
        if (bytesOf(temporary.path()) == expected)
            return {};
        if (::renameat2(AT_FDCWD, temporary.path().c_str(), AT_FDCWD, path.c_str(), RENAME_EXCHANGE) != 0)
            temporary.keep(); // the other program's text must not be lost
        return changed(path);
    }
    if (errno == ENOENT)
        return changed(path);
    if (errno != EINVAL && errno != ENOSYS)
        return failed("rename", path);
    // This file system cannot exchange. The text was compared before; a change in between is lost.
    if (::rename(temporary.path().c_str(), path.c_str()) != 0)
        return failed("rename", path);
    temporary.keep();
    return {};
}

Written place(Temporary &temporary, const std::string &path)
{
    if (::renameat2(AT_FDCWD, temporary.path().c_str(), AT_FDCWD, path.c_str(), RENAME_NOREPLACE) != 0) {
        if (errno == EEXIST)
            return changed(path);
        if (errno != EINVAL && errno != ENOSYS)
            return failed("rename", path);
        if (::link(temporary.path().c_str(), path.c_str()) != 0) // also never replaces
            return errno == EEXIST ? changed(path) : failed("rename", path);
        return {};
    }
    temporary.keep();
    return {};
}

Written syncFolder(const std::string &path)
{
    const std::string folder = paths::parentOf(path);
    const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const bool good = fd >= 0 && (::fsync(fd) == 0 || errno == EINVAL);
    const int error = errno;
    if (fd >= 0)
        ::close(fd);
    errno = error;
    return good ? Written() : failed("sync_folder", folder);
}

} // namespace

Result<void, WriteError> writePolicy(const std::string &path, const std::optional<std::string> &expected,
                                     const std::string &text)
{
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(path, error);
    const std::string target = error ? path : real.string();
    struct stat old{};
    const bool exists = ::stat(target.c_str(), &old) == 0;
    if (exists != expected.has_value() || (exists && bytesOf(target) != *expected))
        return changed(path);
    if (!exists && !std::filesystem::create_directories(paths::parentOf(target), error) && error) {
        errno = error.value();
        return failed("folder", paths::parentOf(target));
    }
    Temporary temporary(target);
    if (temporary.fd() < 0)
        return failed("open", target);
    if (Written filled = fill(temporary, text, exists ? &old : nullptr); !filled)
        return filled;
    if (Written moved = exists ? exchange(temporary, target, *expected) : place(temporary, target); !moved)
        return moved;
    return syncFolder(target);
}

} // namespace portcullis::resources
