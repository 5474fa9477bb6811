// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/levels.h"

namespace portcullis::decision {
namespace {

constexpr int abiWithScopes = 6;

std::string missingView(const HostFacts &facts)
{
    return facts.viewFailedStep.empty() ? "view" : "view:" + facts.viewFailedStep;
}

} // namespace

LevelAnswer levelFor(const HostFacts &facts, bool confined, Network network)
{
    if (confined && !facts.isKnown())
        return {Level::None, {"unknown:" + facts.unknownStep}};
    if (!confined || !facts.landlockWorks()) {
        LevelAnswer none{Level::None, {confined ? "landlock" : "master"}};
        if (network == Network::None)
            none.missing.emplace_back("network");
        return none;
    }
    if (facts.viewWorks)
        return {Level::Full, {}}; // its own network namespace holds `network: none`

    // `network: none` is held by the filter here: it refuses internet sockets whatever the ABI.
    LevelAnswer answer{Level::Landlock, {missingView(facts), "metadata"}};
    if (facts.landlockAbi < abiWithScopes)
        answer.missing.emplace_back("signals");
    if (!facts.commandUidNonZero) {
        answer.level = Level::Partial;
        answer.missing.emplace_back("uid");
    }
    return answer;
}

} // namespace portcullis::decision
