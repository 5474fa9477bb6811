// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/leftovers.h"

#include "runner/confinement/run_mark.h"

#include <QCryptographicHash>

#include <cerrno>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <time.h>

namespace portcullis::confinement {

namespace {

/// The number after `Name:` in /proc/PID/status; nothing when the process is gone or the kernel has no such line.
std::optional<int> statusField(pid_t pid, std::string_view name)
{
    const std::string status = readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/status");
    const std::string wanted = "\n" + std::string(name) + ":\t";
    const std::size_t at = status.find(wanted);
    if (at == std::string::npos)
        return std::nullopt;
    int value = 0;
    const char *start = status.data() + at + wanted.size();
    if (std::from_chars(start, status.data() + status.size(), value).ec != std::errc())
        return std::nullopt;
    return value;
}

std::string nameOfProcess(pid_t pid)
{
    return readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/comm", 64);
}

/// What marks a process as one of a guard's: one more seccomp filter than ours, which nothing can take off, or the name
/// of the guard's init. A dead one has no filters any more, but still its no_new_privs.
class Mark
{
public:
    Mark()
        : m_ourFilters(statusField(getpid(), "Seccomp_filters").value_or(0))
        , m_ourNoNewPrivs(statusField(getpid(), "NoNewPrivs").value_or(0))
    {
    }
    bool alive(pid_t pid) const
    {
        return statusField(pid, "Seccomp_filters").value_or(0) > m_ourFilters
            || nameOfProcess(pid) == "portcullis-init\n";
    }
    bool dead(pid_t pid) const
    {
        return statusField(pid, "NoNewPrivs").value_or(0) > m_ourNoNewPrivs
            && nameOfProcess(pid) != "portcullis-guar\n";
    }

private:
    int m_ourFilters;
    int m_ourNoNewPrivs;
};

std::vector<pid_t> adopted(const std::vector<ProcessEntry> &all, const Mark &mark, bool over)
{
    std::vector<pid_t> found;
    for (const ProcessEntry &process : all) {
        const bool firstHasEnded = process.state == 'Z'; // and what is asked is asked of the first thread
        if (process.parent == getpid() && process.isOver() == over
            && (firstHasEnded ? mark.dead(process.pid) : mark.alive(process.pid)))
            found.push_back(process.pid);
    }
    return found;
}

/// Start of a process on the wall clock, from field 22 of its stat (clock ticks since boot).
std::optional<std::chrono::system_clock::time_point> startTime(pid_t pid)
{
    const std::string stat = readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/stat", 1024);
    std::size_t at = stat.rfind(')');
    constexpr int fieldsToSkip = 20; // from the name's end to just before field 22
    for (int i = 0; i < fieldsToSkip && at != std::string::npos; ++i)
        at = stat.find(' ', at + 1);
    if (at == std::string::npos)
        return std::nullopt;
    long long ticks = 0;
    std::from_chars(stat.data() + at + 1, stat.data() + stat.size(), ticks);
    timespec boot{};
    clock_gettime(CLOCK_BOOTTIME, &boot);
    const auto sinceBoot = std::chrono::milliseconds(ticks * 1000 / sysconf(_SC_CLK_TCK));
    const auto up = std::chrono::seconds(boot.tv_sec) + std::chrono::nanoseconds(boot.tv_nsec);
    return std::chrono::system_clock::now() - std::chrono::duration_cast<std::chrono::milliseconds>(up) + sinceBoot;
}

/// Where a smaller limit was in force already, there is no mark, and only the environment tells.
bool carriesRun(pid_t pid, std::uint64_t mark, const std::string &assignment)
{
    if (markOf(pid) == mark)
        return true;
    const std::string environment = readProcFile(AT_FDCWD, "/proc/" + std::to_string(pid) + "/environ", 256 * 1024);
    for (std::size_t at = 0; at < environment.size();) {
        const std::size_t end = std::min(environment.find('\0', at), environment.size());
        if (std::string_view(environment).substr(at, end - at) == assignment)
            return true;
        at = end + 1;
    }
    return false;
}

} // namespace

int killAdopted()
{
    const Mark mark;
    const std::size_t killed = killAll([&] {
        const std::vector<ProcessEntry> all = readProcesses();
        std::vector<pid_t> found = adopted(all, mark, false);
        const std::vector<pid_t> below = descendantsOf(all, found);
        found.insert(found.end(), below.begin(), below.end());
        return found;
    });
    for (const pid_t pid : adopted(readProcesses(), mark, true))
        waitpid(pid, nullptr, WNOHANG);
    return static_cast<int>(killed);
}

std::uint64_t markFor(std::string_view runId)
{
    const QByteArray hash = QCryptographicHash::hash(QByteArrayView(runId.data(), static_cast<qsizetype>(runId.size())),
                                                     QCryptographicHash::Sha256);
    std::uint64_t value = 0;
    for (qsizetype i = 0; i < 8; ++i)
        value = value << 8 | static_cast<unsigned char>(hash[i]);
    constexpr unsigned bits = 61;
    constexpr std::uint64_t least = 1ULL << bits;
    return least | (value & (least - 1));
}

int sweepLeftovers(std::string_view runId, std::chrono::system_clock::time_point notBefore)
{
    using namespace std::chrono_literals;
    constexpr int mostRounds = 20;
    const std::string assignment = std::string(runIdVariable) + "=" + std::string(runId);
    const std::uint64_t mark = markFor(runId);
    int killed = 0;
    for (int round = 0; round < mostRounds; ++round) {
        const std::size_t found = killAll([&] {
            std::vector<pid_t> pids;
            const std::vector<ProcessEntry> all = readProcesses();
            for (const ProcessEntry &process : all) {
                if (process.pid == getpid() || process.isOver() || !carriesRun(process.pid, mark, assignment))
                    continue;
                const auto started = startTime(process.pid);
                if (started && *started + 1s >= notBefore) // the kernel counts in hundredths of a second
                    pids.push_back(process.pid);
            }
            const std::vector<pid_t> below = descendantsOf(all, pids);
            pids.insert(pids.end(), below.begin(), below.end());
            std::ranges::sort(pids);
            const auto [first, last] = std::ranges::unique(pids);
            pids.erase(first, last);
            return pids;
        });
        if (found == 0)
            break;
        killed = std::max(killed, static_cast<int>(found));
        std::this_thread::sleep_for(5ms);
    }
    return killed;
}

} // namespace portcullis::confinement
