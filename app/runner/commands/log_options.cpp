// SPDX-License-Identifier: Apache-2.0
#include "app/runner/commands/log_options.h"

#include "runner/record/filter_time.h"

#include <limits>

namespace portcullis::cli {
namespace {

constexpr int defaultLines = 100;

std::string joined(const std::vector<std::string> &words)
{
    std::string text;
    for (const std::string &word : words)
        text += (text.empty() ? "" : " ") + word;
    return text;
}

/// An option whose value is that of a field of the filter language.
Result<void, LogOptionError> narrow(record::Filter &filter, const Arguments &arguments, const std::string &option,
                                    const record::FilterClock &clock)
{
    const auto value = arguments.value(option);
    if (!value)
        return {};
    auto narrower = record::Filter::parse(option + ":" + record::quotedForFilter(*value), clock);
    if (!narrower)
        return failure(LogOptionError{option, *value, "2h, 3d, 2026-10-03 or 14:00", std::nullopt});
    filter = filter.narrowedBy(*narrower);
    return {};
}

Result<std::optional<int>, LogOptionError> limitOf(const Arguments &arguments, LogFormat format)
{
    const auto value = arguments.value("limit");
    if (!value) // people want the latest, programs want all
        return format == LogFormat::Lines ? std::optional(defaultLines) : std::nullopt;
    const auto number = record::parseNumber(*value);
    if (!number || number->from < 1 || number->from > std::numeric_limits<int>::max())
        return failure(LogOptionError{"limit", *value, "a number from 1", std::nullopt});
    return static_cast<int>(number->from);
}

} // namespace

Result<LogQuery, LogOptionError> logQuery(const Arguments &arguments, const record::FilterClock &clock)
{
    LogQuery query;
    const std::string words = joined(arguments.operands);
    auto filter = record::Filter::parse(words, clock);
    if (!filter)
        return failure(LogOptionError{{}, words, {}, filter.error()});
    query.filter = std::move(*filter);
    for (const std::string option : {"since", "until"}) {
        if (auto done = narrow(query.filter, arguments, option, clock); !done)
            return failure(done.error());
    }
    if (arguments.has("json") && arguments.has("csv"))
        return failure(LogOptionError{"csv", "--json --csv", "one of the two", std::nullopt});
    query.format = arguments.has("json") ? LogFormat::Json : arguments.has("csv") ? LogFormat::Csv : LogFormat::Lines;
    query.follow = arguments.has("follow");
    auto limit = limitOf(arguments, query.format);
    if (!limit)
        return failure(limit.error());
    query.limit = *limit;
    return query;
}

Result<audit::PruneOrder, LogOptionError> pruneOrder(const Arguments &arguments, std::int64_t nowUs)
{
    audit::PruneOrder order;
    if (const auto age = arguments.value("older-than")) {
        const auto duration = record::parseDuration(*age);
        if (!duration)
            return failure(LogOptionError{"older-than", *age, "an age such as 12h, 30d or 4w", std::nullopt});
        order.beforeUs = nowUs - duration->from;
    }
    if (const auto size = arguments.value("max-size")) {
        const auto bytes = record::parseSize(*size);
        if (!bytes)
            return failure(LogOptionError{"max-size", *size, "a size such as 500M or 1G", std::nullopt});
        order.maxBytes = bytes->from;
    }
    if (!order.beforeUs && !order.maxBytes)
        return failure(LogOptionError{"older-than", {}, "an age such as 30d, or --max-size 1G", std::nullopt});
    return order;
}

} // namespace portcullis::cli
