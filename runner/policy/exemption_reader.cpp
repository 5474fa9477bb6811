// SPDX-License-Identifier: Apache-2.0
#include "runner/base/nearest.h"
#include "runner/policy/tenant_policy.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <format>
#include <set>

namespace portcullis::policy {
namespace {

using config::Json;

std::vector<std::string> exemptableChecks()
{
    std::vector<std::string> names;
    for (std::size_t i = 0; i < Names<Check>::all.size(); ++i) {
        if (isExemptable(static_cast<Check>(i)))
            names.emplace_back(Names<Check>::all[i]);
    }
    return names;
}

/// Reads one entry of the list.
class EntryReader
{
public:
    EntryReader(const Json &json, std::string pointer, ProblemSink &problems)
        : m_json(json), m_pointer(std::move(pointer)), m_problems(problems)
    {
    }

    Exemption read();

private:
    void refuseUnknownKeys();
    std::string text(std::string_view key, bool required);
    /// False when no exemption can answer the check.
    bool readCheck();
    void readSubject();
    void readExpiry();

    const Json &m_json;
    std::string m_pointer;
    ProblemSink &m_problems;
    Exemption m_out;
};

Exemption EntryReader::read()
{
    m_out.source = {Layer::Tenant, m_problems.file(), m_json.place.line, m_json.place.column, m_pointer};
    if (!expectType(m_json, Json::Type::Object, m_pointer, m_problems))
        return m_out;
    refuseUnknownKeys();
    m_out.id = text("id", true);
    // What no exemption can answer is not asked for its rule.
    m_out.rule = text("rule", readCheck());
    m_out.agent = text("agent", false);
    m_out.cwd = text("cwd", false);
    m_out.reason = text("reason", true);
    m_out.by = text("by", true);
    readSubject();
    readExpiry();
    if (!m_out.cwd.empty() && !m_out.cwd.starts_with('/'))
        m_problems.error(ProblemCode::NotAbsolute, m_json.find("cwd")->place, pointerTo(m_pointer, "cwd")).found =
            shown(m_out.cwd);
    return m_out;
}

/// Every key narrows what is let through, so an unknown one is never skipped.
void EntryReader::refuseUnknownKeys()
{
    for (const Json::Member &member : m_json.object) {
        if (std::ranges::find(exemptionKeys, member.key) != exemptionKeys.end())
            continue;
        Problem &problem = m_problems.error(ProblemCode::UnknownKey, member.keyPlace, pointerTo(m_pointer, member.key));
        problem.found = shown(member.key);
        problem.hint = nearestName(member.key, exemptionKeys);
    }
}

std::string EntryReader::text(std::string_view key, bool required)
{
    const Json *json = m_json.find(key);
    if (!json) {
        if (required)
            m_problems.error(ProblemCode::MissingKey, m_json.place, m_pointer).hint = key;
        return {};
    }
    if (!expectType(*json, Json::Type::String, pointerTo(m_pointer, key), m_problems))
        return {};
    if (json->string.empty())
        m_problems.error(ProblemCode::BadValue, json->place, pointerTo(m_pointer, key));
    return json->string;
}

bool EntryReader::readCheck()
{
    if (!m_json.find("check"))
        return true;
    const std::string name = text("check", false);
    const std::optional<Check> check = fromName<Check>(name);
    if (check && isExemptable(*check)) {
        m_out.check = *check;
        return true;
    }
    const ProblemCode code = check ? ProblemCode::NotExemptable : ProblemCode::BadValue;
    Problem &problem = m_problems.error(code, m_json.find("check")->place, pointerTo(m_pointer, "check"));
    problem.found = shown(name);
    if (!check)
        problem.hint = nearestName(name, Names<Check>::all);
    problem.allowed = exemptableChecks();
    return !check;
}

void EntryReader::readSubject()
{
    const bool byCommand = m_json.find("command");
    const bool byProgram = m_json.find("program") || m_json.find("args");
    if (byCommand == byProgram)
        m_problems.error(ProblemCode::CommandAndProgram, m_json.place, m_pointer);
    if (byCommand)
        m_out.command = text("command", true);
    if (!byProgram)
        return;
    m_out.program = text("program", true);
    const Json *args = m_json.find("args");
    if (!args) {
        m_problems.error(ProblemCode::MissingKey, m_json.place, m_pointer).hint = "args";
        return;
    }
    const std::string pointer = pointerTo(m_pointer, "args");
    if (!expectType(*args, Json::Type::Array, pointer, m_problems))
        return;
    for (std::size_t i = 0; i < args->array.size(); ++i) {
        if (expectType(args->array[i], Json::Type::String, pointerTo(pointer, i), m_problems))
            m_out.args.push_back(args->array[i].string);
    }
}

void EntryReader::readExpiry()
{
    const Json *json = m_json.find("expires");
    if (!json)
        return;
    const std::string time = text("expires", false);
    m_out.expiresUs = parseTime(time);
    if (!m_out.expiresUs && !time.empty())
        m_problems.error(ProblemCode::BadTime, json->place, pointerTo(m_pointer, "expires")).found = shown(time);
}

std::optional<int> digits(std::string_view &text, std::size_t count)
{
    if (text.size() < count)
        return std::nullopt;
    int value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + count, value);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + count || text.front() == '-')
        return std::nullopt;
    text.remove_prefix(count);
    return value;
}

bool skip(std::string_view &text, char c)
{
    if (!text.starts_with(c))
        return false;
    text.remove_prefix(1);
    return true;
}

/// Minutes east of UTC; nothing when there is no zone or more text.
std::optional<int> zoneMinutes(std::string_view text)
{
    if (text == "Z" || text == "z")
        return 0;
    const bool east = text.starts_with('+');
    if (!east && !text.starts_with('-'))
        return std::nullopt;
    text.remove_prefix(1);
    const std::optional<int> hours = digits(text, 2);
    skip(text, ':');
    const std::optional<int> minutes = hours ? digits(text, 2) : std::nullopt;
    if (!minutes || !text.empty() || *hours > 23 || *minutes > 59)
        return std::nullopt;
    return (east ? 1 : -1) * (*hours * 60 + *minutes);
}

} // namespace

std::optional<std::int64_t> parseTime(std::string_view text)
{
    using namespace std::chrono;
    std::array<int, 5> parts{};
    constexpr std::array<std::size_t, 5> widths{4, 2, 2, 2, 2};
    constexpr std::string_view separators = "--T:";
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::optional<int> part = digits(text, widths[i]);
        const bool separated =
            i == separators.size() || (part && (skip(text, separators[i]) || (i == 2 && skip(text, ' '))));
        if (!part || !separated)
            return std::nullopt;
        parts[i] = *part;
    }
    int second = 0;
    if (skip(text, ':')) {
        const std::optional<int> part = digits(text, 2);
        if (!part)
            return std::nullopt;
        second = *part;
        if (skip(text, '.'))
            text.remove_prefix(std::min(text.size(), text.find_first_not_of("0123456789")));
    }
    const std::optional<int> zone = zoneMinutes(text);
    const year_month_day date{year{parts[0]}, month{static_cast<unsigned>(parts[1])},
                              day{static_cast<unsigned>(parts[2])}};
    if (!zone || !date.ok() || parts[3] > 23 || parts[4] > 59 || second > 60)
        return std::nullopt;
    const sys_seconds time = sys_days{date} + hours{parts[3]} + minutes{parts[4] - *zone} + seconds{second};
    return duration_cast<microseconds>(time.time_since_epoch()).count();
}

std::string writeTime(std::int64_t timeUs)
{
    const std::chrono::sys_time<std::chrono::microseconds> time{std::chrono::microseconds{timeUs}};
    return std::format("{:%FT%T}Z", std::chrono::floor<std::chrono::seconds>(time));
}

std::vector<Exemption> readExemptions(const Json &list, const std::string &pointer,
                                      const std::vector<std::string_view> &ruleIds, ProblemSink &problems)
{
    std::vector<Exemption> out;
    if (!expectType(list, Json::Type::Array, pointer, problems))
        return out;
    if (list.array.size() > maxExemptions) {
        Problem &problem = problems.error(ProblemCode::OutOfRange, list.place, pointer);
        problem.found = std::to_string(list.array.size());
        problem.allowed = {"0", std::to_string(maxExemptions)};
        return out;
    }
    std::set<std::string, std::less<>> ids;
    for (std::size_t i = 0; i < list.array.size(); ++i) {
        const Json &json = list.array[i];
        const std::string entryPointer = pointerTo(pointer, i);
        Exemption exemption = EntryReader(json, entryPointer, problems).read();
        if (!exemption.id.empty() && !ids.insert(exemption.id).second)
            problems.error(ProblemCode::DuplicateId, json.find("id")->place, pointerTo(entryPointer, "id")).found =
                shown(exemption.id);
        const bool byRule = exemption.check == Check::DenyRules && !exemption.rule.empty();
        if (byRule && std::ranges::find(ruleIds, exemption.rule) == ruleIds.end()) {
            Problem &problem =
                problems.warning(ProblemCode::UnknownRule, json.find("rule")->place, pointerTo(entryPointer, "rule"));
            problem.found = shown(exemption.rule);
            problem.hint = nearestName(exemption.rule, ruleIds);
        }
        out.push_back(std::move(exemption));
    }
    return out;
}

} // namespace portcullis::policy
