// SPDX-License-Identifier: Apache-2.0
#include "runner/base/invisible.h"
#include "runner/base/utf8.h"
#include "runner/config/json5.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <format>

namespace portcullis::config {
namespace {

/// JSON writes characters outside the basic plane as a pair of surrogates (RFC 8259, section 7).
std::string unicodeEscape(char32_t c)
{
    const auto code = static_cast<std::uint32_t>(c);
    if (code < 0x10000)
        return std::format("\\u{:04x}", code);
    const std::uint32_t rest = code - 0x10000;
    return std::format("\\u{:04x}\\u{:04x}", 0xD800 + (rest >> 10), 0xDC00 + (rest & 0x3FF));
}

void appendEscaped(std::string &out, char32_t c)
{
    switch (c) {
    case '"':
        out += "\\\"";
        return;
    case '\\':
        out += "\\\\";
        return;
    case '\n':
        out += "\\n";
        return;
    case '\r':
        out += "\\r";
        return;
    case '\t':
        out += "\\t";
        return;
    default:
        break;
    }
    if (isInvisible(c))
        out += unicodeEscape(c);
    else
        appendUtf8(out, c);
}

void appendValue(std::string &out, const Json &value, bool sorted);

void appendArray(std::string &out, const std::vector<Json> &items, bool sorted)
{
    out += '[';
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i > 0)
            out += ',';
        appendValue(out, items[i], sorted);
    }
    out += ']';
}

void appendObject(std::string &out, const std::vector<Json::Member> &members, bool sorted)
{
    std::vector<const Json::Member *> order;
    order.reserve(members.size());
    for (const Json::Member &member : members)
        order.push_back(&member);
    if (sorted)
        std::ranges::stable_sort(order, {},
                                 [](const Json::Member *member) -> const std::string & { return member->key; });
    out += '{';
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i > 0)
            out += ',';
        out += quoteJson(order[i]->key);
        out += ':';
        appendValue(out, order[i]->value, sorted);
    }
    out += '}';
}

void appendValue(std::string &out, const Json &value, bool sorted)
{
    switch (value.type) {
    case Json::Type::Null:
        out += "null";
        break;
    case Json::Type::Bool:
        out += value.boolean ? "true" : "false";
        break;
    case Json::Type::Number:
        out += writeJsonNumber(value.number);
        break;
    case Json::Type::String:
        out += quoteJson(value.string);
        break;
    case Json::Type::Array:
        appendArray(out, value.array, sorted);
        break;
    case Json::Type::Object:
        appendObject(out, value.object, sorted);
        break;
    }
}

} // namespace

std::string quoteJson(std::string_view text)
{
    std::string out;
    out.reserve(text.size() + 2);
    out += '"';
    for (std::size_t i = 0; i < text.size();) {
        const Utf8Char character = utf8At(text, i);
        appendEscaped(out, character.code);
        i += character.length;
    }
    out += '"';
    return out;
}

std::string writeJsonNumber(double number)
{
    if (!std::isfinite(number))
        return "null";
    if (number == 0)
        return "0"; // minus zero too: equal values give equal texts
    std::array<char, 32> buffer{};
    const auto written = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
    return {buffer.data(), written.ptr};
}

std::string writeJson(const Json &value, bool sorted)
{
    std::string out;
    appendValue(out, value, sorted);
    return out;
}

} // namespace portcullis::config
