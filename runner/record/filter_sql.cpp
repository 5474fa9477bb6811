// SPDX-License-Identifier: Apache-2.0
#include "runner/record/filter_sql.h"

#include <algorithm>

namespace portcullis::record {
namespace {

/// What a condition looks at: the column of a text field, else a number.
std::string_view columnOf(Field field)
{
    switch (field) {
    case Field::WouldDeny:
        return "e.would_deny";
    case Field::Exit:
        return "e.exit_code";
    case Field::Took:
        return "(e.finished_us - e.started_us)";
    case Field::Output:
        return "e.output_bytes";
    case Field::Time:
    case Field::Since:
    case Field::Until:
        // The plus keeps SQLite from walking the index on time and sorting by row; `timeBounds` uses that index once.
        return "+e.time_us";
    default:
        return textColumn(field);
    }
}

Interval hull(const std::vector<Interval> &ranges)
{
    Interval all{Interval::highest, Interval::lowest};
    for (const Interval &range : ranges)
        all = {std::min(all.from, range.from), std::max(all.to, range.to)};
    return all;
}

/// Only what stands in an `and` at the top: the usual filter of a view. Depth is bounded by the parser.
Interval boundsOf(const FilterNode &node)
{
    if (node.type == FilterNode::Type::Ranges && node.field == Field::Time)
        return hull(node.ranges);
    Interval bounds;
    if (node.type == FilterNode::Type::And) {
        for (const NodePointer &child : node.children) {
            const Interval inner = boundsOf(*child);
            bounds = {std::max(bounds.from, inner.from), std::min(bounds.to, inner.to)};
        }
    }
    return bounds;
}

class Translator
{
public:
    explicit Translator(bool respelled) : m_respelled(respelled) { }

    FilterSql result;

    /// Negation is carried down to the conditions, so that one which finds too much can be left out everywhere.
    std::string translate(const FilterNode &node, bool negated)
    {
        switch (node.type) {
        case FilterNode::Type::And:
            return all(node, negated, negated ? " OR " : " AND ");
        case FilterNode::Type::Or:
            return all(node, negated, negated ? " AND " : " OR ");
        case FilterNode::Type::Not:
            return translate(*node.children.front(), !negated);
        case FilterNode::Type::Pattern:
            result.exact = false;
            return "1";
        case FilterNode::Type::Word:
        case FilterNode::Type::Texts:
        case FilterNode::Type::Ranges:
            break;
        }
        note(node);
        const std::string condition = plain(node);
        return negated ? "NOT " + condition : condition;
    }

private:
    std::string all(const FilterNode &node, bool negated, std::string_view between)
    {
        std::string sql = "(";
        for (const NodePointer &child : node.children) {
            sql += sql.size() > 1 ? between : std::string_view();
            sql += translate(*child, negated);
        }
        return sql + ")";
    }

    void note(const FilterNode &node)
    {
        if (node.type != FilterNode::Type::Word && std::ranges::find(result.fields, node.field) == result.fields.end())
            result.fields.push_back(node.field);
    }

    std::string plain(const FilterNode &node)
    {
        if (node.type == FilterNode::Type::Word)
            return word(node.texts.front().text);
        return node.type == FilterNode::Type::Texts ? texts(node) : ranges(node);
    }

    /// Commands that hide words are few: only of these the details are looked at.
    std::string word(const std::string &text)
    {
        result.values.emplace_back(text);
        if (!m_respelled)
            return "contains_word(e.command, ?)";
        result.values.emplace_back(text);
        return "(contains_word(e.command, ?) OR (e.respelled AND EXISTS (SELECT 1 FROM details n WHERE n.row = e.row "
               "AND contains_word(n.normalised, ?))))";
    }

    std::string bound(std::string text)
    {
        result.values.emplace_back(std::move(text));
        return "CAST(? AS TEXT)";
    }

    /// Names of the vocabulary stand in the SQL: they are ours, and partial indexes need them there.
    static bool isName(Field field)
    {
        return field == Field::Verdict || field == Field::Outcome || field == Field::Kind || field == Field::Origin
            || field == Field::Check || field == Field::Group || field == Field::Backend || field == Field::Level;
    }

    std::string exactTexts(const FilterNode &node)
    {
        std::vector<std::string> wanted;
        for (const TextMatch &match : node.texts) {
            if (match.kind == TextMatch::Kind::Exact)
                wanted.push_back(match.text);
        }
        if (wanted.empty())
            return {};
        std::string list;
        for (const std::string &text : wanted) {
            list += list.empty() ? "" : ", ";
            list += isName(node.field) ? "'" + text + "'" : bound(text);
        }
        const std::string column(columnOf(node.field));
        return column + (wanted.size() == 1 ? " = " + list : " IN (" + list + ")") + indexCondition(node.field, wanted);
    }

    /// The condition of a partial index, repeated so that it can be used.
    static std::string indexCondition(Field field, const std::vector<std::string> &wanted)
    {
        if (field == Field::Rule && std::ranges::none_of(wanted, &std::string::empty))
            return " AND e.rule <> ''";
        if (field == Field::Outcome
            && std::ranges::none_of(wanted, [](const auto &name) { return name == "exited" || name == "not_started"; }))
            return " AND e.outcome NOT IN ('exited', 'not_started')";
        return {};
    }

    std::string otherText(const FilterNode &node, const TextMatch &match)
    {
        const std::string column(columnOf(node.field));
        switch (match.kind) {
        case TextMatch::Kind::Glob:
            return "matches_glob(" + column + ", " + bound(match.text) + ")";
        case TextMatch::Kind::DigestStart:
            return startsWith(column, "sha256:" + match.text);
        case TextMatch::Kind::IdPart: {
            const std::string end = "substr(" + column + ", -" + std::to_string(match.text.size()) + ") = ";
            std::string sql = end + bound(match.text);
            if (match.text.size() >= idStartMinimum)
                sql += " OR " + startsWith(column, match.text);
            return sql;
        }
        case TextMatch::Kind::Exact:
            break;
        }
        return {};
    }

    std::string startsWith(const std::string &column, const std::string &start)
    {
        const std::string from = bound(start);
        return "(" + column + " >= " + from + " AND " + column + " < " + bound(start + "\x7f") + ")";
    }

    std::string texts(const FilterNode &node)
    {
        std::string sql;
        if (node.field == Field::Dynamic) {
            for (const TextMatch &match : node.texts)
                append(sql, "instr(',' || e.dynamic || ',', '," + match.text + ",') > 0");
        } else {
            append(sql, exactTexts(node));
            for (const TextMatch &match : node.texts)
                append(sql, otherText(node, match));
        }
        // A row without a configuration has NULL there, which is the empty text of an event.
        return node.field == Field::Config ? "(ifnull(" + sql + ", " + emptyConfig(node) + "))" : "(" + sql + ")";
    }

    static std::string emptyConfig(const FilterNode &node)
    {
        const bool empty = std::ranges::any_of(node.texts, [](const TextMatch &match) {
            return match.kind == TextMatch::Kind::Glob ? globMatches(match.text, {})
                                                       : match.kind == TextMatch::Kind::Exact && match.text.empty();
        });
        return empty ? "1" : "0";
    }

    static void append(std::string &sql, const std::string &condition)
    {
        if (condition.empty())
            return;
        sql += sql.empty() ? "" : " OR ";
        sql += condition;
    }

    std::string ranges(const FilterNode &node)
    {
        const std::string column(columnOf(node.field));
        std::string sql;
        for (const Interval &range : node.ranges) {
            std::string one;
            if (range.from != Interval::lowest) {
                result.values.emplace_back(range.from);
                one = column + " >= ?";
            }
            if (range.to != Interval::highest) {
                result.values.emplace_back(range.to);
                one += (one.empty() ? "" : " AND ") + column + " < ?";
            }
            append(sql, one.empty() ? "1" : "(" + one + ")");
        }
        if (node.field == Field::Exit)
            return "(e.exit_code IS NOT NULL AND (" + sql + "))";
        if (node.field == Field::Took)
            return "(e.started_us > 0 AND e.finished_us > 0 AND (" + sql + "))";
        return "(" + sql + ")";
    }

    bool m_respelled;
};

} // namespace

std::string_view textColumn(Field field)
{
    switch (field) {
    case Field::Id:
        return "e.id";
    case Field::Gateway:
        return "e.gateway";
    case Field::Tenant:
        return "e.tenant";
    case Field::Agent:
        return "e.agent";
    case Field::Session:
        return "e.session";
    case Field::Origin:
        return "e.origin";
    case Field::Kind:
        return "e.kind";
    case Field::Verdict:
        return "e.verdict";
    case Field::Check:
        return "e.check_name";
    case Field::Group:
        return "e.group_name";
    case Field::Rule:
        return "e.rule";
    case Field::Dynamic:
        return "e.dynamic";
    case Field::Backend:
        return "e.backend";
    case Field::Level:
        return "e.level";
    case Field::Outcome:
        return "e.outcome";
    case Field::Cwd:
        return "e.cwd";
    case Field::Config:
        return "c.digest";
    default:
        return {};
    }
}

Interval timeBounds(const Filter &filter)
{
    return filter.root() != nullptr ? boundsOf(*filter.root()) : Interval{};
}

FilterSql filterSql(const Filter &filter, bool respelled)
{
    Translator translator(respelled);
    translator.result.respelled = respelled;
    if (filter.root() != nullptr)
        translator.result.condition = translator.translate(*filter.root(), false);
    if (translator.result.exact)
        translator.result.fields.clear();
    return translator.result;
}

} // namespace portcullis::record
