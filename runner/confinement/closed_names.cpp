// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/closed_names.h"

#include <algorithm>
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

enum class Kind { Folder, File, Link };
using Names = std::map<std::string, Kind>;

/// FNV-1a: a short, stable file name for a path and what is open in it.
std::string keyOf(const std::string &path, const OpenNames &open)
{
    std::string text = path;
    for (const std::string &file : open.files)
        (text += '\0') += file;
    for (const auto &[name, target] : open.links)
        ((((text += '\0') += name) += '/') += '>') += target;
    std::uint64_t hash = 0xcbf29ce484222325ULL;
    for (const char byte : text)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3ULL;
    std::array<char, 17> key{};
    std::snprintf(key.data(), key.size(), "%016llx", static_cast<unsigned long long>(hash));
    return key.data();
}

UniqueFd openListable(int directory, const char *path)
{
    return UniqueFd(openat(directory, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

Kind kindOf(mode_t mode)
{
    return S_ISDIR(mode) ? Kind::Folder : S_ISLNK(mode) ? Kind::Link : Kind::File;
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
        found.emplace(name, kindOf(known ? DTTOIF(entry->d_type) : about.st_mode));
    }
    return found;
}

/// The names that a view of `folder` has.
std::optional<Names> wantedNames(int folder, const OpenNames &open)
{
    std::optional<Names> names = list(folder);
    if (!names)
        return names;
    for (auto &[name, kind] : *names)
        kind = kind == Kind::Folder ? Kind::Folder : Kind::Link; // to the closed door
    for (const std::string &file : open.files)
        names->insert_or_assign(file, Kind::File);
    for (const auto &link : open.links)
        names->insert_or_assign(link.first, Kind::Link);
    return names;
}

bool make(int names, const std::string &name, Kind kind, const OpenNames &open)
{
    const auto link = open.links.find(name);
    const char *target = link != open.links.end() ? link->second.c_str() : wire::closedDoor;
    const int made = kind == Kind::Folder ? mkdirat(names, name.c_str(), 0)
        : kind == Kind::File              ? mknodat(names, name.c_str(), S_IFREG, 0)
                                          : symlinkat(target, names, name.c_str());
    return made == 0 || errno == EEXIST;
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
bool synchronise(int folder, int names, const OpenNames &open)
{
    const auto wanted = wantedNames(folder, open);
    const auto present = list(names);
    if (!wanted || !present)
        return false;
    for (const auto &[name, kind] : *present) {
        const auto same = wanted->find(name);
        if (same == wanted->end() || same->second != kind)
            unlinkat(names, name.c_str(), kind == Kind::Folder ? AT_REMOVEDIR : 0);
    }
    return std::ranges::all_of(*wanted,
                               [&](const auto &entry) { return make(names, entry.first, entry.second, open); });
}

bool update(int names, int folder, const struct stat &before, const OpenNames &open)
{
    const std::array<timespec, 2> stamp{timespec{.tv_sec = 0, .tv_nsec = UTIME_OMIT},
                                        timespec{before.st_mtim.tv_sec - stampOffset, before.st_mtim.tv_nsec}};
    return fchmod(names, 0711) == 0 && synchronise(folder, names, open)
        && (!isSettled(before) || futimens(names, stamp.data()) == 0);
}

} // namespace

std::optional<OpenedPath> closedNamesOf(const std::string &folder, const OpenNames &open, const OpenedPath &dataDir)
{
    const UniqueFd listed = openListable(AT_FDCWD, folder.c_str());
    const std::string place = ".portcullis/names/" + keyOf(folder, open);
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
    if (!matches(before, present) && !update(names.get(), listed.get(), before, open))
        return std::nullopt;
    return std::move(*opened);
}

} // namespace portcullis::confinement
