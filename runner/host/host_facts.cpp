// SPDX-License-Identifier: Apache-2.0
#include "runner/host/host_facts.h"

#include <unistd.h>

namespace portcullis::host {

namespace {

using confinement::ProbeAnswer;

/// The kernel alone says whether there is Landlock; where it has it, both walls must have been tried to an end. A
/// kernel that has Landlock and would not confine a command is no reason to run one unconfined.
void setUnknown(decision::HostFacts &facts, const confinement::ProbeReport &report)
{
    const auto say = [&facts](const std::optional<confinement::StartFailure> &failure) {
        facts.unknownStep = failure ? nameOf(failure->step) : nameOf(wire::Step::GuardLost);
        facts.unknownErrno = failure ? failure->errorNumber : 0;
    };
    if (!report.landlock.isKnown())
        say(confinement::StartFailure{wire::Step::Ruleset, report.landlock.errorNumber, {}});
    else if (report.landlock.abi < confinement::leastUsableAbi)
        return; // which is an answer
    else if (report.alone != ProbeAnswer::Works)
        say(report.landlockFailure);
    else if (report.view == ProbeAnswer::Unknown)
        say(report.viewFailure);
}

} // namespace

decision::HostFacts hostFacts(const confinement::ProbeReport &report)
{
    decision::HostFacts facts;
    facts.landlockAbi = report.landlock.abi;
    facts.viewWorks = report.view == ProbeAnswer::Works;
    // Where the kernel has Landlock and not even that wall could be set up, its step is what is missing first.
    const bool setUpFailed = report.landlock.abi > 0 && report.alone != ProbeAnswer::Works && report.landlockFailure;
    if (const auto &failure = setUpFailed ? report.landlockFailure : report.viewFailure) {
        facts.viewFailedStep = nameOf(failure->step);
        facts.viewErrno = failure->errorNumber;
    }
    setUnknown(facts, report);
    facts.root = ::geteuid() == 0;
    facts.commandUidNonZero = true;
    facts.bashPresent = ::access("/bin/bash", X_OK) == 0 || ::access("/usr/bin/bash", X_OK) == 0;
    facts.engine = decision::EngineState::Down;
    return facts;
}

} // namespace portcullis::host
