// SPDX-License-Identifier: Apache-2.0
#include "app/guard/run.h"

#include "app/guard/landlock.h"
#include "app/guard/namespaces.h"
#include "app/guard/paths.h"
#include "app/guard/privileges.h"
#include "app/guard/supervisor.h"
#include "app/guard/view.h"

#include <array>
#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/wait.h>
#include <unistd.h>

namespace portcullis::guard {

namespace {

/// The out-of-memory killer shall take a command before it takes the gateway. Best effort.
void volunteerForOomKiller()
{
    const UniqueFd file(open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC));
    if (file) [[maybe_unused]]
        const ssize_t written = write(file.get(), "500", 3);
}

Done grantHostPath(Ruleset &ruleset, const Received &received, const wire::GuardGrant &grant)
{
    if (grant.source != wire::Source::Host && grant.source != wire::Source::Part)
        return {};
    if (grant.fd > 0)
        return ruleset.grant(received.fds[grant.fd].get(), grant.rights, grant.directory, grant.path);
    const auto fd = reopenVerified(grant);
    if (!fd)
        return hasVanished(grant, fd.error()) ? Done() : std::unexpected(fd.error());
    return ruleset.grant(fd->get(), grant.rights, grant.directory, grant.path);
}

/// RLIMIT_NPROC counts the user's tasks in the user namespace. In one of our own these are the command's; elsewhere the
/// user may have others, and the limit might allow none at all. Counting them means to read all of /proc, so all tasks
/// of the machine are added (sysinfo(2)), and room for what the user's other programs and runs start meanwhile:
/// coarser, still a bound.
std::uint64_t processLimit(const wire::GuardPlan &plan, bool ownUserNamespace)
{
    struct sysinfo machine{};
    if (plan.processes == 0 || ownUserNamespace || sysinfo(&machine) != 0)
        return plan.processes;
    constexpr std::uint64_t room = 4;
    return room * plan.processes + machine.procs;
}

Result<Ruleset, Failure> rulesetForHost(const Received &received)
{
    const wire::GuardPlan &plan = received.plan;
    auto ruleset = Ruleset::create(plan.landlockAbi, plan.noNetwork);
    if (!ruleset)
        return ruleset;
    if (Done done = grantHostBasics(*ruleset); !done)
        return std::unexpected(done.error());
    for (const wire::GuardGrant &grant : plan.grants) {
        if (Done done = grantHostPath(*ruleset, received, grant); !done)
            return std::unexpected(done.error());
    }
    return ruleset;
}

/// The folders that the command may write to and that were not made for this run alone.
std::vector<int> ownFolders(const Received &received)
{
    std::vector<int> folders;
    for (const wire::GuardGrant &grant : received.plan.grants) {
        if (grant.rights == wire::Rights::All && grant.fd > 0)
            folders.push_back(received.fds[grant.fd].get());
    }
    return folders;
}

Result<UniqueFd, Failure> workingDirectory(const Received &received)
{
    const wire::GuardPlan &plan = received.plan;
    UniqueFd cwd(plan.cwdFd > 0 ? fcntl(received.fds[plan.cwdFd].get(), F_DUPFD_CLOEXEC, 3)
                                : open(plan.cwd.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!cwd)
        return failed(Step::WorkingDirectory, plan.cwd);
    return cwd;
}

/// Landlock alone, or no wall: the guard is the subreaper of the command's tree.
Done runWithoutView(int control, const Received &received)
{
    prctl(PR_SET_PDEATHSIG, 0); // from here on it would kill us before we can kill the command
    prctl(PR_SET_DUMPABLE, 0); // nobody of the same user shall look into the supervisor
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return failed(Step::ForkCommand);
    CommandContext context{.plan = received.plan,
                           .dropPrivileges = true,
                           .processLimit = processLimit(received.plan, false),
                           .ownFolders = ownFolders(received)};
    Ruleset ruleset;
    if (received.plan.landlock) {
        auto made = rulesetForHost(received);
        if (!made)
            return std::unexpected(made.error());
        ruleset = std::move(*made);
        context.ruleset = ruleset.fd();
    }
    auto cwd = workingDirectory(received);
    if (!cwd)
        return std::unexpected(cwd.error());
    context.workingDirectory = cwd->get();
    return Supervisor(control, -1, false).run(context);
}

/// The working directory, found in the view: a descriptor from before would lead back to the host's mount.
Result<UniqueFd, Failure> workingDirectoryInView(const Received &received)
{
    const wire::GuardPlan &plan = received.plan;
    UniqueFd cwd = openWithoutLinks(AT_FDCWD, plan.cwd);
    if (!cwd)
        return failed(Step::WorkingDirectory, plan.cwd);
    struct stat verified{};
    struct stat found{};
    if (plan.cwdFd == 0)
        return cwd;
    if (fstat(received.fds[plan.cwdFd].get(), &verified) != 0 || fstat(cwd.get(), &found) != 0)
        return failed(Step::WorkingDirectory, plan.cwd);
    if (verified.st_dev != found.st_dev || verified.st_ino != found.st_ino)
        return failedWith(Step::WorkingDirectory, ESTALE, plan.cwd);
    return cwd;
}

/// A pipe whose one end only the first guard holds.
struct Lifeline {
    UniqueFd reading;
    UniqueFd writing;
};

bool isCut(int lifeline)
{
    pollfd watched{lifeline, 0, 0};
    return poll(&watched, 1, 0) > 0;
}

/// First process of the pid namespace: builds the view, gives everything up, supervises the command.
Done runAsInit(int control, const Received &received, int lifeline)
{
    const std::uint64_t mostProcesses = processLimit(received.plan, geteuid() != 0);
    prctl(PR_SET_NAME, "portcullis-init");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    auto view = View::enter(received);
    if (!view)
        return std::unexpected(view.error());
    if (received.plan.noNetwork) {
        if (Done done = bringLoopbackUp(); !done)
            return done;
    }
    if (Done done = dropPrivileges(received.plan); !done)
        return done;
    prctl(PR_SET_PDEATHSIG, SIGKILL); // a change of user clears it
    prctl(PR_SET_DUMPABLE, 0);
    if (isCut(lifeline))
        return failedWith(Step::ForkInit, EPIPE);
    // The network namespace is the network's wall here: its loopback shall work.
    auto ruleset = Ruleset::create(received.plan.landlockAbi, false);
    if (!ruleset)
        return std::unexpected(ruleset.error());
    if (Done done = view->grantAll(*ruleset); !done)
        return done;
    auto cwd = workingDirectoryInView(received);
    if (!cwd)
        return std::unexpected(cwd.error());
    const CommandContext context{.plan = received.plan,
                                 .workingDirectory = cwd->get(),
                                 .ruleset = ruleset->fd(),
                                 .processLimit = mostProcesses,
                                 .filesInMemory = view->filesInMemory(),
                                 .ownFolders = ownFolders(received)};
    return Supervisor(control, lifeline, true).run(context);
}

/// Waits for init; when the runner is gone or we are, init's namespace goes with it.
void followInit(int control, pid_t init)
{
    const UniqueFd process(static_cast<int>(syscall(SYS_pidfd_open, init, 0)));
    for (;;) {
        std::array<pollfd, 2> watched{pollfd{process.get(), POLLIN, 0}, pollfd{control, 0, 0}};
        const int ready = poll(watched.data(), watched.size(), -1);
        if (ready < 0 && errno == EINTR)
            continue;
        if (watched[0].revents == 0)
            kill(init, SIGKILL);
        break;
    }
    TEMP_FAILURE_RETRY(waitpid(init, nullptr, 0));
}

/// Both walls.
Done runInView(int control, const Received &received)
{
    if (Done done = enterNamespaces(received.plan); !done)
        return done;
    prctl(PR_SET_DUMPABLE, 0);
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return failed(Step::ForkInit);
    Lifeline lifeline{UniqueFd(ends[0]), UniqueFd(ends[1])};
    const pid_t init = fork();
    if (init < 0)
        return failed(Step::ForkInit);
    if (init == 0) {
        lifeline.writing.reset();
        const Done done = runAsInit(control, received, lifeline.reading.get());
        if (!done)
            reportFailure(control, done.error());
        _exit(done ? 0 : 1);
    }
    lifeline.reading.reset();
    if (Done done = leaveStandardStreams(); !done) {
        kill(init, SIGKILL);
        return done;
    }
    if (Done done = keepOnlyKill(); !done) {
        kill(init, SIGKILL);
        return done;
    }
    followInit(control, init);
    return {};
}

Done check(const wire::GuardPlan &plan)
{
    if (plan.uid == 0) // the owner of files needs no capability to change them
        return failedWith(Step::RefuseRoot, EPERM);
    if (geteuid() != 0 && geteuid() != plan.uid)
        return failedWith(Step::SwitchUser, EPERM);
    if (plan.view && !plan.landlock)
        return failedWith(Step::ReceivePlan, EINVAL);
    return {};
}

Done carryOut(int control, const Received &received)
{
    if (Done done = check(received.plan); !done)
        return done;
    if (setsid() < 0)
        return failed(Step::NewSession);
    volunteerForOomKiller();
    return received.plan.view ? runInView(control, received) : runWithoutView(control, received);
}

} // namespace

int run(int control, const Received &received)
{
    const Done done = carryOut(control, received);
    if (!done)
        reportFailure(control, done.error());
    return done ? 0 : 1;
}

void reportFailure(int control, const Failure &failure)
{
    wire::GuardReport report;
    report.kind = wire::Report::Failed;
    report.step = failure.step;
    report.error = failure.error;
    report.path = failure.path;
    sendReport(control, report);
}

} // namespace portcullis::guard
