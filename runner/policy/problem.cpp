// SPDX-License-Identifier: Apache-2.0
#include "runner/policy/problem.h"

#include "runner/base/utf8.h"

#include <algorithm>

namespace portcullis::policy {
namespace {

ProblemCode codeOf(config::JsonError::Code code)
{
    using Json = config::JsonError::Code;
    switch (code) {
    case Json::Syntax:
        return ProblemCode::Syntax;
    case Json::MissingComma:
        return ProblemCode::MissingComma;
    case Json::TooDeep:
        return ProblemCode::TooDeep;
    case Json::TooLarge:
        return ProblemCode::TooLarge;
    case Json::DuplicateKey:
        return ProblemCode::DuplicateKey;
    case Json::BadUtf8:
        return ProblemCode::BadUtf8;
    case Json::BadNumber:
        return ProblemCode::BadNumber;
    case Json::BadEscape:
        return ProblemCode::BadEscape;
    case Json::UnexpectedEnd:
        return ProblemCode::UnexpectedEnd;
    }
    return ProblemCode::Syntax;
}

ProblemCode codeOf(rules::RuleError::Code code)
{
    using Rule = rules::RuleError::Code;
    switch (code) {
    case Rule::Json:
        return ProblemCode::RuleJson;
    case Rule::UnknownKey:
        return ProblemCode::RuleUnknownKey;
    case Rule::MissingKey:
        return ProblemCode::RuleMissingKey;
    case Rule::WrongType:
        return ProblemCode::RuleWrongType;
    case Rule::BadPattern:
        return ProblemCode::RuleBadPattern;
    case Rule::BadGroup:
        return ProblemCode::RuleBadGroup;
    case Rule::BadVerdict:
        return ProblemCode::RuleBadVerdict;
    case Rule::BadValue:
        return ProblemCode::RuleBadValue;
    case Rule::DuplicateId:
        return ProblemCode::RuleDuplicateId;
    case Rule::ExampleMissed:
        return ProblemCode::RuleExampleMissed;
    case Rule::ExampleHit:
        return ProblemCode::RuleExampleHit;
    case Rule::NoCondition:
        return ProblemCode::RuleNoCondition;
    }
    return ProblemCode::RuleJson;
}

} // namespace

Problem &ProblemSink::add(Problem::Severity severity, ProblemCode code, const config::Place &place,
                          std::string_view pointer)
{
    Problem problem;
    problem.severity = severity;
    problem.code = nameOf(code);
    problem.tenant = m_tenant;
    problem.file = m_file;
    problem.line = place.line;
    problem.column = place.column;
    problem.pointer = pointer;
    return m_list.emplace_back(std::move(problem));
}

void ProblemSink::jsonError(const config::JsonError &error)
{
    this->error(codeOf(error.code), error.place, {}).found = error.found;
}

void ProblemSink::ruleError(const rules::RuleError &error)
{
    Problem &problem = this->error(codeOf(error.code), {.line = error.line, .column = error.column}, {});
    problem.found = shown(error.detail);
    problem.hint = error.key;
    if (!error.nearest.empty())
        problem.allowed = {error.nearest};
    if (!error.rule.empty())
        problem.pointer = "/rules/" + error.rule;
}

bool hasErrors(std::span<const Problem> problems)
{
    return std::ranges::any_of(problems,
                               [](const Problem &problem) { return problem.severity == Problem::Severity::Error; });
}

std::string shown(std::string_view value)
{
    constexpr std::size_t longest = 80;
    std::size_t end = std::min(value.size(), longest);
    while (end > 0 && end < value.size() && (static_cast<unsigned char>(value[end]) & 0xC0U) == 0x80)
        --end;
    return std::string(value.substr(0, end));
}

std::string_view typeName(config::Json::Type type)
{
    constexpr std::array<std::string_view, 6> names{"null", "boolean", "number", "string", "array", "object"};
    return names.at(static_cast<std::size_t>(type));
}

std::string pointerTo(std::string_view parent, std::string_view key)
{
    std::string pointer(parent);
    pointer += '/';
    for (const char c : key) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
    return pointer;
}

std::string pointerTo(std::string_view parent, std::size_t index)
{
    return pointerTo(parent, std::to_string(index));
}

std::vector<std::string> asStrings(std::span<const std::string_view> names)
{
    return {names.begin(), names.end()};
}

} // namespace portcullis::policy
