// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/arrays.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace portcullis::shell {

namespace {

std::optional<std::int64_t> numberOf(std::string_view key)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), number);
    return error == std::errc() && end == key.data() + key.size() ? std::optional(number) : std::nullopt;
}

/// The key that a subscript means; nothing when it is not known.
std::optional<std::string> keyOf(const Datum &array, const Subscript &subscript)
{
    if (subscript.associative)
        return subscript.text.known() ? std::optional(subscript.text.text) : std::nullopt;
    if (!subscript.number)
        return std::nullopt;
    const std::int64_t number = *subscript.number;
    return std::to_string(number < 0 ? number + nextIndex(array) : number);
}

void giveKeys(Datum &array)
{
    array.keys = keysOf(array);
}

} // namespace

std::vector<std::string> keysOf(const Datum &array)
{
    std::vector<std::string> keys = array.keys;
    for (std::size_t i = keys.size(); i < array.elements.size(); ++i)
        keys.push_back(array.keys.empty() ? std::to_string(i) : std::string());
    return keys;
}

std::int64_t nextIndex(const Datum &array)
{
    if (array.keys.empty())
        return static_cast<std::int64_t>(array.elements.size());
    std::int64_t next = 0;
    for (const std::string &key : array.keys)
        next = std::max(next, numberOf(key).value_or(-1) + 1);
    return next;
}

Element findElement(const Datum &array, const Subscript &subscript, std::size_t &at)
{
    const auto key = keyOf(array, subscript);
    if (!key)
        return Element::Unknown;
    if (array.keys.empty()) {
        const auto number = numberOf(*key);
        const bool there = number && *number >= 0 && static_cast<std::size_t>(*number) < array.elements.size();
        at = there ? static_cast<std::size_t>(*number) : 0;
        return there ? Element::Found : Element::Missing;
    }
    const auto found = std::ranges::find(array.keys, *key);
    at = static_cast<std::size_t>(found - array.keys.begin());
    return found != array.keys.end() && at < array.elements.size() ? Element::Found : Element::Missing;
}

void setElement(Datum &array, const Subscript &subscript, Gapped value)
{
    array.set = true;
    array.array = true;
    std::size_t at = 0;
    const Element where = findElement(array, subscript, at);
    if (where == Element::Found) {
        array.elements[at] = std::move(value);
        return;
    }
    const auto key = keyOf(array, subscript);
    if (!key || (!subscript.associative && key->starts_with('-'))) {
        array.open = true;
        giveKeys(array);
        array.keys.emplace_back();
        array.elements.push_back(std::move(value));
        return;
    }
    if (array.keys.empty() && !subscript.associative && *key == std::to_string(array.elements.size())) {
        array.elements.push_back(std::move(value));
        return;
    }
    giveKeys(array);
    auto place = array.keys.end();
    if (!subscript.associative) // in the order of the indices
        place = std::ranges::find_if(array.keys, [number = numberOf(*key)](const std::string &other) {
            return numberOf(other).value_or(-1) > *number;
        });
    const auto offset = place - array.keys.begin();
    array.keys.insert(place, *key);
    array.elements.insert(array.elements.begin() + offset, std::move(value));
}

bool eraseElement(Datum &array, const Subscript &subscript)
{
    std::size_t at = 0;
    const Element where = findElement(array, subscript, at);
    if (where != Element::Found)
        return where == Element::Missing;
    giveKeys(array);
    array.keys.erase(array.keys.begin() + static_cast<std::ptrdiff_t>(at));
    array.elements.erase(array.elements.begin() + static_cast<std::ptrdiff_t>(at));
    array.set = array.array || !array.elements.empty();
    return true;
}

void appendElements(Datum &array, const Datum &more, bool associative)
{
    array.set = true;
    array.array = true;
    array.open = array.open || more.open;
    if (array.keys.empty() && more.keys.empty() && !associative) {
        array.elements.insert(array.elements.end(), more.elements.begin(), more.elements.end());
        return;
    }
    std::int64_t next = nextIndex(array);
    for (std::size_t i = 0; i < more.elements.size(); ++i) {
        const std::string key = i < more.keys.size() ? more.keys[i] : std::string();
        Subscript at{
            .text = Gapped(key), .number = more.keys.empty() ? next : numberOf(key), .associative = associative};
        next = at.number.value_or(next) + 1;
        setElement(array, at, more.elements[i]);
    }
}

const Gapped *firstElement(const Datum &array)
{
    if (array.keys.empty())
        return array.elements.empty() ? nullptr : &array.elements.front();
    const auto zero = std::ranges::find(array.keys, std::string("0"));
    const auto at = static_cast<std::size_t>(zero - array.keys.begin());
    return zero == array.keys.end() || at >= array.elements.size() ? nullptr : &array.elements[at];
}

} // namespace portcullis::shell
