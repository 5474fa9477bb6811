// SPDX-License-Identifier: Apache-2.0

// `--assume`: host facts as somebody would like to see them.

#include "runner/decision/decision_json.h"

#include <algorithm>

namespace portcullis::decision {
namespace {

/// One `name=value` of an assumption. Returns the allowed values when it is wrong.
std::string_view applyOne(HostFacts &facts, std::string_view name, std::string_view value)
{
    if (name == "landlock") {
        int abi = 0;
        const bool digits = !value.empty() && value.size() <= 2
            && std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
        for (const char c : value)
            abi = digits ? abi * 10 + (c - '0') : 0;
        facts.landlockAbi = abi;
        facts.unknownStep.clear();
        facts.unknownErrno = 0;
        return digits || value == "none" ? "" : "a number, none";
    }
    if (name == "view") {
        facts.viewWorks = value == "yes";
        if (facts.landlockAbi > 0) { // the other wall was found out
            facts.unknownStep.clear();
            facts.unknownErrno = 0;
        }
        return value == "yes" || value == "no" ? "" : "yes, no";
    }
    if (name == "engine") {
        facts.engine = value == "up" ? EngineState::Up : EngineState::Down;
        return value == "up" || value == "down" ? "" : "up, down";
    }
    if (name == "shell") {
        facts.bashPresent = value == "bash";
        return value == "sh" || value == "bash" ? "" : "sh, bash";
    }
    return "landlock=, view=, engine=, shell=";
}

} // namespace

Result<HostFacts, AssumeError> assume(HostFacts facts, std::string_view text)
{
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view part = text.substr(0, end);
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string_view value = equals < part.size() ? part.substr(equals + 1) : std::string_view();
        if (const std::string_view allowed = applyOne(facts, part.substr(0, equals), value); !allowed.empty())
            return failure(AssumeError{std::string(part), std::string(allowed)});
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (facts.viewWorks) {
        facts.viewFailedStep.clear();
        facts.viewErrno = 0;
    }
    return facts;
}

} // namespace portcullis::decision
