// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

#include <csignal>
#include <cstdint>
#include <sys/wait.h>
#include <unistd.h>

namespace portcullis::test {

/// Stands for the gateway: a process of the command's own user with a secret in its environment.
class StandIn
{
public:
    explicit StandIn(std::uint32_t uid) : m_pid(fork())
    {
        if (m_pid != 0)
            return;
        if (geteuid() == 0 && (setresgid(uid, uid, uid) != 0 || setresuid(uid, uid, uid) != 0))
            _exit(1);
        execle("/bin/sleep", "sleep", "600", nullptr, secret);
        _exit(1);
    }
    StandIn(const StandIn &) = delete;
    StandIn &operator=(const StandIn &) = delete;
    ~StandIn()
    {
        kill(m_pid, SIGKILL);
        waitpid(m_pid, nullptr, 0);
    }
    QByteArray pid() const { return QByteArray::number(m_pid); }

private:
    static inline char token[] = "GATEWAY_TOKEN=secret";
    static inline char *secret[] = {token, nullptr};
    pid_t m_pid;
};

} // namespace portcullis::test
