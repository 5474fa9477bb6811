// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/data_flow.h"

#include "runner/rules/open_text.h"
#include "runner/rules/pass_through.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace portcullis::rules {

namespace {

using shell::Flow;
using shell::Invocation;

// A chain longer than this is not followed and counts as a match: nobody writes it by hand.
constexpr std::size_t maxChain = 100;

std::vector<Flow> flowsAt(const Whole &whole, std::uint32_t invocation, const std::vector<std::uint32_t> &sorted,
                          std::uint32_t Flow::*end)
{
    const auto key = [&](std::uint32_t at) { return whole.evaluation.flows[at].*end; };
    std::vector<Flow> out;
    for (const std::uint32_t at : std::ranges::equal_range(sorted, invocation, {}, key))
        out.push_back(whole.evaluation.flows[at]);
    return out;
}

/// Whether it prints its words as they stand: what they make as code has been read.
bool printsWords(const Invocation &invocation)
{
    const auto plain = [](const shell::Value &word) {
        return word.known() && !word.isPattern() && !word.text.contains('\\') && !word.text.contains('%')
            && !word.text.starts_with('-');
    };
    return (invocation.name == "echo" || invocation.name == "printf") && std::ranges::all_of(invocation.args, plain);
}

/// Whether it opens `<(…)` or another descriptor: what arrives there is not on its standard input.
bool readsDescriptor(const Invocation &invocation)
{
    return std::ranges::any_of(invocation.args,
                               [](const shell::Value &word) { return word.text.starts_with("/dev/fd/"); });
}

/// The programs from which `receiver` gets something in that way, by flows that lead there at once.
std::vector<std::uint32_t> senders(const Whole &whole, std::uint32_t receiver, FlowKind kind)
{
    const std::vector<Flow> flows = flowsAt(whole, receiver, whole.flowsByTo, &Flow::to);
    std::vector<std::uint32_t> code;
    std::vector<std::uint32_t> argument;
    std::unordered_set<std::uint32_t> data;
    for (const Flow &flow : flows) {
        if (flow.asCode)
            code.push_back(flow.from);
        else if (flow.asArgument)
            argument.push_back(flow.from);
        else
            data.insert(flow.from);
    }
    if (kind == FlowKind::Data)
        return {data.begin(), data.end()};
    if (kind == FlowKind::Argument)
        return argument;
    // Where constants tell the code, the code itself has been judged. What also arrives as data came by a pipe or a
    // file; the rest stands in the arguments.
    const Invocation &invocation = whole.evaluation.invocations[receiver];
    const bool inputShown = invocation.input && invocation.input->known() && !readsDescriptor(invocation);
    const bool argumentsShown =
        (inputShown || !invocation.input) && std::ranges::all_of(invocation.args, &shell::Value::known);
    std::erase_if(code, [&](std::uint32_t from) { return data.contains(from) ? inputShown : argumentsShown; });
    std::erase_if(code, [&](std::uint32_t from) { return printsWords(whole.evaluation.invocations[from]); });
    return code;
}

// As long as anybody would name a line in a rule: a longer one is compared by its first word alone.
constexpr std::size_t longest = 200;

std::string nameOf(const shell::Value &file)
{
    return file.text.size() > longest ? "<" : "< " + shownText(file);
}

std::string lineOf(const Invocation &invocation)
{
    std::string line = invocation.name;
    for (const shell::Value &arg : invocation.args) {
        line += ' ' + shownText(arg);
        if (line.size() > longest)
            return invocation.name;
    }
    return line;
}

bool isSource(const Invocation &invocation, const NameList &names, FlowKind kind)
{
    // Code that is not shown stays so behind a filter. A name alone says too little: `date +TEXT` prints any text.
    if (kind == FlowKind::UnseenCode) {
        const std::string line = lineOf(invocation);
        return names.matches(line == invocation.name && !invocation.args.empty() ? line + " …" : line);
    }
    return names.matchesEither(invocation.name, lineOf(invocation)) && !onlyPassesOn(invocation);
}

/// A file that goes into `receiver` at once.
std::optional<Span> fileSource(const Whole &whole, std::uint32_t receiver, const NameList &names,
                               std::optional<bool> asArgument)
{
    const auto key = [&](std::uint32_t at) { return whole.evaluation.fileFlows[at].to; };
    for (const std::uint32_t at : std::ranges::equal_range(whole.fileFlowsByTo, receiver, {}, key)) {
        const shell::FileFlow &flow = whole.evaluation.fileFlows[at];
        if (asArgument.value_or(flow.asArgument) == flow.asArgument && names.matchesEither("<", nameOf(flow.file)))
            return flow.file.span;
    }
    return std::nullopt;
}

} // namespace

std::optional<Span> findSource(const Whole &whole, std::uint32_t invocation, const NameList &names, FlowKind kind)
{
    if (kind != FlowKind::UnseenCode) {
        if (const auto file = fileSource(whole, invocation, names, kind == FlowKind::Argument))
            return file;
    }
    std::vector<std::uint32_t> open = senders(whole, invocation, kind);
    std::unordered_set<std::uint32_t> seen(open.begin(), open.end());
    for (std::size_t followed = 0; !open.empty(); ++followed) {
        const std::uint32_t at = open.back();
        open.pop_back();
        const Invocation &sender = whole.evaluation.invocations[at];
        if (followed > maxChain || isSource(sender, names, kind))
            return sender.program.span;
        if (kind != FlowKind::UnseenCode) {
            if (const auto file = fileSource(whole, at, names, std::nullopt))
                return file;
        }
        for (const Flow &flow : flowsAt(whole, at, whole.flowsByTo, &Flow::to)) {
            if (seen.insert(flow.from).second)
                open.push_back(flow.from);
        }
    }
    return std::nullopt;
}

std::optional<Span> findRunner(const Whole &whole, std::uint32_t invocation, const NameList &names)
{
    // The evaluator has closed these flows: whatever ends up as code has one that leads there at once.
    for (const Flow &flow : flowsAt(whole, invocation, whole.flowsByFrom, &Flow::from)) {
        const Invocation &receiver = whole.evaluation.invocations[flow.to];
        if (flow.asCode && names.matches(receiver.name))
            return receiver.program.span;
    }
    return std::nullopt;
}

} // namespace portcullis::rules
