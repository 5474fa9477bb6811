// SPDX-License-Identifier: Apache-2.0
#include "app/guard/supervisor.h"

#include "app/guard/clock.h"
#include "app/guard/privileges.h"
#include "app/guard/process_tree.h"
#include "runner/confinement/free_space.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

/// Most commands have ended by then.
constexpr std::uint64_t firstLookMs = 50;

/// The last child's way to say why it could not become the command.
struct ExecFailure {
    std::uint32_t step = 0;
    std::int32_t error = 0;
};

[[noreturn]] void runChild(const CommandContext &context, pid_t supervisor, int failures)
{
    const Failure failure = becomeCommand(context, supervisor);
    const ExecFailure message{static_cast<std::uint32_t>(failure.step), failure.error};
    const ssize_t sent = write(failures, &message, sizeof message);
    _exit(sent == static_cast<ssize_t>(sizeof message) ? 127 : 126);
}

/// End of file: the exec closed the pipe.
Done readExecFailure(int failures, const wire::GuardPlan &plan)
{
    ExecFailure message;
    const ssize_t got = TEMP_FAILURE_RETRY(read(failures, &message, sizeof message));
    if (got == 0)
        return {};
    if (got != static_cast<ssize_t>(sizeof message) || message.step >= static_cast<std::uint32_t>(Step::Count))
        return failedWith(Step::Execute, EPROTO);
    const auto step = static_cast<Step>(message.step);
    const bool atCwd = step == Step::WorkingDirectory;
    return failedWith(step, message.error,
                      step == Step::Execute ? plan.argv.front()
                          : atCwd           ? plan.cwd
                                            : std::string());
}

} // namespace

Done leaveStandardStreams()
{
    const UniqueFd null(open("/dev/null", O_RDWR | O_CLOEXEC));
    for (int fd = 0; fd <= 2; ++fd) {
        if (!null || dup2(null.get(), fd) < 0)
            return failed(Step::StandardStreams);
    }
    return {};
}

Supervisor::Supervisor(int control, int lifeline, bool isInit)
    : m_control(control), m_lifeline(lifeline), m_isInit(isInit)
{
}

Done Supervisor::startCommand(const CommandContext &context)
{
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    sigprocmask(SIG_BLOCK, &children, nullptr);
    m_signals.reset(signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK));
    std::array<int, 2> ends{-1, -1};
    if (!m_signals || pipe2(ends.data(), O_CLOEXEC) != 0)
        return failed(Step::ForkCommand);
    UniqueFd reading(ends[0]);
    UniqueFd writing(ends[1]);
    m_report.kind = wire::Report::Starting; // said before it is so: we may not come to say it afterwards
    sendReport(m_control, m_report);
    const pid_t self = getpid();
    m_command = fork();
    if (m_command < 0)
        return failed(Step::ForkCommand);
    if (m_command == 0)
        runChild(context, self, writing.get());
    writing.reset();
    if (Done done = settle(context); !done)
        return done;
    return readExecFailure(reading.get(), context.plan);
}

/// What the supervisor itself gives up once the command's process exists.
Done Supervisor::settle(const CommandContext &context)
{
    if (Done done = leaveStandardStreams(); !done)
        return done;
    if (!context.dropPrivileges)
        return {};
    lookAsUser(context.plan);
    return keepOnlyKill();
}

Done Supervisor::run(const CommandContext &context)
{
    m_grace = context.plan.graceMs;
    if (Done done = startCommand(context); !done) {
        endTree();
        return done;
    }
    m_report.kind = wire::Report::Started;
    sendReport(m_control, m_report);
    if (context.plan.timeLimitMs > 0)
        m_deadline = nowMs() + context.plan.timeLimitMs;
    if (context.plan.memoryBytes != 0) {
        m_memory.emplace(MemoryUse(context.filesInMemory, m_isInit), context.plan.memoryBytes);
        m_nextMemoryLook = nowMs() + firstLookMs;
    }
    m_room = context.plan.freeBytes;
    m_ownFolders = context.ownFolders;
    if (m_room != 0)
        m_nextRoomLook = nowMs();
    watch();
    endTree();
    reportEnd();
    return {};
}

void Supervisor::watch()
{
    while (m_phase != Phase::Over) {
        std::array<pollfd, 4> watched{pollfd{m_control, POLLIN, 0}, pollfd{m_lifeline, 0, 0},
                                      pollfd{m_signals.get(), POLLIN, 0},
                                      pollfd{m_memory ? m_memory->descriptor() : -1, POLLIN, 0}};
        const int ready = poll(watched.data(), watched.size(), untilLook());
        if (ready < 0 && errno != EINTR)
            m_phase = Phase::Over;
        if (watched[1].revents != 0)
            m_phase = Phase::Over;
        if (watched[0].revents != 0)
            onControl();
        if (watched[2].revents != 0)
            onChildren();
        if (m_phase != Phase::Over && watched[3].revents != 0)
            stopForMemory();
        if (m_phase != Phase::Over && m_deadline != 0 && nowMs() >= m_deadline)
            onDeadline();
        if (m_phase != Phase::Over && nowMs() >= m_nextRoomLook)
            lookAtRoom();
        if (m_phase != Phase::Over && nowMs() >= m_nextMemoryLook)
            watchMemory();
    }
}

int Supervisor::untilDeadline() const
{
    if (m_deadline == 0)
        return -1;
    const std::uint64_t now = nowMs();
    return now >= m_deadline ? 0 : static_cast<int>(std::min<std::uint64_t>(m_deadline - now, 60'000));
}

/// Until the deadline or the next look, whichever comes first; −1: neither.
int Supervisor::untilLook() const
{
    const int deadline = untilDeadline();
    const std::uint64_t next = std::min(m_nextMemoryLook, m_nextRoomLook);
    if (next == never)
        return deadline;
    const std::uint64_t now = nowMs();
    const int look = now >= next ? 0 : static_cast<int>(std::min<std::uint64_t>(next - now, 60'000));
    return deadline < 0 ? look : std::min(deadline, look);
}

/// The nearer the floor, the sooner again: a fast disk takes megabytes in a millisecond.
void Supervisor::lookAtRoom()
{
    constexpr std::uint64_t leastMs = 5;
    constexpr std::uint64_t mostMs = 100;
    constexpr std::uint64_t bytesInMs = 4'000'000;
    constexpr std::uint64_t filesInMs = 200;
    std::uint64_t left = UINT64_MAX;
    std::uint64_t files = UINT64_MAX;
    for (const int fd : m_ownFolders) {
        left = std::min(left, confinement::roomOf(fd));
        files = std::min(files, confinement::filesToSpare(fd));
    }
    m_report.roomExceeded = left < m_room;
    m_report.filesExceeded = files == 0;
    if (m_report.roomExceeded || m_report.filesExceeded) {
        m_phase = Phase::Over;
        return;
    }
    m_nextRoomLook = nowMs() + std::clamp(std::min((left - m_room) / bytesInMs, files / filesInMs), leastMs, mostMs);
}

/// Starts the watch when its time has come, and then sees that it does not hang.
void Supervisor::watchMemory()
{
    constexpr std::uint64_t betweenMs = 1000;
    constexpr std::uint64_t againMs = 100;
    if (m_memory->isRunning() || m_memory->start()) {
        if (m_memory->isStuck(nowMs()))
            stopForMemory();
        m_nextMemoryLook = nowMs() + betweenMs;
        return;
    }
    if (m_memory->exceeds())
        stopForMemory();
    m_nextMemoryLook = nowMs() + againMs;
}

void Supervisor::stopForMemory()
{
    m_report.memoryExceeded = true;
    m_phase = Phase::Over;
}

void Supervisor::onControl()
{
    std::uint8_t order = 0;
    const ssize_t got = TEMP_FAILURE_RETRY(recv(m_control, &order, sizeof order, MSG_DONTWAIT));
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
        return;
    if (got <= 0) // the runner is gone
        m_phase = Phase::Over;
    else if (order == static_cast<std::uint8_t>(wire::Order::Cancel) && m_phase == Phase::Running)
        terminate(wire::EndReason::Cancelled);
}

void Supervisor::onChildren()
{
    std::array<signalfd_siginfo, 8> drained;
    while (read(m_signals.get(), drained.data(), sizeof drained) > 0) { }
    reap();
    if (m_commandEnded && (m_phase == Phase::Running || m_nothingLeft))
        m_phase = Phase::Over;
}

void Supervisor::reap()
{
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (pid == m_command) {
            m_commandEnded = true;
            m_status = status;
        }
    }
    m_nothingLeft = pid < 0 && errno == ECHILD;
}

void Supervisor::onDeadline()
{
    if (m_phase == Phase::Running) {
        terminate(wire::EndReason::TimedOut);
    } else {
        m_report.killForced = true;
        m_phase = Phase::Over;
    }
}

/// TERM to all of the run; CONT after it, because a stopped process does not see it.
void Supervisor::terminate(wire::EndReason reason)
{
    m_report.reason = reason;
    m_phase = Phase::Terminating;
    m_deadline = nowMs() + m_grace;
    for (const int number : {SIGTERM, SIGCONT}) {
        if (m_isInit)
            kill(-1, number);
        else
            signalTree(number);
    }
}

/// Kills and reaps whatever is left, until the kernel says that there is nothing.
void Supervisor::endTree()
{
    constexpr std::uint64_t patienceMs = 5'000; // for processes that hang inside the kernel
    reap();
    if (m_nothingLeft)
        return;
    m_report.killedBackground =
        m_commandEnded && m_phase == Phase::Over && m_report.reason == wire::EndReason::Finished;
    const std::uint64_t until = nowMs() + patienceMs;
    while (!m_nothingLeft && nowMs() < until) {
        if (m_isInit)
            kill(-1, SIGKILL);
        else
            killTree();
        pollfd watched{m_signals.get(), POLLIN, 0};
        poll(&watched, 1, 20);
        onChildren();
    }
}

void Supervisor::reportEnd()
{
    m_report.kind = wire::Report::Ended;
    if (WIFEXITED(m_status))
        m_report.exitCode = WEXITSTATUS(m_status);
    else if (WIFSIGNALED(m_status))
        m_report.signal = WTERMSIG(m_status);
    sendReport(m_control, m_report);
}

} // namespace portcullis::guard
