// SPDX-License-Identifier: Apache-2.0
#include "runner/resources/trusted_file.h"

#include "runner/base/paths.h"
#include "runner/policy/problem.h"
#include "runner/resources/trusted_place.h"

#include <QFile>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <format>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::resources {
namespace {

using policy::NamedText;
using policy::Problem;
using policy::ProblemCode;

constexpr mode_t writableByOthers = S_IWGRP | S_IWOTH;

Problem problem(const std::string &path, ProblemCode code, std::string found = {})
{
    Problem out;
    out.code = nameOf(code);
    out.file = path;
    out.found = std::move(found);
    return out;
}

Problem openProblem(const std::string &path, int error)
{
    if (error == ENOENT || error == ENOTDIR)
        return problem(path, ProblemCode::NotFound);
    const char *name = ::strerrorname_np(error);
    return problem(path, ProblemCode::NotReadable, name ? name : std::to_string(error));
}

bool belongsToUs(const struct stat &status)
{
    return status.st_uid == 0 || status.st_uid == ::geteuid();
}

std::string octal(mode_t mode)
{
    return std::format("{:04o}", mode & 07777U);
}

/// In a folder that others may write, anybody can put another file in the place of ours; the sticky bit prevents it.
std::optional<Problem> folderProblem(const std::string &folder)
{
    struct stat status{};
    if (::stat(folder.c_str(), &status) != 0)
        return openProblem(folder, errno);
    const bool open = (status.st_mode & writableByOthers) != 0 && (status.st_mode & S_ISVTX) == 0;
    return open ? std::optional(problem(folder, ProblemCode::FolderWritableByOthers, octal(status.st_mode)))
                : std::nullopt;
}

/// The folder of the name, and where the name is a link also that of the file itself.
std::optional<Problem> foldersProblem(const std::string &file)
{
    if (std::optional<Problem> found = folderProblem(paths::parentOf(file)))
        return found;
    std::error_code error;
    const std::filesystem::path real = std::filesystem::canonical(file, error);
    return error ? std::optional(openProblem(file, error.value())) : folderProblem(real.parent_path().string());
}

/// A folder or a link on the way that is in the hands of others.
Problem linkProblem(const PlaceError &error)
{
    struct stat status{};
    if (error.code != PlaceError::Code::NotTrusted || ::lstat(error.path.c_str(), &status) != 0)
        return openProblem(error.path, error.errnoValue);
    return belongsToUs(status) ? problem(error.path, ProblemCode::FolderWritableByOthers, octal(status.st_mode))
                               : problem(error.path, ProblemCode::NotOurs, std::to_string(status.st_uid));
}

std::optional<Problem> trustProblem(const std::string &path, const struct stat &status)
{
    if (!belongsToUs(status))
        return problem(path, ProblemCode::NotOurs, std::to_string(status.st_uid));
    if ((status.st_mode & writableByOthers) != 0)
        return problem(path, ProblemCode::WritableByOthers, octal(status.st_mode));
    if (std::optional<Problem> found = foldersProblem(path))
        return found;
    const auto links = checkLinks(path);
    if (links)
        return std::nullopt;
    return linkProblem(links.error());
}

Result<NamedText, Problem> read(const std::string &path, std::size_t maxBytes, bool askTrust)
{
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return failure(openProblem(path, errno));
    QFile file;
    if (!file.open(fd, QIODevice::ReadOnly | QIODevice::Unbuffered, QFileDevice::AutoCloseHandle)) {
        ::close(fd); // a folder
        return failure(problem(path, ProblemCode::NotRegular));
    }
    struct stat status{};
    if (::fstat(fd, &status) != 0)
        return failure(openProblem(path, errno));
    if (!S_ISREG(status.st_mode))
        return failure(problem(path, ProblemCode::NotRegular));
    if (std::optional<Problem> found = askTrust ? trustProblem(path, status) : std::nullopt)
        return failure(std::move(*found));
    const QByteArray bytes = file.read(static_cast<qint64>(maxBytes) + 1);
    if (static_cast<std::size_t>(bytes.size()) > maxBytes)
        return failure(problem(path, ProblemCode::FileTooLarge, std::to_string(status.st_size)));
    if (file.error() != QFileDevice::NoError)
        return failure(openProblem(path, EIO));
    return NamedText{path, bytes.toStdString(), {}};
}

} // namespace

Result<NamedText, Problem> readTrustedFile(const std::string &path, std::size_t maxBytes)
{
    return read(path, maxBytes, true);
}

Result<NamedText, Problem> readOwnFile(const std::string &path, std::size_t maxBytes)
{
    return read(path, maxBytes, false);
}

Problem unreadable(const std::string &path, int error)
{
    return openProblem(path, error);
}

Result<void, Problem> checkTrustedFolder(const std::string &path)
{
    struct stat status{};
    if (::stat(path.c_str(), &status) != 0)
        return failure(openProblem(path, errno));
    if (!S_ISDIR(status.st_mode))
        return failure(problem(path, ProblemCode::NotFolder));
    if (!belongsToUs(status))
        return failure(problem(path, ProblemCode::NotOurs, std::to_string(status.st_uid)));
    if ((status.st_mode & writableByOthers) != 0)
        return failure(problem(path, ProblemCode::FolderWritableByOthers, octal(status.st_mode)));
    return {};
}

} // namespace portcullis::resources
