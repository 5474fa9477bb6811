// SPDX-License-Identifier: Apache-2.0
#include "app/guard/run.h"

#include "app/guard/landlock.h"
#include "app/guard/paths.h"
#include "app/guard/supervisor.h"

#include <fcntl.h>
#include <sys/prctl.h>
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
    if (grant.fd > 0)
        return ruleset.grant(received.fds[grant.fd].get(), grant.rights, grant.directory, grant.path);
    const auto fd = reopenVerified(grant);
    if (!fd)
        return std::unexpected(fd.error());
    return ruleset.grant(fd->get(), grant.rights, grant.directory, grant.path);
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
    if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return failed(Step::ForkCommand);
    CommandContext context{.plan = received.plan, .dropPrivileges = true};
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
    prctl(PR_SET_DUMPABLE, 0); // nobody of the same user shall look into the supervisor
    volunteerForOomKiller();
    return runWithoutView(control, received);
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
