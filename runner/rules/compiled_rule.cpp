// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/compiled_rule.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::rules {

namespace {

constexpr std::array<std::pair<std::string_view, shell::Construct>, 4> constructNames{
    {{"fork_bomb", shell::Construct::ForkBomb},
     {"eval_unknown", shell::Construct::EvalUnknown},
     {"hidden_character", shell::Construct::HiddenCharacter},
     {"beyond_limits", shell::Construct::BeyondLimits}}};

/// In a list of paths: takes out files below the directory in which the command starts.
constexpr std::string_view ownFiles = "!./**";

std::vector<Condition> askedBy(const CompiledConditions &c)
{
    const bool flows = !c.pipesTo.empty() || !c.pipedFrom.empty() || !c.codeFrom.empty() || !c.argumentFrom.empty();
    const bool paths = !c.paths.empty() || !c.writes.empty() || !c.redirectsTo.empty();
    const std::pair<Condition, bool> all[] = {{Condition::Program, !c.program.empty()},
                                              {Condition::Assigns, !c.assigns.empty()},
                                              {Condition::Via, !c.via.empty()},
                                              {Condition::Flows, flows},
                                              {Condition::Subcommand, !c.subcommand.empty()},
                                              {Condition::Args, !c.args.empty()},
                                              {Condition::MaxOperands, c.maxOperands.has_value()},
                                              {Condition::Operands, !c.operands.empty()},
                                              {Condition::Words, !c.words.empty()},
                                              {Condition::Line, !c.line.empty()},
                                              {Condition::Hosts, !c.hosts.empty()},
                                              {Condition::Paths, paths},
                                              {Condition::Input, !c.input.empty()},
                                              {Condition::Code, !c.code.empty()},
                                              {Condition::Construct, !c.construct.empty()},
                                              {Condition::Text, !c.text.empty()}};
    std::vector<Condition> asked;
    for (const auto &[condition, present] : all) {
        if (present)
            asked.push_back(condition);
    }
    return asked;
}

/// Collects the first error while the members of one set of conditions are compiled.
class Compiler
{
public:
    Compiler(const Rule &rule, GlobSet &paths) : m_rule(rule), m_paths(paths) { }

    CompiledConditions compile(const Conditions &from)
    {
        CompiledConditions to;
        to.program = names("program", from.program);
        to.subcommand = names("subcommand", from.subcommand);
        for (const std::string &name : from.subcommand)
            to.subcommandWords =
                std::max(to.subcommandWords, 1 + static_cast<std::size_t>(std::ranges::count(name, ' ')));
        for (const ArgumentCondition &condition : from.args)
            addArguments(condition, to);
        to.operands = texts("operands", from.operands);
        to.maxOperands = from.maxOperands;
        to.words = texts("words", from.words);
        to.line = texts("line", from.line);
        addHosts(from, to);
        to.paths = pathIds("paths", from.paths, to);
        to.writes = pathIds("writes", from.writes, to);
        to.redirectsTo = pathIds("redirects_to", from.redirectsTo, to);
        to.pipesTo = names("pipes_to", from.pipesTo);
        to.pipedFrom = names("piped_from", from.pipedFrom);
        to.codeFrom = names("code_from", from.codeFrom);
        to.argumentFrom = names("argument_from", from.argumentFrom);
        to.via = names("via", from.via);
        for (const AssignCondition &condition : from.assigns)
            addAssign(condition, to);
        to.input = texts("input", from.input);
        to.code = texts("code", from.code);
        to.language = names("language", from.language);
        addConstructs(from, to);
        to.text = texts("text", from.text);
        to.asked = askedBy(to);
        return to;
    }

    void fail(RuleError::Code code, std::string_view key, std::string detail)
    {
        if (!m_error)
            m_error = RuleError{code, m_rule.id, std::string(key), std::move(detail), m_rule.line, m_rule.column};
    }

    [[nodiscard]] const std::optional<RuleError> &error() const { return m_error; }

private:
    NameList names(std::string_view key, const std::vector<std::string> &from)
    {
        auto list = NameList::parse(from);
        if (!list) {
            fail(RuleError::Code::BadPattern, key, list.error());
            return {};
        }
        return std::move(*list);
    }

    TextPatterns texts(std::string_view key, const std::vector<std::string> &from)
    {
        auto patterns = TextPatterns::parse(from);
        if (!patterns) {
            fail(RuleError::Code::BadPattern, key, patterns.error());
            return {};
        }
        return std::move(*patterns);
    }

    std::vector<GlobSet::Id> pathIds(std::string_view key, const std::vector<std::string> &from, CompiledConditions &to)
    {
        std::vector<GlobSet::Id> ids;
        for (const std::string &pattern : from) {
            if (pattern == ownFiles) {
                to.notOwn = true;
                continue;
            }
            const auto id = m_paths.add(pattern);
            if (id)
                ids.push_back(*id);
            else
                fail(RuleError::Code::BadPattern, key, id.error());
        }
        return ids;
    }

    void addArguments(const ArgumentCondition &from, CompiledConditions &to)
    {
        if (!from.value.empty())
            to.valueOptions.insert(to.valueOptions.end(), from.option.begin(), from.option.end());
        to.args.push_back({from.all, from.option, names("args", from.value), from.without});
    }

    void addHosts(const Conditions &from, CompiledConditions &to)
    {
        for (const std::string &name : from.hosts) {
            if (const auto known = fromName<HostClass>(name))
                to.hosts.push_back(*known);
            else
                fail(RuleError::Code::BadValue, "hosts", name);
        }
        to.hostOptions = from.hostOptions;
        to.valueOptions.insert(to.valueOptions.end(), from.hostOptions.begin(), from.hostOptions.end());
    }

    void addAssign(const AssignCondition &from, CompiledConditions &to)
    {
        const auto list = [](const std::string &pattern) {
            return pattern.empty() ? std::vector<std::string>{} : std::vector<std::string>{pattern};
        };
        to.assigns.push_back({texts("assigns", {from.name}), texts("assigns", list(from.value)),
                              texts("assigns", list(from.notValue)), from.own});
    }

    void addConstructs(const Conditions &from, CompiledConditions &to)
    {
        for (const std::string &name : from.construct) {
            const auto known =
                std::ranges::find(constructNames, name, &std::pair<std::string_view, shell::Construct>::first);
            if (known != constructNames.end())
                to.construct.push_back(known->second);
            else
                fail(RuleError::Code::BadValue, "construct", name);
        }
    }

    const Rule &m_rule;
    GlobSet &m_paths;
    std::optional<RuleError> m_error;
};

} // namespace

bool CompiledConditions::looksAtInvocation() const
{
    return std::ranges::any_of(asked, [](Condition c) { return c != Condition::Construct && c != Condition::Text; });
}

Needs CompiledConditions::needs() const
{
    Needs out = 0;
    for (const Condition condition : asked) {
        switch (condition) {
        case Condition::Assigns:
            out |= needs::assigns;
            break;
        case Condition::Flows:
            out |= needs::flows;
            break;
        case Condition::Paths:
            out |= needs::paths;
            break;
        case Condition::Code:
            out |= needs::code;
            break;
        case Condition::Construct:
        case Condition::Text:
            break;
        default:
            out |= needs::invocation;
        }
    }
    return out;
}

Result<CompiledRule, RuleError> compileRule(const Rule &rule, GlobSet &paths)
{
    Compiler compiler(rule, paths);
    CompiledRule out;
    out.guessed = rule.guessed;
    out.when = compiler.compile(rule.when);
    for (const Conditions &conditions : rule.any)
        out.any.push_back(compiler.compile(conditions));
    for (const Conditions &conditions : rule.unless)
        out.unless.push_back(compiler.compile(conditions));
    const auto asksNothing = [](const CompiledConditions &c) { return c.asked.empty(); };
    if ((out.when.asked.empty() && out.any.empty()) || std::ranges::any_of(out.any, asksNothing)
        || std::ranges::any_of(out.unless, asksNothing))
        compiler.fail(RuleError::Code::NoCondition, "", "");
    if (compiler.error())
        return failure(RuleError(*compiler.error()));
    const auto hasProgram = [](const CompiledConditions &c) {
        return !c.program.wanted().empty()
            && std::ranges::none_of(c.program.wanted(), [](const Glob &glob) { return glob.source() == "*"; });
    };
    out.namesProgram = hasProgram(out.when) || (!out.any.empty() && std::ranges::all_of(out.any, hasProgram));
    for (const CompiledConditions &conditions : out.any)
        out.alternatives.push_back(out.when.needs() | conditions.needs());
    if (out.any.empty())
        out.alternatives.push_back(out.when.needs());
    out.wholeOnly =
        !out.when.looksAtInvocation() && std::ranges::none_of(out.any, &CompiledConditions::looksAtInvocation);
    return out;
}

} // namespace portcullis::rules
