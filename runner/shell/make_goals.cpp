// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/make_goals.h"

#include "runner/base/identifier.h"
#include "runner/shell/option_table.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace portcullis::shell {

namespace {

struct Rule {
    std::vector<std::string> targets;
    std::string needs; ///< prerequisites, and the recipe where it starts make again
    std::string text;
    bool special = false; ///< `.PHONY`: its prerequisites are not made
    bool pattern = false; ///< `%.o:`, `.c.o:`
    bool computed = false; ///< its targets are not written out
    bool needed = false;
};

std::vector<std::string> wordsOf(std::string_view text)
{
    constexpr std::string_view separators = " \t\n=:?+;()\"'&|";
    std::vector<std::string> words;
    for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
        const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
        std::string_view word = text.substr(at, end - at);
        if (word.starts_with("./"))
            word.remove_prefix(2);
        words.emplace_back(word);
        at = text.find_first_not_of(separators, end);
    }
    return words;
}

/// Where the colon of a rule stands; none in an assignment or a directive.
std::size_t colonOf(std::string_view line)
{
    const std::size_t at = line.find_first_of(":=");
    if (at == std::string_view::npos || line[at] != ':')
        return std::string_view::npos;
    const std::size_t behind = line.find_first_not_of(':', at);
    return behind != std::string_view::npos && line[behind] == '=' ? std::string_view::npos : at;
}

bool isName(std::string_view text)
{
    return !text.empty() && std::ranges::all_of(text, isIdentifierByte);
}

/// A reference to a variable, or a function, and how it stands.
struct Reference {
    std::string_view inside;
    bool alone = false; ///< what it stands for is a word of its own, or a part with a slash or a dot beside it
};

/// The reference whose `$` stands at `at`, which moves behind it.
Reference referenceAt(std::string_view text, std::size_t &at)
{
    const bool begins = at == 0 || std::string_view(" \t\n/,").contains(text[at - 1]);
    const std::size_t open = at + 1;
    if (open >= text.size() || (text[open] != '(' && text[open] != '{')) {
        at = std::min(open + 1, text.size());
        return {text.substr(open, 1), begins};
    }
    std::size_t depth = 0;
    std::size_t end = open;
    for (; end < text.size(); ++end) {
        depth += text[end] == '(' || text[end] == '{' ? 1 : 0;
        depth -= text[end] == ')' || text[end] == '}' ? 1 : 0;
        if (depth == 0)
            break;
    }
    at = std::min(end + 1, text.size());
    const bool ends = at == text.size() || std::string_view(" \t\n/.,").contains(text[at]);
    return {text.substr(open + 1, end - open - 1), begins && ends};
}

class Makefile
{
public:
    explicit Makefile(std::string_view text)
    {
        for (std::size_t at = 0; at < text.size() && !m_unreadable;) {
            std::size_t end = std::min(text.find('\n', at), text.size());
            while (end > at && end < text.size() && text[end - 1] == '\\')
                end = std::min(text.find('\n', end + 1), text.size());
            line(text.substr(at, std::min(end + 1, text.size()) - at));
            at = end + 1;
        }
    }

    /// What is needed for these goals; nothing when it cannot be told.
    [[nodiscard]] std::optional<std::string> needed(std::span<const std::string> goals)
    {
        std::vector<std::string> open(goals.begin(), goals.end());
        bool started = !goals.empty();
        for (Rule &rule : m_rules) {
            const bool first = !started && !rule.special && !rule.pattern;
            started = started || first;
            if (rule.special || rule.pattern || rule.computed || first)
                need(rule, open);
        }
        while (!open.empty() && !m_unreadable) {
            const auto [from, to] = m_byTarget.equal_range(open.back());
            open.pop_back();
            for (auto at = from; at != to; ++at)
                need(m_rules[at->second], open);
        }
        if (m_unreadable)
            return std::nullopt;
        std::string text = m_others;
        for (const Rule &rule : m_rules)
            text += rule.needed ? rule.text : std::string();
        return text;
    }

private:
    void line(std::string_view text)
    {
        if (text.starts_with('\t')) {
            if (m_rules.empty())
                return;
            Rule &rule = m_rules.back();
            rule.text += text;
            if (text.contains("make") || text.contains("MAKE"))
                (rule.needs += ' ') += text;
            return;
        }
        text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
        static constexpr std::array<std::string_view, 7> others{"include",  "-include", "sinclude", "define",
                                                                "override", "load",     "vpath"};
        m_unreadable =
            m_unreadable || std::ranges::any_of(others, [&](std::string_view word) { return text.starts_with(word); });
        const std::size_t colon = colonOf(text);
        if (colon == std::string_view::npos) {
            m_others += text;
            if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
                for (const std::string &name : wordsOf(text.substr(0, equals)))
                    m_values.emplace(name, text.substr(equals + 1));
            }
            return;
        }
        Rule rule;
        const std::string_view targets = text.substr(0, colon);
        rule.targets = wordsOf(targets);
        rule.needs = text.substr(colon + 1);
        rule.text = text;
        rule.special = text.size() > 1 && text[0] == '.' && text[1] >= 'A' && text[1] <= 'Z';
        rule.pattern = targets.contains('%') || (text.starts_with('.') && !rule.special);
        rule.computed = targets.find_first_of("$*?[\\~") != std::string_view::npos;
        for (const std::string &target : rule.targets)
            m_byTarget.emplace(target, m_rules.size());
        m_rules.push_back(std::move(rule));
    }

    void need(Rule &rule, std::vector<std::string> &open)
    {
        if (rule.needed)
            return;
        rule.needed = true;
        if (!rule.special)
            names(rule.needs, open);
    }

    /// The names that a list of prerequisites may have.
    void names(std::string_view text, std::vector<std::string> &open)
    {
        std::ranges::move(wordsOf(text), std::back_inserter(open));
        for (std::size_t at = text.find('$'); at != std::string_view::npos && !m_unreadable; at = text.find('$', at)) {
            const Reference reference = referenceAt(text, at);
            // What is put together of files' names has a dot or a slash, so that it is no name such as `clean`.
            const std::string_view inside = reference.inside;
            const std::string_view name = inside.substr(0, inside.find(':'));
            const bool renames = isName(name) && inside.find('=') + 1 < inside.size()
                && inside[inside.find('=') + 1] == '.' && name.size() < inside.size();
            if (inside == "$" || inside == "@" || inside == "<" || inside == "^" || inside == "*" || inside == "MAKE")
                continue;
            m_unreadable = !reference.alone || !(isName(inside) || renames || inside.starts_with("wildcard "));
            if (isName(name) && m_seen.emplace(name).second) {
                const auto [from, to] = m_values.equal_range(std::string(name));
                for (auto value = from; value != to; ++value)
                    names(value->second, open);
            }
        }
    }

    std::vector<Rule> m_rules;
    std::multimap<std::string, std::size_t> m_byTarget;
    std::multimap<std::string, std::string> m_values; ///< of variables
    std::set<std::string, std::less<>> m_seen; ///< variables that have been looked at
    std::string m_others; ///< what is no rule
    bool m_unreadable = false;
};

} // namespace

std::string neededRules(std::string_view makefile, std::span<const std::string> goals)
{
    static constexpr std::array<std::string_view, 6> unreadable{"eval",          ".DEFAULT",  "MAKECMDGOALS",
                                                                ".RECIPEPREFIX", ".ONESHELL", "MAKEFLAGS"};
    if (std::ranges::any_of(unreadable, [&](std::string_view word) { return makefile.contains(word); }))
        return std::string(makefile);
    return Makefile(makefile).needed(goals).value_or(std::string(makefile));
}

Gapped neededRules(const Gapped &text, const Run &run)
{
    std::vector<Value> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    const SplitArguments split = splitArguments(optionTable("make"), args);
    std::vector<std::string> goals;
    std::string settings;
    for (const Value &operand : split.operands) {
        if (!operand.known() || operand.isPattern())
            return text;
        if (operand.text.contains('='))
            settings += operand.text + '\n';
        else
            goals.push_back(operand.text.substr(operand.text.starts_with("./") ? 2 : 0));
    }
    return text.known() && !split.unknownWord ? Gapped(neededRules(settings + text.text, goals)) : text;
}

} // namespace portcullis::shell
