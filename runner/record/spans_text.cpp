// SPDX-License-Identifier: Apache-2.0
#include "runner/record/spans_text.h"

#include <array>
#include <charconv>
#include <optional>

namespace portcullis::record {
namespace {

void appendNumber(std::string &text, std::uint32_t number)
{
    std::array<char, 10> digits{};
    const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), number);
    text.append(digits.data(), end);
}

bool take(std::string_view &text, char c)
{
    if (!text.starts_with(c))
        return false;
    text.remove_prefix(1);
    return true;
}

std::optional<std::uint32_t> takeNumber(std::string_view &text)
{
    std::uint32_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc())
        return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

std::optional<Span> takeSpan(std::string_view &text)
{
    if (!take(text, '['))
        return std::nullopt;
    const auto start = takeNumber(text);
    if (!start || !take(text, ','))
        return std::nullopt;
    const auto length = takeNumber(text);
    if (!length || !take(text, ']'))
        return std::nullopt;
    return Span{*start, *length};
}

} // namespace

std::string spansToText(const std::vector<Span> &spans)
{
    std::string text = "[";
    for (const Span &span : spans) {
        text += text.size() > 1 ? ",[" : "[";
        appendNumber(text, span.start);
        text += ',';
        appendNumber(text, span.length);
        text += ']';
    }
    return text + ']';
}

std::vector<Span> spansFromText(std::string_view text)
{
    std::vector<Span> spans;
    if (!take(text, '['))
        return spans;
    while (const auto span = takeSpan(text)) {
        spans.push_back(*span);
        if (!take(text, ','))
            break;
    }
    return spans;
}

} // namespace portcullis::record
