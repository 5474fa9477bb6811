// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/probe.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <string>

namespace portcullis::confinement {

class Probe::Private
{
public:
    GuardLocation guard;
    std::uint32_t uid = 0;
    std::uint32_t gid = 0;
    ProbeReport report;
    std::unique_ptr<GuardProcess> alone;
    std::unique_ptr<GuardProcess> both;
    int left = 2;

    /// A plan that needs nothing of a gateway: system folders only.
    plan::ExecPlan planFor(bool view) const
    {
        plan::ExecPlan plan;
        plan.id = "probe";
        plan.argv = {"/usr/bin/true"}; // not executed
        plan.cwd = "/usr";
        plan.uid = uid;
        plan.gid = gid;
        plan.landlock = true;
        plan.view = view;
        plan.landlockAbi = std::min(report.landlock.abi, newestKnownAbi);
        plan.grants.push_back({.path = "/usr", .access = plan::Access::ReadExecute, .optional = false});
        plan.timeoutSeconds = 10;
        plan.setUpOnly = true;
        return plan;
    }
};

namespace {

/// Whether an administrator allows no namespaces at all of some kind: namespaces(7), /proc/sys/user.
bool namespacesAreSwitchedOff()
{
    for (const char *kind : {"user", "mnt", "pid", "ipc", "uts", "net"}) {
        std::ifstream file(std::string("/proc/sys/user/max_") + kind + "_namespaces");
        if (long most = 0; file >> most && most == 0)
            return true;
    }
    return false;
}

ProbeAnswer answer(const RunOutcome &outcome)
{
    const bool worked = outcome.outcome == Outcome::Exited && outcome.exitCode == 0;
    return answerOf(worked, outcome.failure, namespacesAreSwitchedOff());
}

} // namespace

Probe::Probe(GuardLocation guard, std::uint32_t uid, std::uint32_t gid, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>(std::move(guard), uid, gid))
{
}

Probe::~Probe() = default;

void Probe::start()
{
    d->report.uid = d->uid;
    d->report.landlock = landlockAbi();
    d->alone = std::make_unique<GuardProcess>(d->guard);
    d->both = std::make_unique<GuardProcess>(d->guard);
    const auto finishOne = [this] {
        if (--d->left == 0)
            Q_EMIT finished(d->report);
    };
    connect(d->alone.get(), &GuardProcess::finished, this, [this, finishOne](const RunOutcome &outcome) {
        d->report.alone = answer(outcome);
        d->report.landlockFailure = outcome.failure;
        finishOne();
    });
    connect(d->both.get(), &GuardProcess::finished, this, [this, finishOne](const RunOutcome &outcome) {
        d->report.view = answer(outcome);
        d->report.viewFailure = outcome.failure;
        finishOne();
    });
    d->alone->start(d->planFor(false));
    d->both->start(d->planFor(true));
}

std::span<const Attempt> attempts()
{
    static constexpr Attempt all[] = {
        {.name = "read_foreign_file", .argument = "foreign", .expectedErrno = EACCES},
        {.name = "rewrite_foreign_file", .argument = "foreign", .expectedErrno = EACCES},
        {.name = "link_foreign_file", .argument = "foreign"},
        {.name = "read_through_link", .argument = "foreign", .expectedErrno = EACCES},
        {.name = "read_through_proc", .argument = "foreign", .expectedErrno = EACCES},
        {.name = "stat_foreign_file", .argument = "foreign", .expectedErrno = EACCES, .viewOnly = true},
        {.name = "chmod_foreign_file", .argument = "foreign", .expectedErrno = EACCES, .viewOnly = true},
        {.name = "list_root", .argument = "", .expectedErrno = EACCES},
        {.name = "become_root", .argument = ""},
        {.name = "setuid_by_chmod", .argument = "", .expectedErrno = EPERM},
        {.name = "setuid_by_open", .argument = "", .expectedErrno = EPERM},
        {.name = "read_process_environment", .argument = "pid"},
        {.name = "read_process_memory", .argument = "pid"},
        {.name = "signal_process", .argument = "pid"},
        {.name = "signal_supervisor", .argument = "", .expectedErrno = EPERM},
        {.name = "trace_process", .argument = "pid"},
        {.name = "clone_user_namespace", .argument = "", .expectedErrno = EPERM},
        {.name = "mount_file_system", .argument = "", .expectedErrno = EPERM},
        {.name = "wide_packet_socket", .argument = "", .expectedErrno = EAFNOSUPPORT},
        {.name = "push_terminal_input", .argument = "", .expectedErrno = EPERM},
    };
    return all;
}

} // namespace portcullis::confinement
