// SPDX-License-Identifier: Apache-2.0
#include "runner/record/filter_values.h"

#include "runner/base/nearest.h"
#include "runner/base/uuid.h"
#include "runner/record/filter_time.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

namespace portcullis::record {
namespace {

using Code = FilterError::Code;

constexpr std::string_view digestStart = "sha256:";
constexpr std::size_t digestMinimum = 6;

Result<void, FilterError> refuse(Code code, const RawValue &value)
{
    return failure(FilterError{code, value.column, value.text, {}});
}

Result<void, FilterError> refuseName(const RawValue &value, std::span<const std::string_view> names)
{
    return failure(FilterError{Code::UnknownValue,
                               value.column,
                               value.text,
                               std::string(nearestName(value.text, names)),
                               {names.begin(), names.end()}});
}

/// Names that a field may have; empty: any text.
std::span<const std::string_view> namesOf(Field field)
{
    switch (field) {
    case Field::Origin:
        return Names<Origin>::all;
    case Field::Kind:
        return Names<Kind>::all;
    case Field::Verdict:
        return Names<Verdict>::all;
    case Field::Check:
        return Names<Check>::all;
    case Field::Group:
        return Names<Group>::all;
    case Field::Dynamic:
        return Names<DynamicReason>::all;
    case Field::Backend:
        return Names<Backend>::all;
    case Field::Level:
        return Names<Level>::all;
    case Field::Outcome:
        return Names<Outcome>::all;
    default:
        return {};
    }
}

/// Fields whose text is empty where nothing applies.
bool mayBeEmpty(Field field)
{
    return field == Field::Check || field == Field::Group || field == Field::Backend || field == Field::Level;
}

bool isGlob(const RawValue &value)
{
    return !value.quoted && value.text.contains('*');
}

/// A kind of event that is looked for as a verdict, since a row shows both in one column.
std::string kindMeant(Field field, std::string_view text)
{
    const std::string lower = lowerAscii(text);
    const bool isKind = field == Field::Verdict && fromName<Kind>(lower).has_value();
    return isKind ? "kind:" + lower : std::string();
}

Result<void, FilterError> addName(FilterNode &condition, const RawValue &value)
{
    const std::span<const std::string_view> names = namesOf(condition.field);
    if (value.text.empty() && mayBeEmpty(condition.field)) {
        condition.texts.push_back({TextMatch::Kind::Exact, {}});
        return {};
    }
    bool any = false;
    for (const std::string_view name : names) {
        if (isGlob(value) ? !globMatches(value.text, name) : value.text != name)
            continue;
        condition.texts.push_back({TextMatch::Kind::Exact, std::string(name)});
        any = true;
    }
    if (!any) {
        auto refused = refuseName(value, names);
        if (std::string kind = kindMeant(condition.field, value.text); !kind.empty())
            refused.error().nearest = std::move(kind);
        return refused;
    }
    return {};
}

Result<void, FilterError> addId(FilterNode &condition, const RawValue &value)
{
    if (value.text.size() < shortIdMinimum)
        return refuse(Code::UnknownValue, value);
    condition.texts.push_back({TextMatch::Kind::IdPart, lowerAscii(value.text)});
    return {};
}

Result<void, FilterError> addDigest(FilterNode &condition, const RawValue &value)
{
    std::string_view text = value.text;
    if (isGlob(value)) {
        condition.texts.push_back({TextMatch::Kind::Glob, value.text});
        return {};
    }
    if (text.starts_with(digestStart))
        text.remove_prefix(digestStart.size());
    const bool hex = text.find_first_not_of("0123456789abcdefABCDEF") == std::string_view::npos;
    if (text.empty() && value.quoted) {
        condition.texts.push_back({TextMatch::Kind::Exact, {}});
        return {};
    }
    if (!hex || text.size() < digestMinimum)
        return refuse(Code::UnknownValue, value);
    condition.texts.push_back({TextMatch::Kind::DigestStart, lowerAscii(text)});
    return {};
}

Result<void, FilterError> addText(FilterNode &condition, const RawValue &value)
{
    condition.texts.push_back({isGlob(value) ? TextMatch::Kind::Glob : TextMatch::Kind::Exact, value.text});
    return {};
}

Result<void, FilterError> addFlag(FilterNode &condition, const RawValue &value)
{
    constexpr std::array<std::string_view, 2> words{"yes", "no"};
    if (value.text == "yes" || value.text == "true")
        condition.ranges.push_back({1, 2});
    else if (value.text == "no" || value.text == "false")
        condition.ranges.push_back({0, 1});
    else
        return refuseName(value, words);
    return {};
}

/// What one end of a range or comparison names, with the moment at which it ends as the end of a range.
struct Named {
    Interval span;
    std::int64_t rangeEnd = 0;
};
using Reader = std::function<std::optional<Named>(std::string_view)>;

std::optional<Named> inclusive(std::optional<Interval> span)
{
    return span ? std::optional<Named>({*span, span->from + 1}) : std::nullopt;
}

Reader readerOf(Field field, const FilterClock &clock)
{
    switch (field) {
    case Field::Exit:
        return [](std::string_view text) { return inclusive(parseNumber(text)); };
    case Field::Took:
        return [](std::string_view text) { return inclusive(parseDurationOrSeconds(text)); };
    case Field::Output:
        return [](std::string_view text) { return inclusive(parseSize(text)); };
    default:
        return [&clock](std::string_view text) -> std::optional<Named> {
            const auto time = parseTime(text, clock);
            if (!time)
                return std::nullopt;
            return Named{time->span, time->moment ? time->span.from : time->span.to};
        };
    }
}

Code codeOf(Field field)
{
    switch (field) {
    case Field::Exit:
    case Field::Output:
        return Code::BadNumber;
    case Field::Took:
        return Code::BadDuration;
    default:
        return Code::BadTime;
    }
}

Result<void, FilterError> addComparison(FilterNode &condition, const RawValue &value, const Reader &read)
{
    std::string_view text = value.text;
    const bool greater = text.starts_with('>');
    text.remove_prefix(1);
    const bool orEqual = text.starts_with('=');
    text.remove_prefix(orEqual ? 1 : 0);
    const auto named = read(text);
    if (!named)
        return refuse(codeOf(condition.field), value);
    // `>5s` begins after 5 s itself; `>2026-10-03` after that day.
    const std::int64_t after = condition.field == Field::Time ? named->span.to : named->span.from + 1;
    if (greater)
        condition.ranges.push_back({orEqual ? named->span.from : after, Interval::highest});
    else
        condition.ranges.push_back({Interval::lowest, orEqual ? after : named->span.from});
    return {};
}

Result<void, FilterError> addNumber(FilterNode &condition, const RawValue &value, const FilterClock &clock)
{
    const Reader read = readerOf(condition.field, clock);
    const std::string_view text = value.text;
    if (text.starts_with('>') || text.starts_with('<'))
        return addComparison(condition, value, read);
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos) {
        const auto named = read(text);
        if (!named)
            return refuse(codeOf(condition.field), value);
        condition.ranges.push_back(named->span);
        return {};
    }
    const auto first = read(text.substr(0, dots));
    const auto last = read(text.substr(dots + 2));
    if (!first || !last)
        return refuse(codeOf(condition.field), value);
    if (last->rangeEnd < first->span.from)
        return refuse(Code::BadRange, value);
    condition.ranges.push_back({first->span.from, last->rangeEnd});
    return {};
}

Result<void, FilterError> addBound(FilterNode &condition, const RawValue &value, const FilterClock &clock, bool since)
{
    if (const auto ago = parseDuration(value.text)) {
        const std::int64_t moment = clock.nowUs - ago->from;
        condition.ranges.push_back(since ? Interval{moment, Interval::highest} : Interval{Interval::lowest, moment});
        return {};
    }
    const auto time = parseTime(value.text, clock);
    if (!time)
        return refuse(Code::BadTime, value);
    const std::int64_t end = time->moment ? time->span.from : time->span.to;
    condition.ranges.push_back(since ? Interval{time->span.from, Interval::highest} : Interval{Interval::lowest, end});
    return {};
}

} // namespace

FilterNode conditionOn(Field field)
{
    FilterNode node;
    node.field = field;
    switch (field) {
    case Field::WouldDeny:
    case Field::Exit:
    case Field::Took:
    case Field::Output:
    case Field::Time:
    case Field::Since:
    case Field::Until:
        node.type = FilterNode::Type::Ranges;
        break;
    default:
        node.type = FilterNode::Type::Texts;
    }
    return node;
}

Result<void, FilterError> addValue(FilterNode &condition, const RawValue &value, const FilterClock &clock)
{
    if (value.text.empty() && !value.quoted)
        return refuse(Code::MissingValue, value);
    switch (condition.field) {
    case Field::WouldDeny:
        return addFlag(condition, value);
    case Field::Exit:
    case Field::Took:
    case Field::Output:
    case Field::Time:
        return addNumber(condition, value, clock);
    case Field::Since:
    case Field::Until:
        return addBound(condition, value, clock, condition.field == Field::Since);
    default:
        break;
    }
    if (!value.quoted && (value.text.starts_with('>') || value.text.starts_with('<')))
        return refuse(Code::NotComparable, value);
    if (condition.field == Field::Id)
        return addId(condition, value);
    if (condition.field == Field::Config)
        return addDigest(condition, value);
    return namesOf(condition.field).empty() ? addText(condition, value) : addName(condition, value);
}

} // namespace portcullis::record
