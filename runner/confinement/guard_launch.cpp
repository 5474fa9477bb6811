// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/guard_launch.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/syscall.h>

namespace portcullis::confinement {

namespace {

using wire::Step;

constexpr int controlInGuard = 3;

struct Pair {
    UniqueFd ours;
    UniqueFd theirs;
};

/// Out of the way of the numbers that the guard's own descriptors get.
UniqueFd lifted(UniqueFd fd)
{
    if (!fd || fd.get() > controlInGuard)
        return fd;
    return UniqueFd(fcntl(fd.get(), F_DUPFD_CLOEXEC, controlInGuard + 1));
}

Result<Pair, StartFailure> makePipe()
{
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return failure(StartFailure{Step::MakePipes, errno, {}});
    Pair pair{UniqueFd(ends[0]), lifted(UniqueFd(ends[1]))};
    if (!pair.theirs || fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK) != 0) // the command's end stays blocking
        return failure(StartFailure{Step::MakePipes, errno, {}});
    return pair;
}

Result<Pair, StartFailure> makeControl()
{
    std::array<int, 2> ends{-1, -1};
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()) != 0)
        return failure(StartFailure{Step::MakePipes, errno, {}});
    Pair pair{UniqueFd(ends[0]), lifted(UniqueFd(ends[1]))};
    if (!pair.theirs || fcntl(pair.ours.get(), F_SETFL, O_NONBLOCK) != 0)
        return failure(StartFailure{Step::MakePipes, errno, {}});
    return pair;
}

/// What posix_spawn(3) shall do in the child; freed at the end.
class SpawnSettings
{
public:
    SpawnSettings()
    {
        posix_spawn_file_actions_init(&m_actions);
        posix_spawnattr_init(&m_attributes);
        sigset_t all;
        sigset_t none;
        sigfillset(&all);
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&m_attributes, &all);
        posix_spawnattr_setsigmask(&m_attributes, &none);
        posix_spawnattr_setflags(&m_attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    SpawnSettings(const SpawnSettings &) = delete;
    SpawnSettings &operator=(const SpawnSettings &) = delete;
    ~SpawnSettings()
    {
        posix_spawn_file_actions_destroy(&m_actions);
        posix_spawnattr_destroy(&m_attributes);
    }

    void standardInput(int fd)
    {
        if (fd >= 0)
            place(fd, 0);
        else
            posix_spawn_file_actions_addopen(&m_actions, 0, "/dev/null", O_RDONLY, 0);
    }
    void place(int fd, int number) { posix_spawn_file_actions_adddup2(&m_actions, fd, number); }
    void closeAbove(int number) { posix_spawn_file_actions_addclosefrom_np(&m_actions, number + 1); }

    int spawn(const std::string &path, pid_t &pid) const
    {
        std::string name = "portcullis-guard";
        std::array<char *, 2> argv{name.data(), nullptr};
        std::array<char *, 1> environment{nullptr};
        return posix_spawn(&pid, path.c_str(), &m_actions, &m_attributes, argv.data(), environment.data());
    }

private:
    posix_spawn_file_actions_t m_actions;
    posix_spawnattr_t m_attributes;
};

} // namespace

Result<LaunchedGuard, StartFailure> launchGuard(const GuardLocation &guard, int standardInput)
{
    auto control = makeControl();
    auto out = makePipe();
    auto err = makePipe();
    for (const auto *pair : {&control, &out, &err}) {
        if (!*pair)
            return failure(pair->error());
    }
    UniqueFd input(standardInput >= 0 ? fcntl(standardInput, F_DUPFD_CLOEXEC, controlInGuard + 1) : -1);
    SpawnSettings settings;
    settings.standardInput(input.get());
    settings.place(out->theirs.get(), 1);
    settings.place(err->theirs.get(), 2);
    settings.place(control->theirs.get(), controlInGuard);
    settings.closeAbove(controlInGuard);
    LaunchedGuard launched;
    if (const int error = settings.spawn(guard.path(), launched.pid); error != 0)
        return failure(StartFailure{Step::SpawnGuard, error, guard.path()});
    launched.process.reset(static_cast<int>(syscall(SYS_pidfd_open, launched.pid, 0))); // not reaped: the id is ours
    if (!launched.process)
        return failure(StartFailure{Step::SpawnGuard, errno, guard.path()});
    launched.control = std::move(control->ours);
    launched.standardOutput = std::move(out->ours);
    launched.standardError = std::move(err->ours);
    return launched;
}

PlanSender::PlanSender(std::vector<UniqueFd> fds) : m_fds(std::move(fds)) { }

Sent PlanSender::send(int control)
{
    const auto result = [](ssize_t sent) {
        if (sent >= 0)
            return Sent::Everything;
        return errno == EAGAIN || errno == ETOOMANYREFS || errno == EINTR ? Sent::Later : Sent::Failed;
    };
    if (!m_greeted) {
        const std::string hello = wire::encode(wire::GuardHello{.fds = static_cast<std::uint32_t>(m_fds.size())});
        if (const Sent sent = result(::send(control, hello.data(), hello.size(), MSG_NOSIGNAL));
            sent != Sent::Everything)
            return sent;
        m_greeted = true;
    }
    while (m_next < m_fds.size()) {
        const std::size_t count = std::min<std::size_t>(m_fds.size() - m_next, wire::maxFdsPerPacket);
        std::vector<int> raw(count);
        for (std::size_t i = 0; i < count; ++i)
            raw[i] = m_fds[m_next + i].get();
        char byte = 0;
        iovec part{&byte, 1};
        alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * wire::maxFdsPerPacket)> space{};
        msghdr message{};
        message.msg_iov = &part;
        message.msg_iovlen = 1;
        message.msg_control = space.data();
        message.msg_controllen = CMSG_SPACE(sizeof(int) * count);
        cmsghdr *header = CMSG_FIRSTHDR(&message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof(int) * count);
        std::memcpy(CMSG_DATA(header), raw.data(), sizeof(int) * count);
        if (const Sent sent = result(sendmsg(control, &message, MSG_NOSIGNAL)); sent != Sent::Everything)
            return sent;
        m_next += count;
    }
    m_fds.clear();
    m_next = 0;
    return Sent::Everything;
}

} // namespace portcullis::confinement
