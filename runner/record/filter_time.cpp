// SPDX-License-Identifier: Apache-2.0
#include "runner/record/filter_time.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace portcullis::record {
namespace {

using std::chrono::sys_days;

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t minute = 60 * second;
constexpr std::int64_t day = 24 * 60 * minute;
constexpr std::int64_t longest = 10'000LL * 366 * day;

/// Exactly `digits` digits at the front, as a number.
std::optional<int> takeDigits(std::string_view &text, std::size_t digits)
{
    if (text.size() < digits)
        return std::nullopt;
    int number = 0;
    for (const char c : text.substr(0, digits)) {
        if (c < '0' || c > '9')
            return std::nullopt;
        number = number * 10 + (c - '0');
    }
    text.remove_prefix(digits);
    return number;
}

bool take(std::string_view &text, char c)
{
    if (!text.starts_with(c))
        return false;
    text.remove_prefix(1);
    return true;
}

std::int64_t offsetUs(const FilterClock &clock, std::int64_t utcUs)
{
    return clock.offsetAt ? std::int64_t{clock.offsetAt(utcUs)} * second : 0;
}

/// Local to UTC. Asked twice, because the first answer is for a moment that may lie on the other side of a change.
std::int64_t toUtc(std::int64_t localUs, const FilterClock &clock)
{
    const std::int64_t guess = localUs - offsetUs(clock, localUs);
    return localUs - offsetUs(clock, guess);
}

std::int64_t localMidnight(std::chrono::sys_days date)
{
    return std::int64_t{date.time_since_epoch().count()} * day;
}

sys_days localToday(const FilterClock &clock)
{
    const std::chrono::microseconds local{clock.nowUs + offsetUs(clock, clock.nowUs)};
    return sys_days(std::chrono::floor<std::chrono::days>(local));
}

Interval localInterval(std::int64_t from, std::int64_t to, const FilterClock &clock)
{
    return {toUtc(from, clock), toUtc(to, clock)};
}

/// `HH:MM[:SS]` as time since midnight and the length of what is named.
std::optional<std::pair<std::int64_t, std::int64_t>> parseClock(std::string_view text)
{
    const auto hours = takeDigits(text, 2);
    if (!hours || *hours > 24 || !take(text, ':'))
        return std::nullopt;
    const auto minutes = takeDigits(text, 2);
    if (!minutes || *minutes > 59)
        return std::nullopt;
    std::int64_t at = *hours * (60 * minute) + *minutes * minute;
    std::int64_t length = minute;
    if (take(text, ':')) {
        const auto seconds = takeDigits(text, 2);
        if (!seconds || *seconds > 59)
            return std::nullopt;
        at += *seconds * second;
        length = second;
    }
    if (!text.empty() || at > day)
        return std::nullopt;
    return std::pair{at, length};
}

std::optional<TimeValue> parseDate(std::string_view text, const FilterClock &clock)
{
    using namespace std::chrono;
    const auto yearNumber = takeDigits(text, 4);
    if (!yearNumber)
        return std::nullopt;
    const year y{*yearNumber};
    if (text.empty())
        return TimeValue{
            localInterval(localMidnight(y / January / 1), localMidnight((y + years(1)) / January / 1), clock), false};
    if (!take(text, '-'))
        return std::nullopt;
    const auto monthNumber = takeDigits(text, 2);
    if (!monthNumber || *monthNumber < 1 || *monthNumber > 12)
        return std::nullopt;
    const year_month ym = y / *monthNumber;
    if (text.empty())
        return TimeValue{localInterval(localMidnight(ym / 1), localMidnight((ym + months(1)) / 1), clock), false};
    if (!take(text, '-'))
        return std::nullopt;
    const auto dayNumber = takeDigits(text, 2);
    if (!dayNumber || !(ym / *dayNumber).ok())
        return std::nullopt;
    const std::int64_t midnight = localMidnight(ym / *dayNumber);
    if (text.empty())
        return TimeValue{localInterval(midnight, midnight + day, clock), false};
    if (!take(text, 'T'))
        return std::nullopt;
    const bool utc = text.ends_with('Z');
    const auto time = parseClock(text.substr(0, text.size() - (utc ? 1 : 0)));
    if (!time)
        return std::nullopt;
    const std::int64_t from = midnight + time->first;
    const Interval span = utc ? Interval{from, from + time->second} : localInterval(from, from + time->second, clock);
    return TimeValue{span, true};
}

struct Unit {
    std::string_view name;
    std::int64_t size;
};

/// A number and one of the units, none where a unit without name is among them.
std::optional<Interval> parseWithUnit(std::string_view text, std::span<const Unit> units, std::int64_t most)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
    if (error != std::errc() || number < 0)
        return std::nullopt;
    const std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.data()));
    const std::string_view name = text.substr(digits.size());
    for (const Unit &unit : units) {
        if (unit.name != name)
            continue;
        const double value = number * static_cast<double>(unit.size);
        if (value > static_cast<double>(most))
            return std::nullopt;
        const auto from = static_cast<std::int64_t>(std::llround(value));
        return Interval{from, from + (digits.contains('.') ? 1 : unit.size)};
    }
    return std::nullopt;
}

constexpr std::array<Unit, 7> durationUnits{Unit{"us", 1},      {"ms", 1000}, {"s", second}, {"m", minute},
                                            {"h", 60 * minute}, {"d", day},   {"w", 7 * day}};

} // namespace

std::optional<TimeValue> parseTime(std::string_view text, const FilterClock &clock)
{
    if (text == "today" || text == "yesterday") {
        const std::int64_t midnight = localMidnight(localToday(clock)) - (text == "today" ? 0 : day);
        return TimeValue{localInterval(midnight, midnight + day, clock), false};
    }
    if (const auto time = parseClock(text)) {
        const std::int64_t from = localMidnight(localToday(clock)) + time->first;
        return TimeValue{localInterval(from, from + time->second, clock), true};
    }
    return parseDate(text, clock);
}

std::optional<Interval> parseDuration(std::string_view text)
{
    return parseWithUnit(text, durationUnits, longest);
}

std::optional<Interval> parseDurationOrSeconds(std::string_view text)
{
    static constexpr std::array<Unit, 1> seconds{Unit{"", second}};
    const auto bare = parseWithUnit(text, seconds, longest);
    return bare ? bare : parseDuration(text);
}

std::optional<Interval> parseSize(std::string_view text)
{
    static constexpr std::array<Unit, 4> sizes{Unit{"", 1}, {"K", 1LL << 10}, {"M", 1LL << 20}, {"G", 1LL << 30}};
    auto size = parseWithUnit(text, sizes, 1LL << 50);
    if (size) // a size names one number of bytes, not a class of sizes
        size->to = size->from + 1;
    return size;
}

std::optional<Interval> parseNumber(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number == Interval::highest)
        return std::nullopt;
    return Interval{number, number + 1};
}

} // namespace portcullis::record
