// SPDX-License-Identifier: Apache-2.0
#include "tests/support/held_call.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace portcullis::test {
namespace {

/// A message of one byte with room for one descriptor.
class OneDescriptor
{
public:
    OneDescriptor()
    {
        m_message.msg_iov = &m_data;
        m_message.msg_iovlen = 1;
        m_message.msg_control = m_control.data();
        m_message.msg_controllen = m_control.size();
    }
    OneDescriptor(const OneDescriptor &) = delete;
    OneDescriptor &operator=(const OneDescriptor &) = delete;

    bool send(int socket, int fd)
    {
        cmsghdr *header = CMSG_FIRSTHDR(&m_message);
        header->cmsg_level = SOL_SOCKET;
        header->cmsg_type = SCM_RIGHTS;
        header->cmsg_len = CMSG_LEN(sizeof fd);
        std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
        return sendmsg(socket, &m_message, MSG_NOSIGNAL) == 1;
    }

    /// -1: none has come.
    int receive(int socket)
    {
        int fd = -1;
        if (recvmsg(socket, &m_message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC) != 1)
            return fd;
        const cmsghdr *header = CMSG_FIRSTHDR(&m_message);
        if (header != nullptr && header->cmsg_type == SCM_RIGHTS)
            std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
        return fd;
    }

private:
    char m_byte = 0;
    iovec m_data{&m_byte, 1};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> m_control{};
    msghdr m_message{};
};

} // namespace

HeldCall::HeldCall(int call) : m_call(call)
{
    // Errors show when nothing can be received.
    (void)!socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, m_sockets.data());
}

HeldCall::~HeldCall()
{
    for (const int fd : {m_sockets[0], m_sockets[1], m_listener}) {
        if (fd >= 0)
            close(fd);
    }
}

bool HeldCall::install() const
{
    sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(m_call), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog program{static_cast<unsigned short>(std::size(code)), code};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return false;
    const long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    if (listener < 0)
        return false;
    const bool sent = OneDescriptor().send(m_sockets[1], static_cast<int>(listener));
    close(static_cast<int>(listener));
    return sent;
}

bool HeldCall::listen()
{
    m_listener = OneDescriptor().receive(m_sockets[0]);
    return m_listener >= 0;
}

std::optional<pid_t> HeldCall::next(std::chrono::milliseconds patience)
{
    pollfd watched{m_listener, POLLIN, 0};
    if (poll(&watched, 1, static_cast<int>(patience.count())) <= 0 || (watched.revents & POLLIN) == 0)
        return std::nullopt;
    seccomp_notif about{};
    if (ioctl(m_listener, SECCOMP_IOCTL_NOTIF_RECV, &about) != 0)
        return std::nullopt;
    m_held = about.id;
    return static_cast<pid_t>(about.pid);
}

void HeldCall::letGo()
{
    seccomp_notif_resp answer{};
    answer.id = m_held;
    answer.flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    (void)ioctl(m_listener, SECCOMP_IOCTL_NOTIF_SEND, &answer);
}

} // namespace portcullis::test
