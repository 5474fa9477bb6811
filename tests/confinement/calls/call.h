// SPDX-License-Identifier: Apache-2.0
#pragma once

// System calls that a command can try from inside, one a run: `portcullis-test-calls NAME [ARGUMENT]` prints
// `NAME refused ERRNO` or `NAME succeeded 0`; without a name it lists all.

#include "runner/confinement/unique_fd.h"

#include <cerrno>
#include <span>
#include <string>
#include <string_view>
#include <sys/wait.h>
#include <unistd.h>

namespace portcullis::test {

using Handle = confinement::UniqueFd;

struct Call {
    std::string_view name;
    long (*make)(const char *argument); ///< negative, and errno, when it was refused
};

std::span<const Call> fileCalls();
std::span<const Call> processCalls();
std::span<const Call> kernelCalls();

/// What `exec` does in a child: it replaces it by a program, or leaves errno.
template <class Exec>
long execs(Exec exec)
{
    const pid_t child = fork();
    if (child == 0) {
        exec();
        _exit(errno & 0x7f);
    }
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child)
        return -1;
    if (!WIFEXITED(status) || WEXITSTATUS(status) == 0)
        return 0;
    errno = WEXITSTATUS(status);
    return -1;
}

} // namespace portcullis::test
