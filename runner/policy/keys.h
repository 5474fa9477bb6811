// SPDX-License-Identifier: Apache-2.0
#pragma once

// The one table of configuration keys: what each is called in a tenant policy, in the gateway's file and in the
// environment, what values it takes, and which member of Effective it becomes. Readers, precedence, the listing of
// effective values, the schema test and the documentation follow this table.

#include "runner/policy/policy.h"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace portcullis::policy {

/// The value of any key. Words of an enumeration are strings, numbers doubles.
using KeyValue = std::variant<bool, double, std::string, std::vector<std::string>>;

struct KeySpec {
    enum class Kind { Bool, Integer, Number, Word, Text, Paths, Names };

    std::string name; ///< path in a tenant policy, dots between the keys
    Kind kind = Kind::Bool;
    std::vector<std::string_view> words; ///< of a Word; ascending strictness where `strictest` is set
    double least = 0; ///< of numbers
    double greatest = 0;
    bool strictest = false; ///< a tenant policy can tighten this, never loosen it
    bool gatewayOnly = false; ///< not allowed in a tenant policy
    std::string gateway; ///< path in the gateway's file, or empty
    std::string gatewayAgent; ///< path below `agents.list.<id>` there, or empty
    std::string environment; ///< name of the variable, or empty
    bool flag = false; ///< a Word that the gateway's file spells as a boolean: true is the first word, false the last

    void (*store)(Effective &effective, const KeyValue &value, const Source &source) = nullptr;
    Sourced<KeyValue> (*load)(const Effective &effective) = nullptr;
};

[[nodiscard]] const std::vector<KeySpec> &keys();

/// The folders that confined commands may read besides the system's.
inline constexpr std::string_view extraReadKey = "extra_read";

/// Names that stand at the top of a tenant policy beside the keys of the table.
inline constexpr std::array<std::string_view, 7> structuralKeys{"$schema", "version", "tenant",    "agents",
                                                                "rules",   "tests",   "exemptions"};

/// The strictness of a word of a `strictest` key; greater is stricter.
[[nodiscard]] std::size_t strictness(const KeySpec &key, const KeyValue &value);

/// A key's value as compact JSON.
[[nodiscard]] std::string toJson(const KeyValue &value);

/// The deny group with this name; not the path guard.
[[nodiscard]] std::optional<Group> denyGroup(std::string_view name);
[[nodiscard]] std::span<const std::string_view> denyGroupNames();

} // namespace portcullis::policy
