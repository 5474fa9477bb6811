// SPDX-License-Identifier: Apache-2.0
#include "runner/base/uuid.h"
#include "runner/record/filter_node.h"

#include <re2/re2.h>

#include <algorithm>
#include <optional>

namespace portcullis::record {
namespace {

char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string_view textOf(const Event &event, Field field)
{
    switch (field) {
    case Field::Id:
        return event.id;
    case Field::Gateway:
        return event.gateway;
    case Field::Tenant:
        return event.tenant;
    case Field::Agent:
        return event.agent;
    case Field::Session:
        return event.session;
    case Field::Origin:
        return nameOf(event.origin);
    case Field::Kind:
        return nameOf(event.kind);
    case Field::Verdict:
        return nameOf(event.verdict);
    case Field::Check:
        return event.check;
    case Field::Group:
        return event.group;
    case Field::Rule:
        return event.rule;
    case Field::Backend:
        return event.backend;
    case Field::Level:
        return event.level;
    case Field::Outcome:
        return nameOf(event.outcome);
    case Field::Cwd:
        return event.cwd;
    case Field::Config:
        return event.configDigest;
    default:
        return {};
    }
}

bool listContains(std::string_view list, std::string_view name)
{
    while (!list.empty()) {
        const std::size_t comma = list.find(',');
        if (list.substr(0, comma) == name)
            return true;
        list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
    }
    return false;
}

bool isIdPart(std::string_view id, std::string_view part)
{
    return id.ends_with(part) || (part.size() >= idStartMinimum && id.starts_with(part));
}

bool textMatches(const TextMatch &match, std::string_view text)
{
    constexpr std::string_view digestStart = "sha256:";
    switch (match.kind) {
    case TextMatch::Kind::Exact:
        return text == match.text;
    case TextMatch::Kind::Glob:
        return globMatches(match.text, text);
    case TextMatch::Kind::IdPart:
        return isIdPart(text, match.text);
    case TextMatch::Kind::DigestStart:
        return text.starts_with(digestStart) && text.substr(digestStart.size()).starts_with(match.text);
    }
    return false;
}

bool textsMatch(const FilterNode &node, const Event &event)
{
    if (node.field == Field::Dynamic)
        return std::ranges::any_of(node.texts,
                                   [&](const TextMatch &match) { return listContains(event.dynamic, match.text); });
    const std::string_view text = textOf(event, node.field);
    return std::ranges::any_of(node.texts, [&](const TextMatch &match) { return textMatches(match, text); });
}

/// Nothing where the event has no such number: an exit code of what did not exit, the time that an unfinished run took.
std::optional<std::int64_t> numberOf(const Event &event, Field field)
{
    switch (field) {
    case Field::WouldDeny:
        return event.wouldDeny ? 1 : 0;
    case Field::Exit:
        return event.exitCode;
    case Field::Took:
        if (event.startedUs > 0 && event.finishedUs > 0)
            return event.finishedUs - event.startedUs;
        return std::nullopt;
    case Field::Output:
        return event.outputBytes;
    case Field::Time:
        return event.timeUs;
    default:
        return std::nullopt;
    }
}

bool rangesMatch(const FilterNode &node, const Event &event)
{
    const std::optional<std::int64_t> number = numberOf(event, node.field);
    return number && std::ranges::any_of(node.ranges, [&](const Interval &range) { return range.contains(*number); });
}

bool matchesPattern(const std::string &text, const re2::RE2 &pattern)
{
    return re2::RE2::PartialMatch({text.data(), text.size()}, pattern);
}

/// Depth is bounded by the parser.
bool nodeMatches(const FilterNode &node, const Event &event)
{
    const auto matches = [&](const NodePointer &child) { return nodeMatches(*child, event); };
    switch (node.type) {
    case FilterNode::Type::And:
        return std::ranges::all_of(node.children, matches);
    case FilterNode::Type::Or:
        return std::ranges::any_of(node.children, matches);
    case FilterNode::Type::Not:
        return !nodeMatches(*node.children.front(), event);
    case FilterNode::Type::Word:
        return containsWord(event.command, node.texts.front().text)
            || containsWord(event.normalised, node.texts.front().text);
    case FilterNode::Type::Pattern:
        return matchesPattern(event.command, *node.pattern)
            || (isRespelled(event) && matchesPattern(event.normalised, *node.pattern));
    case FilterNode::Type::Texts:
        return textsMatch(node, event);
    case FilterNode::Type::Ranges:
        return rangesMatch(node, event);
    }
    return false;
}

void collectWords(const FilterNode &node, std::vector<std::string> &words)
{
    if (node.type == FilterNode::Type::Word)
        words.push_back(node.texts.front().text);
    if (node.type == FilterNode::Type::Not)
        return;
    for (const NodePointer &child : node.children)
        collectWords(*child, words);
}

} // namespace

bool containsWord(std::string_view text, std::string_view word)
{
    if (word.empty())
        return true;
    const char small = word.front();
    const char large = small >= 'a' && small <= 'z' ? static_cast<char>(small - 'a' + 'A') : small;
    while (text.size() >= word.size()) {
        const std::size_t places = text.size() - word.size() + 1;
        std::size_t at = std::min(text.substr(0, places).find(small), places);
        if (large != small)
            at = std::min(text.substr(0, at).find(large), at);
        if (at == places)
            return false;
        if (std::ranges::equal(text.substr(at, word.size()), word, {}, lower))
            return true;
        text.remove_prefix(at + 1);
    }
    return false;
}

bool globMatches(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0;
    std::size_t t = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = t;
        } else if (p < pattern.size() && pattern[p] == text[t]) {
            ++p;
            ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++resume;
        } else {
            return false;
        }
    }
    return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

std::string lowerAscii(std::string_view text)
{
    std::string out(text);
    std::ranges::transform(out, out.begin(), lower);
    return out;
}

bool Filter::matches(const Event &event) const
{
    return !m_root || nodeMatches(*m_root, event);
}

Filter Filter::between(std::int64_t fromUs, std::int64_t toUs)
{
    FilterNode range;
    range.type = FilterNode::Type::Ranges;
    range.field = Field::Time;
    range.ranges.push_back({fromUs, toUs});
    return Filter(std::make_shared<const FilterNode>(std::move(range)));
}

Filter Filter::narrowedBy(const Filter &other) const
{
    if (!m_root || !other.m_root)
        return m_root ? *this : other;
    FilterNode both;
    both.type = FilterNode::Type::And;
    both.children = {m_root, other.m_root};
    return Filter(std::make_shared<const FilterNode>(std::move(both)));
}

std::vector<std::string> Filter::searchedWords() const
{
    std::vector<std::string> words;
    if (m_root)
        collectWords(*m_root, words);
    return words;
}

} // namespace portcullis::record
