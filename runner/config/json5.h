// SPDX-License-Identifier: Apache-2.0
#pragma once

// A reader for JSON5 (https://spec.json5.org) that keeps the place of every value, so that errors and provenance carry
// line and column. Also reads plain JSON.

#include "runner/base/result.h"

#include <cstddef>
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
    enum class Code {
        Syntax,
        MissingComma,
        TooDeep,
        TooLarge,
        DuplicateKey,
        BadUtf8,
        BadNumber,
        BadEscape,
        UnexpectedEnd
    };
    Code code = Code::Syntax;
    Place place; ///< of the offending text; for UnexpectedEnd of what was never closed
    std::string found; ///< the offending text, at most 40 bytes, cut between characters
};

/// Limits of a text; past one of them the answer is TooDeep or TooLarge.
inline constexpr std::size_t maxJsonBytes = 16U << 20;
inline constexpr std::size_t maxJsonDepth = 64;
inline constexpr std::size_t maxJsonValues = 500'000;

/// A JSON value with its place. Objects keep their order; duplicate keys are an error.
class Json
{
public:
    enum class Type { Null, Bool, Number, String, Array, Object };
    struct Member;

    Type type = Type::Null;
    bool boolean = false;
    double number = 0; ///< hexadecimal too; Infinity and NaN are numbers in JSON5
    std::string string; ///< decoded UTF-8; for numbers the spelling
    std::vector<Json> array;
    std::vector<Member> object;
    Place place; ///< first byte of the value
    std::uint32_t end = 0; ///< offset one past its last byte

    /// The value of a member, or null when there is none or this is no object.
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

/// Reads one JSON5 value that fills the whole text, which may be hostile: bounded in depth, size and number of values,
/// linear in time. Stricter than the specification in three ways: duplicate keys, numbers that no double can hold and
/// escapes of lone surrogates are errors.
[[nodiscard]] Result<Json, JsonError> readJson5(std::string_view text);

/// Writes a value as compact strict JSON in one line; with `sorted` members are in byte order of their keys, so that
/// equal values give equal texts. Infinity and NaN, which JSON lacks, become null. Numbers are spelled anew.
[[nodiscard]] std::string writeJson(const Json &value, bool sorted = false);

/// A JSON string literal with its quotes; invalid UTF-8 becomes U+FFFD. Controls, bidirectional and zero-width
/// characters are escaped: such lines are read on terminals, and their content comes from strangers.
[[nodiscard]] std::string quoteJson(std::string_view text);

/// A number as JSON spells it: shortest form that reads back the same; `null` for Infinity and NaN.
[[nodiscard]] std::string writeJsonNumber(double number);

} // namespace portcullis::config
