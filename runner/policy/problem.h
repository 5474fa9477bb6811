// SPDX-License-Identifier: Apache-2.0
#pragma once

// Problems of configuration files: their codes, and a collector that knows the file.

#include "runner/base/vocabulary.h"
#include "runner/config/json5.h"
#include "runner/policy/policy.h"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace portcullis::policy {

/// What `Problem::code` says. In brackets: what `found`, `hint` and `allowed` hold.
enum class ProblemCode {
    // the text is no JSON5 (found)
    Syntax,
    MissingComma, ///< found: what it is missing before
    UnexpectedEnd,
    TooDeep,
    TooLarge,
    DuplicateKey,
    BadUtf8,
    BadNumber,
    BadEscape,
    // keys and values
    WrongType, ///< found: type, allowed: types
    BadValue, ///< found, hint: nearest, allowed: all
    OutOfRange, ///< found, allowed: least and greatest
    UnknownKey, ///< found, hint: nearest
    MisplacedKey, ///< found, hint: the key of a policy that it is, with its path
    GatewayKey, ///< found: a key of the gateway's file in a policy, hint: its path there
    UnknownGroup, ///< found, hint: nearest
    MissingKey, ///< hint: the key
    DeprecatedKey, ///< found, hint: the new key
    UnsupportedVersion, ///< found, allowed
    NotAbsolute, ///< found: a path that is neither absolute nor below `~/`
    ReservedPath, ///< found: a folder that every command has its own of, or `/`
    NoSuchPath, ///< found: a path that a policy grants, and that this machine does not have
    FileGranted, ///< found: a path that a policy grants, where this machine has a file
    NoHome, ///< found: a path with `~`, and no home is known
    CannotLoosen, ///< found: the tenant's value, hint: the value that stays in force
    // tenants
    TenantMismatch, ///< found: the `tenant` key, hint: the file's slug
    PolicyLost, ///< found: a tenant whose policy the record keeps and whose file is gone
    BadSlug, ///< found: the file's name
    DuplicatePolicy, ///< found: the tenant
    // exemptions
    NotExemptable, ///< found: the check, allowed: exemptable checks
    DuplicateId, ///< found
    UnknownRule, ///< found, hint: nearest
    CommandAndProgram, ///< one of both must be given
    BadTime, ///< found: no time with a zone
    ExemptionOver, ///< found: the id, hint: when it ended
    // rules: found is the value, hint the key, allowed of an unknown key the one that it resembles
    RuleUnknownKey,
    RuleMissingKey,
    RuleWrongType,
    RuleBadPattern,
    RuleBadGroup,
    RuleBadVerdict,
    RuleBadValue,
    RuleDuplicateId,
    RuleExampleMissed,
    RuleExampleHit,
    RuleNoCondition,
    RuleJson,
    // files, found by who reads them
    NotFound,
    NotReadable, ///< found: name of the errno
    NotRegular,
    NotFolder,
    NotOurs, ///< found: uid of the owner
    WritableByOthers, ///< found: mode in octal
    FileTooLarge, ///< found: bytes
    FolderWritableByOthers, ///< found: mode in octal
};

/// Adds problems of one file to a list.
class ProblemSink
{
public:
    ProblemSink(std::vector<Problem> &list, std::string file, std::string tenant = {})
        : m_list(list), m_file(std::move(file)), m_tenant(std::move(tenant))
    {
    }

    /// Adds a problem; the reference is for filling in `found`, `hint` and `allowed`.
    Problem &add(Problem::Severity severity, ProblemCode code, const config::Place &place, std::string_view pointer);
    Problem &error(ProblemCode code, const config::Place &place, std::string_view pointer)
    {
        return add(Problem::Severity::Error, code, place, pointer);
    }
    Problem &warning(ProblemCode code, const config::Place &place, std::string_view pointer)
    {
        return add(Problem::Severity::Warning, code, place, pointer);
    }
    void jsonError(const config::JsonError &error);
    void ruleError(const rules::RuleError &error);

    [[nodiscard]] const std::string &file() const { return m_file; }
    [[nodiscard]] const std::string &tenant() const { return m_tenant; }

private:
    std::vector<Problem> &m_list;
    std::string m_file;
    std::string m_tenant;
};

[[nodiscard]] bool hasErrors(std::span<const Problem> problems);

/// A value as a problem shows it: at most 80 bytes, cut between characters.
[[nodiscard]] std::string shown(std::string_view value);

/// The name of a JSON type: `object`, `array`, `string`, `number`, `boolean`, `null`.
[[nodiscard]] std::string_view typeName(config::Json::Type type);

/// A JSON pointer (RFC 6901) with one more key.
[[nodiscard]] std::string pointerTo(std::string_view parent, std::string_view key);
[[nodiscard]] std::string pointerTo(std::string_view parent, std::size_t index);

[[nodiscard]] std::vector<std::string> asStrings(std::span<const std::string_view> names);

} // namespace portcullis::policy

namespace portcullis {
template <>
struct Names<policy::ProblemCode> {
    static constexpr std::array<std::string_view, 55> all{"syntax",
                                                          "missing_comma",
                                                          "unexpected_end",
                                                          "too_deep",
                                                          "too_large",
                                                          "duplicate_key",
                                                          "bad_utf8",
                                                          "bad_number",
                                                          "bad_escape",
                                                          "wrong_type",
                                                          "bad_value",
                                                          "out_of_range",
                                                          "unknown_key",
                                                          "misplaced_key",
                                                          "gateway_key",
                                                          "unknown_group",
                                                          "missing_key",
                                                          "deprecated_key",
                                                          "unsupported_version",
                                                          "not_absolute",
                                                          "reserved_path",
                                                          "no_such_path",
                                                          "file_granted",
                                                          "no_home",
                                                          "cannot_loosen",
                                                          "tenant_mismatch",
                                                          "policy_lost",
                                                          "bad_slug",
                                                          "duplicate_policy",
                                                          "not_exemptable",
                                                          "duplicate_id",
                                                          "unknown_rule",
                                                          "command_and_program",
                                                          "bad_time",
                                                          "exemption_over",
                                                          "rule_unknown_key",
                                                          "rule_missing_key",
                                                          "rule_wrong_type",
                                                          "rule_bad_pattern",
                                                          "rule_bad_group",
                                                          "rule_bad_verdict",
                                                          "rule_bad_value",
                                                          "rule_duplicate_id",
                                                          "rule_example_missed",
                                                          "rule_example_hit",
                                                          "rule_no_condition",
                                                          "rule_json",
                                                          "not_found",
                                                          "not_readable",
                                                          "not_regular",
                                                          "not_folder",
                                                          "not_ours",
                                                          "writable_by_others",
                                                          "file_too_large",
                                                          "folder_writable_by_others"};
};
} // namespace portcullis
