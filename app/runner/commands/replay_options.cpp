// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/replay_options.h"

#include "runner/decision/decision_json.h"

#include <algorithm>
#include <array>
#include <ranges>

namespace portcullis::cli {
namespace {

using replay::Change;

constexpr std::array<std::string_view, 4> kindWords{"loosened", "tightened", "changed", "not_replayable"};

Result<ReplaySource, LogOptionError> sourceOf(const std::string &option, const std::string &text)
{
    const auto source = parseReplaySource(text);
    if (!source)
        return failure(LogOptionError{option, text, std::string(replaySourceForms), std::nullopt});
    return *source;
}

LogOptionError notAKind(const std::string &option, std::string value)
{
    std::string allowed;
    for (const std::string_view word : kindWords)
        allowed += (allowed.empty() ? "" : ", ") + std::string(word);
    return {option, std::move(value), std::move(allowed), std::nullopt};
}

Result<std::string, LogOptionError> kindOf(const Arguments &arguments, const std::string &option)
{
    std::string value = arguments.value(option).value_or(std::string());
    if (!arguments.has(option) || std::ranges::contains(kindWords, value))
        return value;
    return failure(notAKind(option, std::move(value)));
}

/// Several, with a comma between them.
Result<std::vector<std::string>, LogOptionError> kindsOf(const Arguments &arguments, const std::string &option)
{
    std::vector<std::string> kinds;
    if (!arguments.has(option))
        return kinds;
    for (const auto part : std::views::split(arguments.value(option).value_or(std::string()), ',')) {
        kinds.emplace_back(part.begin(), part.end());
        if (!std::ranges::contains(kindWords, kinds.back()))
            return failure(notAKind(option, kinds.back()));
    }
    if (kinds.empty())
        return failure(notAKind(option, {}));
    return kinds;
}

} // namespace

bool fails(const replay::Row &row, std::span<const std::string> kinds)
{
    return std::ranges::any_of(kinds, [&](const std::string &kind) { return isOfKind(row, kind); });
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
    auto only = kindOf(arguments, "only");
    if (!only)
        return failure(only.error());
    options.only = std::move(*only);
    auto failOn = kindsOf(arguments, "fail-on");
    if (!failOn)
        return failure(failOn.error());
    options.failOn = std::move(*failOn);
    return options;
}

} // namespace portcullis::cli
