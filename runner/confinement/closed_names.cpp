// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/closed_names.h"

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::confinement {

namespace {

using Names = std::map<std::string, bool>; ///< name → is a folder

/// FNV-1a: a short, stable file name for a path.
std::string keyOf(const std::string &path)
{
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char byte : path)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
    return text.data();
}

UniqueFd openListable(int directory, const char *path)
{
    return UniqueFd(openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

std::optional<Names> list(int folder)
{
    const std::unique_ptr<DIR, int (*)(DIR *)> names(fdopendir(openListable(folder, ".").release()), closedir);
    if (!names)
        return std::nullopt;
    Names found;
    while (const dirent *entry = readdir(names.get())) {
        const std::string name = entry->d_name;
        if (name == "." || name == "..")
            continue;
        struct stat about{};
        const bool known = entry->d_type != DT_UNKNOWN;
        if (!known && fstatat(folder, name.c_str(), &about, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        found.emplace(name, known ? entry->d_type == DT_DIR : S_ISDIR(about.st_mode));
    }
    return found;
}

/// The stamp of an up-to-date copy is its folder's time, moved: a copy that was made in the same tick must not look
/// like one that is up to date.
constexpr time_t stampOffset = 1'000'000'000;

bool matches(const struct stat &folder, const struct stat &names)
{
    return folder.st_mtim.tv_sec - stampOffset == names.st_mtim.tv_sec
        && folder.st_mtim.tv_nsec == names.st_mtim.tv_nsec;
}

/// Times move in ticks: a change right after the listing may leave the time as it was.
bool isSettled(const struct stat &folder)
{
    constexpr time_t settleSeconds = 2;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec - folder.st_mtim.tv_sec >= settleSeconds;
}

/// Another process may be doing the same: what it did is not an error.
bool synchronise(int folder, int names)
{
    const auto wanted = list(folder);
    const auto present = list(names);
    if (!wanted || !present)
        return false;
    for (const auto &[name, isFolder] : *present) {
        const auto same = wanted->find(name);
        if (same == wanted->end() || same->second != isFolder)
            unlinkat(names, name.c_str(), isFolder ? AT_REMOVEDIR : 0);
    }
    for (const auto &[name, isFolder] : *wanted) {
        const int made = isFolder ? mkdirat(names, name.c_str(), 0) : symlinkat(wire::closedDoor, names, name.c_str());
        if (made != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

bool update(int names, int folder, const struct stat &before)
{
    const std::array<timespec, 2> stamp{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                        timespec{before.st_mtim.tv_sec - stampOffset, before.st_mtim.tv_nsec}};
    return fchmod(names, 0711) == 0 && synchronise(folder, names)
        && (!isSettled(before) || futimens(names, stamp.data()) == 0);
}

} // namespace

std::optional<OpenedPath> closedNamesOf(const std::string &folder, const OpenedPath &dataDir)
{
    const UniqueFd listed = openListable(AT_FDCWD, folder.c_str());
    const std::string place = ".portcullis/names/" + keyOf(folder);
    struct stat before{};
    if (!listed || fstat(listed.get(), &before) != 0 || !createBeneath(dataDir, place, {geteuid(), getegid()}))
        return std::nullopt;
    auto opened = openBeneath(dataDir, place, wire::Step::OpenGrant);
    if (!opened || opened->owner != geteuid())
        return std::nullopt;
    const UniqueFd names = openListable(opened->fd.get(), ".");
    struct stat present{};
    if (!names || fstat(names.get(), &present) != 0)
        return std::nullopt;
    if (!matches(before, present) && !update(names.get(), listed.get(), before))
        return std::nullopt;
    return std::move(*opened);
}

} // namespace portcullis::confinement
