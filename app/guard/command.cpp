// SPDX-License-Identifier: Apache-2.0
#include "app/guard/command.h"

#include "app/guard/landlock.h"
#include "app/guard/privileges.h"
#include "app/guard/seccomp.h"
#include "runner/confinement/run_mark.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <linux/close_range.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace portcullis::guard {

namespace {

Done limit(__rlimit_resource resource, std::uint64_t value)
{
    if (value == 0)
        return {};
    rlimit now{};
    if (getrlimit(resource, &now) != 0)
        return failed(Step::Limits);
    const rlim_t wanted = std::min<rlim_t>(value, now.rlim_max); // never above what we were given
    const rlimit limits{wanted, wanted};
    if (setrlimit(resource, &limits) != 0)
        return failed(Step::Limits);
    return {};
}

/// What the kernel counts for a user as a whole and one command could take from all others of that user, the gateway
/// among them: pending signals, of which every POSIX timer holds one, and bytes in POSIX message queues, of which the
/// usual one of ten messages takes 82 KiB. mq_overview(7), getrlimit(2).
Done setSharesOfUser()
{
    constexpr std::uint64_t signals = 4096;
    constexpr std::uint64_t queueBytes = 256 << 10;
    if (Done done = limit(RLIMIT_SIGPENDING, signals); !done)
        return done;
    return limit(RLIMIT_MSGQUEUE, queueBytes);
}

Done setLimits(const CommandContext &context)
{
    const wire::GuardPlan &plan = context.plan;
    confinement::takeMark(plan.mark);
    // 1, not 0: a core pattern that pipes to a handler ignores 0 and would hand the tenant's memory to it.
    if (Done done = limit(RLIMIT_CORE, 1); !done)
        return done;
    if (Done done = limit(RLIMIT_NPROC, context.processLimit); !done)
        return done;
    if (Done done = limit(RLIMIT_NOFILE, plan.openFiles); !done)
        return done;
    if (Done done = limit(RLIMIT_FSIZE, plan.fileBytes); !done)
        return done;
    if (Done done = setSharesOfUser(); !done)
        return done;
    return limit(RLIMIT_DATA, plan.dataBytes);
}

/// An inherited ignored SIGPIPE makes `yes | head` complain; an inherited mask makes programs deaf. By the system call:
/// posix_spawn(3) leaves two signals of the C library ignored where clone3 is refused, as in containers, and signal(3)
/// does not touch those two.
void resetSignals()
{
    constexpr std::array<unsigned long, 4> byDefault{}; // the kernel's struct sigaction, SIG_DFL without flags
    for (int number = 1; number < NSIG; ++number)
        syscall(SYS_rt_sigaction, number, byDefault.data(), nullptr, NSIG / 8); // fails for KILL and STOP
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
}

std::vector<char *> pointers(const std::vector<std::string> &texts)
{
    std::vector<char *> result;
    result.reserve(texts.size() + 1);
    for (const std::string &text : texts)
        result.push_back(const_cast<char *>(text.c_str())); // execve(2) does not write
    result.push_back(nullptr);
    return result;
}

/// User and capabilities where the supervisor kept its own. The parent-death signal is cleared by a change of user. A
/// supervisor that died before has sent none, and then nobody would ever end the command.
Done becomeUser(const CommandContext &context, pid_t supervisor)
{
    if (!context.dropPrivileges)
        return {};
    if (Done done = dropPrivileges(context.plan); !done)
        return done;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    return getppid() == supervisor ? Done() : failedWith(Step::ForkCommand, ESRCH);
}

Done confine(const CommandContext &context)
{
    if (context.ruleset >= 0) {
        if (Done done = restrictSelf(context.ruleset); !done)
            return done;
    }
    return installFilter(context.plan);
}

Done prepare(const CommandContext &context, pid_t supervisor)
{
    if (setsid() < 0)
        return failed(Step::NewSession);
    if (Done done = becomeUser(context, supervisor); !done)
        return done;
    if (Done done = setLimits(context); !done)
        return done;
    umask(027);
    resetSignals();
    if (fchdir(context.workingDirectory) != 0)
        return failed(Step::WorkingDirectory, context.plan.cwd);
    if (Done done = confine(context); !done)
        return done;
    // Marked rather than closed, so that a failing exec can still be reported.
    if (syscall(SYS_close_range, 3U, ~0U, CLOSE_RANGE_CLOEXEC) != 0)
        return failed(Step::CloseDescriptors);
    return {};
}

} // namespace

Failure becomeCommand(const CommandContext &context, pid_t supervisor)
{
    const std::vector<char *> argv = pointers(context.plan.argv);
    const std::vector<char *> environment = pointers(context.plan.environment);
    if (Done done = prepare(context, supervisor); !done)
        return done.error();
    if (context.plan.probe)
        _exit(0);
    execve(argv.front(), argv.data(), environment.data());
    return Failure{Step::Execute, errno, context.plan.argv.front()};
}

} // namespace portcullis::guard
