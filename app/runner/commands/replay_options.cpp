// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/replay_options.h"

#include "runner/decision/decision_json.h"

#include <algorithm>
#include <array>

namespace portcullis::cli {
namespace {

using replay::Change;

constexpr std::array<std::string_view, 4> onlyWords{"loosened", "tightened", "changed", "not_replayable"};
constexpr std::array<std::string_view, 3> failWords{"loosened", "changed", "not_replayable"};

Result<ReplaySource, LogOptionError> sourceOf(const std::string &option, const std::string &text)
{
    const auto source = parseReplaySource(text);
    if (!source)
        return failure(LogOptionError{option, text, std::string(replaySourceForms), std::nullopt});
    return *source;
}

template <std::size_t N>
Result<std::string, LogOptionError> wordOf(const Arguments &arguments, const std::string &option,
                                           const std::array<std::string_view, N> &words)
{
    std::string value = arguments.value(option).value_or(std::string());
    if (!arguments.has(option) || std::ranges::find(words, value) != words.end())
        return value;
    std::string allowed;
    for (const std::string_view word : words)
        allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    return failure(LogOptionError{option, value, allowed, std::nullopt});
}

} // namespace

bool fails(const replay::Row &row, std::string_view word)
{
    return !word.empty() && isOfKind(row, word);
}

bool isOfKind(const replay::Row &row, std::string_view word)
{
    if (row.obstacle)
        return word == "not_replayable";
    switch (row.change) {
    case Change::Unchanged:
        return false;
    case Change::Loosened:
        return word == "loosened" || word == "changed";
    case Change::Tightened:
        return word == "tightened" || word == "changed";
    case Change::ChangedReason:
        return word == "changed";
    }
    return false;
}

Result<ReplayOptions, LogOptionError> replayOptions(const Arguments &arguments, const record::FilterClock &clock)
{
    ReplayOptions options;
    const auto query = logQuery(arguments, clock);
    if (!query)
        return failure(query.error());
    const auto commands = record::Filter::parse("kind:exec", clock);
    options.filter = commands ? query->filter.narrowedBy(*commands) : query->filter;
    for (const std::string &word : arguments.operands)
        options.filterText += (options.filterText.empty() ? "" : " ") + word;
    options.file = arguments.value("file").value_or(std::string());
    if (!options.file.empty() && !arguments.operands.empty())
        return failure(LogOptionError{"file", options.filterText, "a file without a filter", std::nullopt});

    if (!arguments.has("against"))
        return failure(LogOptionError{"against", {}, std::string(replaySourceForms), std::nullopt});
    auto against = sourceOf("against", *arguments.value("against"));
    if (!against)
        return failure(against.error());
    options.against = std::move(*against);
    if (const auto baseline = arguments.value("baseline"); baseline && *baseline != "recorded") {
        auto source = sourceOf("baseline", *baseline);
        if (!source)
            return failure(source.error());
        options.baseline = std::move(*source);
    }
    options.assume = arguments.value("assume").value_or(std::string());
    if (const auto facts = decision::assume({}, options.assume); !facts)
        return failure(LogOptionError{"assume", facts.error().part, facts.error().allowed, std::nullopt});
    auto only = wordOf(arguments, "only", onlyWords);
    if (!only)
        return failure(only.error());
    options.only = std::move(*only);
    auto failOn = wordOf(arguments, "fail-on", failWords);
    if (!failOn)
        return failure(failOn.error());
    options.failOn = std::move(*failOn);
    return options;
}

} // namespace portcullis::cli
