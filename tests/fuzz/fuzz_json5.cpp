// SPDX-License-Identifier: Apache-2.0

// Any bytes as JSON5.

#include "runner/base/utf8.h"
#include "runner/config/json5.h"
#include "runner/config/json5_places.h"
#include "tests/fuzz/property.h"

#include <string>

using namespace portcullis;
using config::Json;

namespace {

void placeIsRight(const config::Place &place, std::string_view text)
{
    PORTCULLIS_HOLDS(place.offset <= text.size());
    const config::Place counted = config::Places(text).at(place.offset);
    PORTCULLIS_HOLDS(counted.line == place.line && counted.column == place.column);
}

/// Every value stands inside the one that holds it.
void placesAreRight(const Json &value, std::string_view text, std::uint32_t from, std::uint32_t to)
{
    PORTCULLIS_HOLDS(from <= value.place.offset && value.place.offset < value.end && value.end <= to);
    placeIsRight(value.place, text);
    for (const Json &item : value.array)
        placesAreRight(item, text, value.place.offset + 1, value.end - 1);
    for (const Json::Member &member : value.object) {
        placeIsRight(member.keyPlace, text);
        PORTCULLIS_HOLDS(value.place.offset < member.keyPlace.offset);
        placesAreRight(member.value, text, member.keyPlace.offset + 1, value.end - 1);
    }
}

void isWrittenAndReadAgain(const Json &value, bool sorted)
{
    const std::string written = config::writeJson(value, sorted);
    PORTCULLIS_HOLDS(written.find('\n') == std::string::npos);
    const auto again = config::readJson5(written);
    PORTCULLIS_HOLDS(again);
    PORTCULLIS_HOLDS(config::writeJson(*again, sorted) == written);
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view text = fuzz::asText(data, size);
    if (const auto value = config::readJson5(text)) {
        placesAreRight(*value, text, 0, static_cast<std::uint32_t>(size));
        isWrittenAndReadAgain(*value, false);
        isWrittenAndReadAgain(*value, true);
    } else {
        placeIsRight(value.error().place, text);
        PORTCULLIS_HOLDS(value.error().found.size() <= 40);
        PORTCULLIS_HOLDS(text.find(value.error().found) != std::string_view::npos);
    }
    const auto quoted = config::readJson5(config::quoteJson(text));
    PORTCULLIS_HOLDS(quoted && quoted->isString());
    PORTCULLIS_HOLDS(firstInvalidUtf8(text) != std::string_view::npos || quoted->string == text);
    return 0;
}
