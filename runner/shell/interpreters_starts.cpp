// SPDX-License-Identifier: Apache-2.0

// The processes that code in other languages starts, with what the command shows of lines that the code does not have.

#include "runner/shell/evaluator.h"

#include "runner/shell/foreign_code.h"

#include <algorithm>
#include <span>
#include <utility>

namespace portcullis::shell {

namespace {

/// The arguments of a program text, which is the word `code` or comes from standard input (`-`).
std::span<const Field> argumentsBehind(const Run &run, const Value &code)
{
    const std::span<const Field> words(run.words);
    if (words.empty())
        return words;
    const auto isCode = [&](const Field &word) { return isEndOf(word.value, code) || word.value.text == "-"; };
    const auto found = std::find_if(words.begin() + 1, words.end(), isCode);
    std::span<const Field> rest = words.subspan(static_cast<std::size_t>(found - words.begin()));
    rest = rest.subspan(std::min<std::size_t>(1, rest.size()));
    return !rest.empty() && rest.front().value.text == "--" ? rest.subspan(1) : rest;
}

} // namespace

Choices Evaluator::inputLines(const Field &text, std::uint32_t invocation, const Run &run)
{
    Choices lines;
    for (const Field &word : argumentsBehind(run, text.value)) {
        const std::string &name = word.value.text;
        if (name == "-" || name.contains('=') || name.starts_with('-'))
            continue;
        const auto process = m_processInputs.find(name);
        const auto written = m_files.find(absolute(name));
        if (process != m_processInputs.end())
            addChoices(lines, process->second.text);
        else if (word.value.known() && written != m_files.end())
            addChoices(lines, written->second.text);
        else
            addChoice(lines, Gapped::unknown());
    }
    if (!lines.empty())
        return lines;
    const Input *input = stdinOf(run);
    if (input == nullptr)
        return {};
    for (const std::uint32_t producer : input->producers)
        addFlow(producer, invocation, true, false);
    return input->text;
}

Choices Evaluator::outsideLines(const ProcessStart &start, const Field &text, std::uint32_t invocation, const Run &run)
{
    using From = ProcessStart::From;
    const std::span<const Field> arguments = argumentsBehind(run, text.value);
    switch (start.from) {
    case From::Argument:
        return start.index < arguments.size() ? Choices{arguments[start.index].gapped()} : Choices();
    case From::Input:
        return inputLines(text, invocation, run);
    case From::Environment:
        return {environmentValue(run, start.name)};
    default:
        return {};
    }
}

void Evaluator::startProcess(std::string_view language, ProcessStart &start, const Field &text,
                             std::uint32_t invocation, const Run &run)
{
    using From = ProcessStart::From;
    if (start.unknownInput)
        construct(Construct::EvalUnknown, text.value.span, std::string(language));
    std::vector<Field> words;
    Choices lines{start.text};
    if (start.from == From::Arguments) {
        const std::span<const Field> arguments = argumentsBehind(run, text.value);
        words.assign(arguments.begin() + static_cast<std::ptrdiff_t>(std::min(start.index, arguments.size())),
                     arguments.end());
    } else if (start.from != From::Code) {
        lines = outsideLines(start, text, invocation, run);
    }
    for (const Gapped &word : start.words)
        words.push_back(Field::fromGapped(word, text.value.span));
    const bool unseen = words.empty() && (start.from != From::Code || !start.text.known())
        && std::ranges::none_of(lines, [](const Gapped &line) { return !line.text.empty(); });
    const bool partly = std::ranges::any_of(lines, [](const Gapped &line) { return !line.known(); });
    if (unseen || partly)
        note(unseen && !start.code ? DynamicReason::Program : DynamicReason::Script, text.value.span,
             std::string(language));

    const Input unknown{{Gapped::unknown()}, {}};
    const Input *outerInput = m_input;
    if (language == "awk")
        m_input = &unknown;
    Run nested;
    nested.span = run.span;
    nested.noBuiltins = true;
    nested.pending = m_pendingOutputs.size();
    nested.assigns = run.assigns;
    if (!words.empty()) {
        nested.words.emplace_back();
        std::ranges::move(words, std::back_inserter(nested.words));
        launchWords(nested, 1, invocation, language);
    } else {
        constexpr std::uint32_t deepest = 8;
        for (const Gapped &line : lines) {
            if (line.text.empty())
                continue;
            if (!start.code) {
                launchText(line, text.value.span, invocation, nested, language);
            } else if (m_nestedCode >= deepest) {
                beyondLimits(text.value.span, std::string(language));
            } else {
                ++m_nestedCode;
                code(language, Field::fromGapped(line, text.value.span), invocation, run);
                --m_nestedCode;
            }
        }
    }
    m_input = outerInput;
}

} // namespace portcullis::shell
