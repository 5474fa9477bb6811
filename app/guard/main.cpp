// SPDX-License-Identifier: Apache-2.0

// portcullis-guard: confines itself and runs one command. Started by the runner with an empty environment and a
// control socket as descriptor 3; docs/adr/0002-guard-and-two-walls.md says why in this order.

#include "app/guard/attempts.h"
#include "app/guard/channel.h"
#include "app/guard/run.h"

#include <csignal>
#include <cstdio>
#include <string_view>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace {

using namespace portcullis;

constexpr int control = 3;

bool isControlSocket()
{
    int type = 0;
    socklen_t size = sizeof type;
    return getsockopt(control, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_SEQPACKET;
}

int serve()
{
    prctl(PR_SET_PDEATHSIG, SIGKILL); // second string; the control socket is the first
    syscall(SYS_close_range, control + 1U, ~0U, 0U);
    auto received = guard::receivePlan(control);
    if (!received) {
        guard::reportFailure(control, received.error());
        return 1;
    }
    return guard::run(control, *received);
}

} // namespace

int main(int argc, char **argv)
{
    if (argc == 2 && std::string_view(argv[1]) == "--version") {
        std::puts("portcullis-guard " PORTCULLIS_VERSION);
        return 0;
    }
    if ((argc == 3 || argc == 4) && std::string_view(argv[1]) == "--attempt")
        return guard::runAttempt(argv[2], argc == 4 ? argv[3] : "");
    if (argc != 1 || !isControlSocket()) {
        std::fputs("portcullis-guard is started by portcullis and portcullis-runner, not by hand.\n", stderr);
        return 64;
    }
    return serve();
}
