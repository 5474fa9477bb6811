// SPDX-License-Identifier: Apache-2.0
#include "runner/base/nearest.h"
#include "runner/config/json5.h"
#include "runner/rules/rule.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace portcullis::rules {

namespace {

using config::Json;

// For "did you mean".
constexpr std::array<std::string_view, 35> ruleKeys{
    "id",           "title",    "reason",     "advice",       "match",         "not_match", "any",
    "unless",       "verdict",  "group",      "gives_way_to", "guessed",       "program",   "subcommand",
    "operands",     "words",    "line",       "hosts",        "host_options",  "paths",     "writes",
    "redirects_to", "pipes_to", "piped_from", "code_from",    "argument_from", "via",       "input",
    "code",         "language", "construct",  "text",         "args",          "assigns",   "max_operands"};
constexpr std::span conditionKeys = std::span(ruleKeys).subspan(12);
constexpr std::array<std::string_view, 4> argumentKeys{"all", "option", "value", "without"};
constexpr std::array<std::string_view, 4> assignKeys{"name", "value", "not_value", "own"};

/// Reads the members of one rule; keeps the first error.
class RuleReader
{
public:
    explicit RuleReader(std::string id) : m_id(std::move(id)) { }

    Rule read(const Json &json)
    {
        Rule rule;
        rule.line = json.place.line;
        rule.column = json.place.column;
        for (const Json::Member &member : json.object) {
            if (!readOwn(member, rule) && !readCondition(member, rule.when))
                unknownKey(member, ruleKeys);
        }
        for (const auto &[key, text] : {std::pair{"id", &rule.id}, std::pair{"reason", &rule.reason}}) {
            if (text->empty())
                fail(RuleError::Code::MissingKey, key, "", json.place);
        }
        return rule;
    }

    [[nodiscard]] const std::optional<RuleError> &error() const { return m_error; }

private:
    void fail(RuleError::Code code, std::string_view key, std::string detail, const config::Place &place)
    {
        if (!m_error)
            m_error = RuleError{code, m_id, std::string(key), std::move(detail), place.line, place.column};
    }

    void unknownKey(const Json::Member &member, std::span<const std::string_view> names)
    {
        const bool first = !m_error;
        fail(RuleError::Code::UnknownKey, member.key, member.key, member.keyPlace);
        if (first)
            m_error->nearest = nearestName(member.key, names);
    }

    void wrongType(const Json::Member &member, std::string_view wanted)
    {
        fail(RuleError::Code::WrongType, member.key, std::string(wanted), member.value.place);
    }

    /// Keys of a rule that are not conditions. False when the key is another one.
    bool readOwn(const Json::Member &member, Rule &rule)
    {
        const std::string &key = member.key;
        const std::array<std::pair<std::string_view, std::string *>, 4> texts{
            {{"id", &rule.id}, {"title", &rule.title}, {"reason", &rule.reason}, {"advice", &rule.advice}}};
        for (const auto &[name, text] : texts) {
            if (key == name) {
                *text = string(member);
                return true;
            }
        }
        if (key == "match")
            rule.match = strings(member);
        else if (key == "not_match")
            rule.notMatch = strings(member);
        else if (key == "any")
            rule.any = conditionList(member);
        else if (key == "unless")
            rule.unless = conditionList(member);
        else if (key == "verdict")
            readVerdict(member, rule);
        else if (key == "group")
            readGroup(member, rule);
        else if (key == "gives_way_to")
            rule.givesWayTo = strings(member);
        else if (key == "guessed")
            readGuessed(member, rule);
        else
            return false;
        return true;
    }

    void readVerdict(const Json::Member &member, Rule &rule)
    {
        const auto verdict = fromName<Verdict>(string(member));
        if (!verdict || *verdict == Verdict::Allow)
            fail(RuleError::Code::BadVerdict, member.key, member.value.string, member.value.place);
        else
            rule.verdict = *verdict;
    }

    void readGroup(const Json::Member &member, Rule &rule)
    {
        rule.group = fromName<Group>(string(member));
        if (!rule.group || *rule.group == Group::PathGuard)
            fail(RuleError::Code::BadGroup, member.key, member.value.string, member.value.place);
    }

    void readGuessed(const Json::Member &member, Rule &rule)
    {
        if (member.value.isBool())
            rule.guessed = member.value.boolean;
        else
            wrongType(member, "true or false");
    }

    /// Keys of conditions, at the top of a rule and in `any` and `unless`.
    bool readCondition(const Json::Member &member, Conditions &to)
    {
        const std::array<std::pair<std::string_view, std::vector<std::string> *>, 20> lists{
            {{"program", &to.program},
             {"subcommand", &to.subcommand},
             {"operands", &to.operands},
             {"words", &to.words},
             {"line", &to.line},
             {"hosts", &to.hosts},
             {"host_options", &to.hostOptions},
             {"paths", &to.paths},
             {"writes", &to.writes},
             {"redirects_to", &to.redirectsTo},
             {"pipes_to", &to.pipesTo},
             {"piped_from", &to.pipedFrom},
             {"code_from", &to.codeFrom},
             {"argument_from", &to.argumentFrom},
             {"via", &to.via},
             {"input", &to.input},
             {"code", &to.code},
             {"language", &to.language},
             {"construct", &to.construct},
             {"text", &to.text}}};
        for (const auto &[name, list] : lists) {
            if (member.key == name) {
                *list = strings(member);
                return true;
            }
        }
        if (member.key == "args")
            readEach(member, [&](const Json &entry) { to.args.push_back(argument(entry, member)); });
        else if (member.key == "assigns")
            readEach(member, [&](const Json &entry) { to.assigns.push_back(assign(entry, member)); });
        else if (member.key == "max_operands")
            readMaxOperands(member, to);
        else
            return false;
        return true;
    }

    void readMaxOperands(const Json::Member &member, Conditions &to)
    {
        constexpr double most = 1000;
        if (member.value.isNumber() && member.value.number >= 0 && member.value.number <= most)
            to.maxOperands = static_cast<std::uint32_t>(member.value.number);
        else
            wrongType(member, "number");
    }

    std::vector<Conditions> conditionList(const Json::Member &member)
    {
        std::vector<Conditions> list;
        readEach(member, [&](const Json &entry) {
            Conditions &conditions = list.emplace_back();
            if (!entry.isObject())
                fail(RuleError::Code::WrongType, member.key, "object", entry.place);
            for (const Json::Member &inner : entry.object) {
                if (!readCondition(inner, conditions))
                    unknownKey(inner, conditionKeys);
            }
        });
        return list;
    }

    ArgumentCondition argument(const Json &entry, const Json::Member &member)
    {
        ArgumentCondition out;
        if (!entry.isObject())
            fail(RuleError::Code::WrongType, member.key, "object", entry.place);
        for (const Json::Member &inner : entry.object) {
            if (inner.key == "all") {
                for (const std::string &alternatives : strings(inner))
                    out.all.push_back(splitAlternatives(alternatives));
            } else if (inner.key == "option") {
                out.option = strings(inner);
            } else if (inner.key == "value") {
                out.value = strings(inner);
            } else if (inner.key == "without") {
                out.without = strings(inner);
            } else {
                unknownKey(inner, argumentKeys);
            }
        }
        if (!out.value.empty() && out.option.empty())
            fail(RuleError::Code::MissingKey, "option", "", entry.place);
        checkOptions(out, entry);
        return out;
    }

    void checkOptions(const ArgumentCondition &condition, const Json &entry)
    {
        const auto check = [&](const std::string &name) {
            if (name.size() < 2 || (name.front() != '-' && name.front() != '+'))
                fail(RuleError::Code::BadValue, "args", name, entry.place);
        };
        for (const auto &alternatives : condition.all)
            std::ranges::for_each(alternatives, check);
        std::ranges::for_each(condition.option, check);
        std::ranges::for_each(condition.without, check);
        if (condition.all.empty() && condition.option.empty() && condition.without.empty())
            fail(RuleError::Code::NoCondition, "args", "", entry.place);
    }

    AssignCondition assign(const Json &entry, const Json::Member &member)
    {
        if (entry.isString())
            return {.name = entry.string, .value = {}, .notValue = {}};
        AssignCondition out;
        if (!entry.isObject())
            fail(RuleError::Code::WrongType, member.key, "string or object", entry.place);
        for (const Json::Member &inner : entry.object) {
            if (inner.key == "name")
                out.name = string(inner);
            else if (inner.key == "value")
                out.value = string(inner);
            else if (inner.key == "not_value")
                out.notValue = string(inner);
            else if (inner.key == "own" && inner.value.isBool())
                out.own = inner.value.boolean;
            else
                unknownKey(inner, assignKeys);
        }
        if (out.name.empty())
            fail(RuleError::Code::MissingKey, "name", "", entry.place);
        return out;
    }

    static std::vector<std::string> splitAlternatives(std::string_view text)
    {
        std::vector<std::string> out;
        for (std::size_t from = 0; from <= text.size();) {
            const std::size_t bar = std::min(text.find('|', from), text.size());
            out.emplace_back(text.substr(from, bar - from));
            from = bar + 1;
        }
        return out;
    }

    /// The entries of a list, or the one value that stands for it.
    template <class Function>
    void readEach(const Json::Member &member, Function read)
    {
        if (member.value.isArray())
            std::ranges::for_each(member.value.array, read);
        else
            read(member.value);
    }

    std::string string(const Json::Member &member)
    {
        if (!member.value.isString())
            wrongType(member, "string");
        return member.value.isString() ? member.value.string : std::string();
    }

    std::vector<std::string> strings(const Json::Member &member)
    {
        std::vector<std::string> out;
        readEach(member, [&](const Json &entry) {
            if (!entry.isString())
                fail(RuleError::Code::WrongType, member.key, "string or list of strings", entry.place);
            else if (entry.string.empty())
                fail(RuleError::Code::BadValue, member.key, "", entry.place);
            else
                out.push_back(entry.string);
        });
        return out;
    }

    std::string m_id;
    std::optional<RuleError> m_error;
};

std::string textMember(const Json &json, std::string_view key)
{
    const Json *found = json.find(key);
    return found && found->isString() ? found->string : std::string();
}

RuleError errorAt(RuleError::Code code, std::string_view key, std::string detail, const config::Place &place)
{
    return {code, {}, std::string(key), std::move(detail), place.line, place.column};
}

Result<std::vector<Rule>, RuleError> readRules(const Json &list, std::optional<Group> group)
{
    std::vector<Rule> rules;
    for (const Json &entry : list.array) {
        auto rule = readRule(entry);
        if (!rule)
            return failure(RuleError(rule.error()));
        if (!rule->group)
            rule->group = group;
        rules.push_back(std::move(*rule));
    }
    return rules;
}

} // namespace

Result<Rule, RuleError> readRule(const Json &json)
{
    if (!json.isObject())
        return failure(errorAt(RuleError::Code::WrongType, "rules", "object", json.place));
    RuleReader reader(textMember(json, "id"));
    Rule rule = reader.read(json);
    if (reader.error())
        return failure(RuleError(*reader.error()));
    return rule;
}

Result<std::vector<Rule>, RuleError> parseRules(std::string_view json)
{
    const auto root = config::readJson5(json);
    if (!root)
        return failure(errorAt(RuleError::Code::Json, "", root.error().found, root.error().place));
    const Json *version = root->find("version");
    const Json *rules = root->find("rules");
    if (!version || !rules)
        return failure(errorAt(RuleError::Code::MissingKey, version ? "rules" : "version", "", root->place));
    if (!version->isNumber() || version->number != 1)
        return failure(errorAt(RuleError::Code::BadValue, "version", version->string, version->place));
    if (!rules->isArray())
        return failure(errorAt(RuleError::Code::WrongType, "rules", "list", rules->place));
    for (const Json::Member &member : root->object) {
        if (member.key != "version" && member.key != "group" && member.key != "rules" && member.key != "$schema")
            return failure(errorAt(RuleError::Code::UnknownKey, member.key, member.key, member.keyPlace));
    }
    std::optional<Group> group;
    if (const Json *name = root->find("group")) {
        group = fromName<Group>(name->string);
        if (!group || *group == Group::PathGuard)
            return failure(errorAt(RuleError::Code::BadGroup, "group", name->string, name->place));
    }
    return readRules(*rules, group);
}

} // namespace portcullis::rules
