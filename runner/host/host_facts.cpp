// SPDX-License-Identifier: Apache-2.0
#include "runner/host/host_facts.h"

#include <unistd.h>

namespace portcullis::host {

decision::HostFacts hostFacts(const confinement::ProbeReport &report)
{
    decision::HostFacts facts;
    // A kernel that says it has Landlock but would not confine a command has none, as far as decisions go.
    facts.landlockAbi = report.landlockWorks ? report.landlock.abi : 0;
    facts.viewWorks = report.viewWorks;
    // Where the kernel has Landlock and not even that wall could be set up, its step is what is missing first.
    const bool setUpFailed = report.landlock.abi > 0 && !report.landlockWorks && report.landlockFailure;
    if (const auto &failure = setUpFailed ? report.landlockFailure : report.viewFailure) {
        facts.viewFailedStep = nameOf(failure->step);
        facts.viewErrno = failure->errorNumber;
    }
    facts.root = ::geteuid() == 0;
    facts.commandUidNonZero = true;
    facts.bashPresent = ::access("/bin/bash", X_OK) == 0 || ::access("/usr/bin/bash", X_OK) == 0;
    facts.engine = decision::EngineState::Down;
    return facts;
}

} // namespace portcullis::host
