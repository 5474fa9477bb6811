// SPDX-License-Identifier: Apache-2.0
#pragma once

// A reader for JSON5 (https://spec.json5.org) that keeps the place of every value, so that errors and provenance carry
// line and column. Also reads plain JSON.

#include "runner/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::config {

/// A place in a text; lines and columns count from 1, columns in bytes.
struct Place {
    std::uint32_t offset = 0;
    std::uint32_t line = 1;
    std::uint32_t column = 1;
};

struct JsonError {
    enum class Code { Syntax, TooDeep, TooLarge, DuplicateKey, BadUtf8, BadNumber, BadEscape, UnexpectedEnd };
    Code code = Code::Syntax;
    Place place;
    std::string found; ///< the offending text, at most 40 bytes
};

/// A JSON value with its place. Objects keep their order; duplicate keys are an error.
class Json
{
public:
    enum class Type { Null, Bool, Number, String, Array, Object };
    struct Member;

    Type type = Type::Null;
    bool boolean = false;
    double number = 0;
    std::string string;  ///< decoded UTF-8; for numbers the spelling
    std::vector<Json> array;
    std::vector<Member> object;
    Place place;         ///< first byte of the value
    std::uint32_t end = 0; ///< offset one past its last byte

    [[nodiscard]] const Json *find(std::string_view key) const;
    [[nodiscard]] bool isObject() const { return type == Type::Object; }
    [[nodiscard]] bool isArray() const { return type == Type::Array; }
    [[nodiscard]] bool isString() const { return type == Type::String; }
    [[nodiscard]] bool isNumber() const { return type == Type::Number; }
    [[nodiscard]] bool isBool() const { return type == Type::Bool; }
};

struct Json::Member {
    std::string key;
    Place keyPlace;
    Json value;
};

/// Reads one JSON5 value that fills the whole text. Depth at most 64, text at most 16 MiB.
[[nodiscard]] Result<Json, JsonError> readJson5(std::string_view text);

/// Writes a value as compact JSON (strict; member order kept) — the canonical text for digests sorts members.
[[nodiscard]] std::string writeJson(const Json &value, bool sorted = false);

/// A JSON string literal with its quotes; invalid UTF-8 bytes become U+FFFD.
[[nodiscard]] std::string quoteJson(std::string_view text);

} // namespace portcullis::config
