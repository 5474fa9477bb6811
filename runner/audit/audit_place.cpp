// SPDX-License-Identifier: Apache-2.0
#include "runner/audit/audit_place.h"

#include <QDir>
#include <QFile>

#include <array>
#include <cerrno>
#include <optional>
#include <tuple>

#include <fcntl.h>
#include <grp.h>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::audit {
namespace {

constexpr std::string_view rootFolder = "/var/lib/portcullis";

AuditError placeError(AuditError::Code code, std::string_view step, const std::string &path, int number)
{
    AuditError error;
    error.code = code;
    error.step = step;
    error.path = path;
    error.systemErrno = number;
    return error;
}

AuditError::Code codeOfErrno(int number)
{
    switch (number) {
    case EROFS:
    case EACCES:
    case EPERM:
        return AuditError::Code::ReadOnly;
    case ENOSPC:
    case EDQUOT:
        return AuditError::Code::Full;
    default:
        return AuditError::Code::CannotOpen;
    }
}

std::string folderOf(const std::string &path)
{
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos)
        return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

std::optional<gid_t> groupId(std::string_view name)
{
    std::array<char, 16384> buffer{};
    struct group entry{};
    struct group *found = nullptr;
    const std::string text(name);
    if (text.empty() || ::getgrnam_r(text.c_str(), &entry, buffer.data(), buffer.size(), &found) != 0
        || found == nullptr)
        return std::nullopt;
    return found->gr_gid;
}

bool writable(const std::string &path)
{
    return ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) == 0;
}

/// A folder that we make is for its owner, and for the group where the file is.
Result<void, AuditError> makeFolder(const std::string &path, bool shared, std::optional<gid_t> group)
{
    const std::string folder = folderOf(path);
    struct stat info{};
    if (::stat(folder.c_str(), &info) == 0)
        return {};
    const QString parent = QFile::decodeName(folderOf(folder).c_str());
    if (!QDir().mkpath(parent) || (::mkdir(folder.c_str(), shared ? 0750 : 0700) != 0 && errno != EEXIST))
        return failure(placeError(codeOfErrno(errno), "make_folder", path, errno));
    if (shared && group)
        std::ignore = ::chown(folder.c_str(), static_cast<uid_t>(-1), *group);
    return {};
}

Result<void, AuditError> makeFile(const std::string &path, int mode, std::optional<gid_t> group)
{
    QFile file(QFile::decodeName(path.c_str()));
    if (!file.open(QIODevice::ReadWrite | QIODevice::NewOnly, QFile::ReadOwner | QFile::WriteOwner)) {
        if (errno == EEXIST)
            return {};
        return failure(placeError(codeOfErrno(errno), "make_file", path, errno));
    }
    if (mode != 0600) {
        if (group)
            std::ignore = ::fchown(file.handle(), static_cast<uid_t>(-1), *group);
        std::ignore = ::fchmod(file.handle(), static_cast<mode_t>(mode)); // SQLite gives its other files the same mode
    }
    return {};
}

/// As for the configuration: what others can change proves nothing. A folder with the sticky bit keeps our file ours.
bool isTrusted(const struct stat &file, const struct stat &folder)
{
    constexpr mode_t byOthers = S_IWGRP | S_IWOTH;
    const bool ours = file.st_uid == 0 || file.st_uid == ::geteuid();
    return ours && (file.st_mode & byOthers) == 0
        && ((folder.st_mode & byOthers) == 0 || (folder.st_mode & S_ISVTX) != 0);
}

} // namespace

int auditFileMode(bool root, std::string_view path)
{
    const bool shared = root && path.starts_with(rootFolder) && path.substr(rootFolder.size()).starts_with('/');
    return shared ? 0640 : 0600;
}

Result<void, AuditError> prepareForWriting(const std::string &path, std::string_view group)
{
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0) {
        if (errno != ENOENT)
            return failure(placeError(AuditError::Code::CannotOpen, "open", path, errno));
        const int mode = auditFileMode(::geteuid() == 0, path);
        const std::optional<gid_t> id = mode == 0640 ? groupId(group) : std::nullopt;
        if (auto made = makeFolder(path, mode == 0640, id); !made)
            return made;
        if (auto made = makeFile(path, mode, id); !made)
            return made;
        if (::stat(path.c_str(), &info) != 0)
            return failure(placeError(AuditError::Code::CannotOpen, "open", path, errno));
    }
    if (!S_ISREG(info.st_mode))
        return failure(placeError(AuditError::Code::CannotOpen, "open", path, S_ISDIR(info.st_mode) ? EISDIR : EINVAL));
    if (!writable(path) || !writable(folderOf(path)))
        return failure(placeError(AuditError::Code::ReadOnly, "open", path, errno));
    struct stat folder{};
    if (::stat(folderOf(path).c_str(), &folder) != 0 || !isTrusted(info, folder))
        return failure(placeError(AuditError::Code::NotTrusted, "open", path, 0));
    return {};
}

Result<ReadPlace, AuditError> lookForReading(const std::string &path)
{
    struct stat info{};
    if (::stat(path.c_str(), &info) != 0)
        return failure(placeError(AuditError::Code::CannotOpen, "open", path, errno));
    if (!S_ISREG(info.st_mode))
        return failure(placeError(AuditError::Code::CannotOpen, "open", path, S_ISDIR(info.st_mode) ? EISDIR : EINVAL));
    if (::faccessat(AT_FDCWD, path.c_str(), R_OK, AT_EACCESS) != 0)
        return failure(placeError(AuditError::Code::CannotOpen, "open", path, errno));
    ReadPlace place;
    const std::string log = path + "-wal";
    place.logExists = ::stat(log.c_str(), &info) == 0 && info.st_size > 0;
    place.folderWritable = writable(folderOf(path));
    return place;
}

} // namespace portcullis::audit
