// SPDX-License-Identifier: Apache-2.0
#include "app/guard/memory_use.h"

#include "app/guard/clock.h"
#include "app/guard/process_tree.h"
#include "runner/confinement/process_table.h"

#include <algorithm>
#include <cerrno>
#include <set>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

using confinement::UniqueFd;

/// Of a process or of several: pages of its own, and pages of files in memory that it has mapped.
struct Mapped {
    std::uint64_t own = 0;
    std::uint64_t shared = 0;
    Mapped &operator+=(const Mapped &other)
    {
        own += other.own;
        shared += other.shared;
        return *this;
    }
};

/// The bytes of a line `NAME: 123 kB`; 0 where there is none.
std::uint64_t bytesIn(std::string_view text, std::string_view name)
{
    const std::size_t line = text.find(name);
    if (line == std::string_view::npos)
        return 0;
    std::uint64_t kilobytes = 0;
    const std::size_t start = std::min(text.find_first_not_of(" \t", line + name.size()), text.size());
    std::from_chars(text.data() + start, text.data() + text.size(), kilobytes);
    return kilobytes * 1024;
}

/// Calls `visit` with the folder in /proc of each thread until it says that this was enough.
template <class Visit>
void eachThread(pid_t pid, Visit visit)
{
    const std::string path = "/proc/" + std::to_string(pid) + "/task";
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
    while (const dirent *entry = folder ? readdir(folder.get()) : nullptr) {
        if (entry->d_name[0] != '.' && visit(path + '/' + entry->d_name))
            return;
    }
}

/// Where /proc tells of the memory of a process, with the text of its `status`.
struct Place {
    std::string folder;
    std::string status;
};

/// When its first thread has ended, it is the place of another.
Place placeOf(pid_t pid)
{
    const auto look = [](std::string folder) {
        std::string status = confinement::readProcFile(AT_FDCWD, folder + "/status");
        return Place{std::move(folder), std::move(status)};
    };
    const auto tells = [](const Place &place) { return place.status.contains("\nVmSize:"); };
    Place place = look("/proc/" + std::to_string(pid));
    if (tells(place))
        return place;
    eachThread(pid, [&](const std::string &folder) {
        Place thread = look(folder);
        if (!tells(thread))
            return false;
        place = std::move(thread);
        return true;
    });
    return place;
}

/// A page table is never shared, and may be all that a process has: pages that it has only read take none themselves.
std::uint64_t pageTablesIn(std::string_view status)
{
    return bytesIn(status, "\nVmPTE:");
}

Mapped residentOf(pid_t pid)
{
    const std::string text = placeOf(pid).status;
    return {bytesIn(text, "\nRssAnon:") + bytesIn(text, "\nVmSwap:") + pageTablesIn(text),
            bytesIn(text, "\nRssShmem:")};
}

/// A process that has made itself not dumpable belongs to root in /proc, and no command runs as root. The first of its
/// namespace may ask every other process, so there one that cannot be asked has made itself so (proc(5),
/// PR_SET_DUMPABLE).
bool hidesItsMemory(pid_t pid)
{
    struct stat about{};
    return getpid() == 1
        || (stat(("/proc/" + std::to_string(pid) + "/status").c_str(), &about) == 0 && about.st_uid == 0);
}

/// Of what several processes share, this one's part; all that it holds where it hides that; 0 where we may not ask.
Mapped proportionOf(pid_t pid)
{
    const Place place = placeOf(pid);
    const std::string text = confinement::readProcFile(AT_FDCWD, place.folder + "/smaps_rollup");
    if (text.empty())
        return hidesItsMemory(pid) ? residentOf(pid) : Mapped();
    return {bytesIn(text, "\nPss_Anon:") + bytesIn(text, "\nSwapPss:") + pageTablesIn(place.status),
            bytesIn(text, "\nPss_Shmem:")};
}

/// Whether a thread has other descriptors than the first one of its process: it has given up the common ones
/// (unshare(2), CLONE_FILES), or the first one has ended. kcmp(2), without which nobody can tell.
bool hasOwnFiles(const std::string &thread, pid_t pid)
{
    constexpr int files = 2; // KCMP_FILES
    pid_t number = 0;
    const std::size_t name = thread.rfind('/') + 1;
    std::from_chars(thread.data() + name, thread.data() + thread.size(), number);
    if (number == pid)
        return false;
    const long order = syscall(SYS_kcmp, pid, number, files, 0, 0);
    return order != 0 && (order > 0 || errno != ENOSYS);
}

std::uint64_t usedOn(int fileSystem)
{
    struct statfs about{};
    if (fstatfs(fileSystem, &about) != 0)
        return 0;
    return (about.f_blocks - about.f_bfree) * static_cast<std::uint64_t>(about.f_bsize);
}

std::uint64_t systemVSegments()
{
    shm_info info{};
    if (shmctl(0, SHM_INFO, reinterpret_cast<shmid_ds *>(&info)) < 0) // as shmctl(2) wants it
        return 0;
    return info.shm_rss * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

/// All files in memory of the machine: an upper bound that costs one call.
std::uint64_t sharedOfMachine()
{
    struct sysinfo machine{};
    return sysinfo(&machine) == 0 ? std::uint64_t{machine.sharedram} * machine.mem_unit : UINT64_MAX / 2;
}

} // namespace

/// How much one look may cost, in processor time: a machine that is busy with others makes nobody guilty.
class MemoryUse::Budget
{
public:
    /// Asked once for each thing that is looked at. Once spent, always spent.
    [[nodiscard]] bool isSpent()
    {
        constexpr unsigned things = 64; // asking the clock is dearer than most of them
        if (!m_spent && m_asked++ % things == 0)
            return look();
        return m_spent;
    }
    /// … and after something dear.
    [[nodiscard]] bool look()
    {
        constexpr std::uint64_t mostMs = 2000;
        m_spent = m_spent || nowMs(CLOCK_THREAD_CPUTIME_ID) - m_start > mostMs;
        return m_spent;
    }

private:
    std::uint64_t m_start = nowMs(CLOCK_THREAD_CPUTIME_ID);
    unsigned m_asked = 0;
    bool m_spent = false;
};

MemoryUse::MemoryUse(std::vector<int> fileSystems, bool ownIpc)
    : m_fileSystems(std::move(fileSystems)), m_ownIpc(ownIpc)
{
    const UniqueFd sample(memfd_create("", MFD_CLOEXEC));
    struct stat about{};
    if (sample && fstat(sample.get(), &about) == 0)
        m_anonymousFiles = about.st_dev;
}

/// Files of the device of memfd_create(2) that are open in the process or thread at `place` and not in `seen` yet.
std::uint64_t MemoryUse::openFiles(const std::string &place, std::set<ino_t> &seen, Budget &budget) const
{
    const std::string path = place + "/fd";
    const std::unique_ptr<DIR, int (*)(DIR *)> folder(opendir(path.c_str()), closedir);
    std::uint64_t bytes = 0;
    while (const dirent *entry = folder && !budget.isSpent() ? readdir(folder.get()) : nullptr) {
        constexpr std::uint64_t blockSize = 512; // stat(2)
        struct stat about{};
        if (fstatat(dirfd(folder.get()), entry->d_name, &about, 0) == 0 && about.st_dev == m_anonymousFiles
            && S_ISREG(about.st_mode) && seen.insert(about.st_ino).second)
            bytes += static_cast<std::uint64_t>(about.st_blocks) * blockSize;
    }
    return bytes;
}

std::uint64_t MemoryUse::files(const std::vector<pid_t> &processes, Budget &budget) const
{
    std::uint64_t bytes = m_ownIpc ? systemVSegments() : 0;
    for (const int fileSystem : m_fileSystems)
        bytes += usedOn(fileSystem);
    std::set<ino_t> seen;
    for (const pid_t pid : processes) {
        bytes += openFiles("/proc/" + std::to_string(pid), seen, budget);
        eachThread(pid, [&](const std::string &thread) {
            if (hasOwnFiles(thread, pid))
                bytes += openFiles(thread, seen, budget);
            return budget.isSpent();
        });
    }
    return bytes;
}

bool MemoryUse::exceeds(std::uint64_t limit) const
{
    const std::vector<pid_t> processes = descendants();
    Mapped resident;
    std::uint64_t largest = 0;
    for (const pid_t pid : processes) {
        const Mapped one = residentOf(pid);
        resident += one;
        largest = std::max(largest, one.own + one.shared);
    }
    if (largest > limit)
        return true;
    if (resident.own + std::max(resident.shared, sharedOfMachine()) <= limit)
        return false;
    // What is mapped may be of the files that are counted, and then it is there once.
    Budget budget;
    const std::uint64_t inFiles = files(processes, budget);
    if (budget.look())
        return true;
    if (resident.own + std::max(resident.shared, inFiles) <= limit)
        return false;
    Mapped proportional; // costs most, so it is asked last
    for (const pid_t pid : processes) {
        if (budget.look())
            return true;
        proportional += proportionOf(pid);
    }
    return proportional.own + std::max(proportional.shared, inFiles) > limit;
}

} // namespace portcullis::guard
