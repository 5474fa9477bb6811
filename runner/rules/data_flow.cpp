// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/data_flow.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace portcullis::rules {

namespace {

using shell::Flow;
using shell::Invocation;

// A chain longer than this is not followed and counts as a match: nobody writes it by hand.
constexpr std::size_t maxChain = 2000;

std::vector<Flow> flowsAt(const Whole &whole, std::uint32_t invocation, const std::vector<std::uint32_t> &sorted,
                          std::uint32_t Flow::*end)
{
    const auto key = [&](std::uint32_t at) { return whole.evaluation.flows[at].*end; };
    std::vector<Flow> out;
    for (const std::uint32_t at : std::ranges::equal_range(sorted, invocation, {}, key))
        out.push_back(whole.evaluation.flows[at]);
    return out;
}

/// Whether constants tell the code that an invocation gets: then the code itself has been judged.
bool showsItsCode(const Whole &whole, const Flow &code)
{
    const Invocation &receiver = whole.evaluation.invocations[code.to];
    if (receiver.input)
        return receiver.input->known();
    // What also arrives as data came by a pipe or a file; the rest stands in the arguments.
    const auto byPipe = [&](const Flow &flow) { return flow.from == code.from && !flow.asCode && !flow.asArgument; };
    return std::ranges::all_of(receiver.args, &shell::Value::known)
        && std::ranges::none_of(flowsAt(whole, code.to, whole.flowsByTo, &Flow::to), byPipe);
}

bool isOf(const Whole &whole, const Flow &flow, FlowKind kind)
{
    switch (kind) {
    case FlowKind::Data:
        return !flow.asCode && !flow.asArgument;
    case FlowKind::Argument:
        return flow.asArgument && !flow.asCode;
    case FlowKind::UnseenCode:
        return flow.asCode && !showsItsCode(whole, flow);
    }
    return false;
}

} // namespace

std::optional<Span> findSource(const Whole &whole, std::uint32_t invocation, const NameList &names, FlowKind kind)
{
    std::vector<std::uint32_t> open;
    std::unordered_set<std::uint32_t> seen;
    const auto follow = [&](std::uint32_t at) {
        if (seen.insert(at).second)
            open.push_back(at);
    };
    for (const Flow &flow : flowsAt(whole, invocation, whole.flowsByTo, &Flow::to)) {
        if (isOf(whole, flow, kind))
            follow(flow.from);
    }
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        const Invocation &sender = whole.evaluation.invocations[at];
        if (names.matches(sender.name) || seen.size() > maxChain)
            return sender.program.span;
        for (const Flow &flow : flowsAt(whole, at, whole.flowsByTo, &Flow::to))
            follow(flow.from);
    }
    return std::nullopt;
}

std::optional<Span> findRunner(const Whole &whole, std::uint32_t invocation, const NameList &names)
{
    std::vector<std::uint32_t> open{invocation};
    std::unordered_set<std::uint32_t> seen{invocation};
    while (!open.empty()) {
        const std::uint32_t at = open.back();
        open.pop_back();
        for (const Flow &flow : flowsAt(whole, at, whole.flowsByFrom, &Flow::from)) {
            const Invocation &receiver = whole.evaluation.invocations[flow.to];
            if ((flow.asCode && names.matches(receiver.name)) || seen.size() > maxChain)
                return receiver.program.span;
            if (seen.insert(flow.to).second)
                open.push_back(flow.to);
        }
    }
    return std::nullopt;
}

} // namespace portcullis::rules
