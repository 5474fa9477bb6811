// SPDX-License-Identifier: Apache-2.0
#include "runner/record/event_json.h"

#include <charconv>
#include <chrono>
#include <format>

namespace portcullis::record {
namespace {

bool takeNumber(std::string_view &text, std::size_t digits, int &number)
{
    if (text.size() < digits)
        return false;
    const auto [end, error] = std::from_chars(text.data(), text.data() + digits, number);
    if (error != std::errc() || end != text.data() + digits)
        return false;
    text.remove_prefix(digits);
    return true;
}

bool take(std::string_view &text, char c)
{
    if (!text.starts_with(c))
        return false;
    text.remove_prefix(1);
    return true;
}

/// `.123456` as microseconds; more digits are cut.
bool takeFraction(std::string_view &text, int &microseconds)
{
    microseconds = 0;
    if (!take(text, '.'))
        return true;
    int weight = 100'000;
    std::size_t digits = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        microseconds += (text.front() - '0') * weight;
        weight /= 10;
        text.remove_prefix(1);
        ++digits;
    }
    return digits > 0;
}

} // namespace

std::string rfc3339(std::int64_t timeUs)
{
    const std::chrono::sys_time<std::chrono::microseconds> when{std::chrono::microseconds{timeUs}};
    return std::format("{:%FT%T}Z", when);
}

std::optional<std::int64_t> fromRfc3339(std::string_view text)
{
    using namespace std::chrono;
    int y = 0;
    int mo = 0;
    int d = 0;
    int h = 0;
    int mi = 0;
    int s = 0;
    int us = 0;
    const bool read = takeNumber(text, 4, y) && take(text, '-') && takeNumber(text, 2, mo) && take(text, '-')
        && takeNumber(text, 2, d) && take(text, 'T') && takeNumber(text, 2, h) && take(text, ':')
        && takeNumber(text, 2, mi) && take(text, ':') && takeNumber(text, 2, s) && takeFraction(text, us)
        && take(text, 'Z') && text.empty();
    if (!read || mo < 1 || d < 1 || h < 0 || mi < 0 || s < 0 || h > 23 || mi > 59 || s > 60)
        return std::nullopt;
    const year_month_day date = year{y} / mo / d;
    if (!date.ok())
        return std::nullopt;
    const microseconds time =
        sys_days(date).time_since_epoch() + hours{h} + minutes{mi} + seconds{s} + microseconds{us};
    return time.count();
}

} // namespace portcullis::record
