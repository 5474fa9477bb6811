// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/command_words.h"

#include "runner/base/shell_quoted.h"
#include "runner/decision/case_file.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

namespace portcullis::decision {
namespace {

using shell::Invocation;
using shell::Value;

/// More words are not looked at: each is looked for in the text around it.
constexpr std::size_t mostWords = 2000;
constexpr std::string_view unknownPart = "…";

/// The known parts of a word: what stands between its gaps.
std::vector<std::string_view> partsOf(const Value &word)
{
    std::vector<std::string_view> parts;
    std::size_t from = 0;
    for (const std::uint32_t gap : word.gaps) {
        parts.push_back(std::string_view(word.text).substr(from, gap - from));
        from = gap;
    }
    parts.push_back(std::string_view(word.text).substr(from));
    return parts;
}

/// Whether the word stands in the command as it is, where it was written.
bool standsInText(const Value &word, std::string_view command)
{
    const std::string_view written =
        word.span.start < command.size() ? command.substr(word.span.start, word.span.length) : std::string_view();
    return std::ranges::all_of(partsOf(word), [&](std::string_view part) { return written.contains(part); });
}

std::string spelled(const Value &word)
{
    const std::vector<std::string_view> parts = partsOf(word);
    if (parts.size() == 1)
        return shellQuoted(word.text);
    std::string text(parts.front());
    for (std::size_t i = 1; i < parts.size(); ++i)
        text.append(unknownPart).append(parts[i]);
    return text == unknownPart ? text : shellQuoted(text);
}

/// A program that really starts: not one that stands among the arguments of another and only may be run by it.
bool counts(const Invocation &invocation)
{
    return !invocation.guessed;
}

std::string lineOf(const Invocation &invocation)
{
    std::string line = spelled(invocation.program);
    for (const Value &word : invocation.args)
        line.append(" ").append(spelled(word));
    return line;
}

std::string normalisedOf(const shell::Evaluation &evaluation, const std::string &command)
{
    std::string text;
    std::set<std::string> said;
    std::size_t words = 0;
    bool hides = false;
    for (const Invocation &invocation : evaluation.invocations) {
        words += 1 + invocation.args.size();
        if (words > mostWords)
            break;
        if (!counts(invocation))
            continue;
        const auto hidden = [&](const Value &word) { return !standsInText(word, command); };
        hides = hides || hidden(invocation.program) || std::ranges::any_of(invocation.args, hidden);
        std::string line = lineOf(invocation);
        if (text.size() + line.size() > maxNormalisedBytes || !said.insert(line).second)
            continue;
        text.append(text.empty() ? "" : "; ").append(line);
    }
    return hides && !text.empty() ? text : command;
}

std::optional<std::vector<std::string>> wordsOf(const Invocation &invocation)
{
    const auto certain = [](const Value &word) { return word.known() && !word.isPattern(); };
    if (!certain(invocation.program) || !std::ranges::all_of(invocation.args, certain))
        return std::nullopt;
    std::vector<std::string> words{invocation.program.text};
    for (const Value &word : invocation.args)
        words.push_back(word.text);
    return words;
}

/// Two readings of the same program (in two dialects) are one.
std::vector<std::string> argvOf(const shell::Evaluation &evaluation)
{
    std::vector<std::string> only;
    for (const Invocation &invocation : evaluation.invocations) {
        if (!counts(invocation) || !invocation.via.empty() || invocation.fromInterpreter)
            continue;
        std::optional<std::vector<std::string>> words = wordsOf(invocation);
        if (!words || (!only.empty() && *words != only))
            return {};
        only = std::move(*words);
    }
    std::size_t bytes = 0;
    for (const std::string &word : only)
        bytes += word.size() + 1;
    return bytes <= maxNormalisedBytes ? only : std::vector<std::string>();
}

} // namespace

CommandWords commandWords(const ExecRequest &request, const ReadCommands &read)
{
    if (!read || read->empty())
        return {request.command, {}};
    const shell::Evaluation &evaluation = read->front().evaluation;
    return {normalisedOf(evaluation, request.command), argvOf(evaluation)};
}

} // namespace portcullis::decision
