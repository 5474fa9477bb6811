// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/compiled_rule.h"
#include "runner/rules/glob_set.h"
#include "runner/rules/matcher.h"
#include "runner/rules/rule.h"
#include "runner/rules/subject.h"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace portcullis::rules {

namespace {

using RuleIndex = std::uint32_t;

/// A rule that has hit collects more spans only from the first hundred: messages show no more.
constexpr std::size_t maxSpans = 100;

struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const { return std::hash<std::string_view>{}(name); }
};

/// How a rule is found: by the program's name, and by what else an invocation must have for it.
struct Finder {
    std::vector<const Glob *> names;
    std::vector<Needs> otherwise; ///< of the alternatives that name no program; empty: the names find it always
};

Finder finderOf(const CompiledRule &rule)
{
    Finder finder;
    const auto add = [&finder](const NameList &list) {
        std::ranges::transform(list.wanted(), std::back_inserter(finder.names), [](const Glob &glob) { return &glob; });
    };
    if (rule.when.program.isSelective()) {
        add(rule.when.program);
        return finder;
    }
    if (rule.any.empty())
        finder.otherwise = rule.alternatives;
    for (std::size_t i = 0; i < rule.any.size(); ++i) {
        if (rule.any[i].program.isSelective())
            add(rule.any[i].program);
        else
            finder.otherwise.push_back(rule.alternatives[i]);
    }
    return finder;
}

/// What the examples of rules are read in: an agent's own directory on an ordinary machine.
shell::EvaluationContext exampleContext()
{
    shell::EvaluationContext context;
    context.cwd = "/home/agent/project";
    context.variables = {{"HOME", "/home/agent"},
                         {"PATH", "/usr/local/bin:/usr/bin:/bin"},
                         {"PWD", "/home/agent/project"},
                         {"TMPDIR", "/tmp"},
                         {"USER", "agent"}};
    return context;
}

bool overlap(const Span &a, const Span &b)
{
    return a.start < b.end() && b.start < a.end();
}

/// True when nothing outside of the invocation takes part in what rules say of it.
bool standsAlone(const Whole &whole, std::uint32_t invocation)
{
    return !whole.inFlow[invocation] && whole.codeOf(invocation).empty();
}

/// Everything that rules look at in an invocation that stands alone, and nothing of where it is written. Invocations
/// with the same content get the same answers.
std::string contentOf(const shell::Invocation &invocation)
{
    std::string out;
    const auto number = [&](std::uint64_t value) { out.append(reinterpret_cast<const char *>(&value), sizeof value); };
    const auto text = [&](std::string_view bytes) {
        number(bytes.size());
        out += bytes;
    };
    const auto value = [&](const shell::Value &each) {
        text(each.text);
        for (const std::vector<std::uint32_t> *marks : {&each.gaps, &each.globs}) {
            number(marks->size());
            for (const std::uint32_t mark : *marks)
                number(mark);
        }
    };
    text(invocation.name);
    value(invocation.program);
    number(invocation.args.size());
    std::ranges::for_each(invocation.args, value);
    for (const shell::Assignment &assignment : invocation.assigns) {
        text(assignment.name);
        value(assignment.value);
    }
    for (const shell::Redirection &redirection : invocation.redirects) {
        text(redirection.op);
        text(redirection.fd);
        value(redirection.target);
    }
    text(invocation.cwd.value_or(std::string()));
    number(invocation.via.size());
    std::ranges::for_each(invocation.via, text);
    value(invocation.input.value_or(shell::Value()));
    for (const bool flag : {invocation.cwd.has_value(), invocation.input.has_value(), invocation.builtin,
                            invocation.background, invocation.fromInterpreter, invocation.opens, invocation.guessed})
        out += flag ? '1' : '0';
    out += static_cast<char>(invocation.dialect);
    return out;
}

/// Ascending and disjoint.
std::vector<Span> merged(std::vector<Span> spans)
{
    std::ranges::sort(spans);
    std::vector<Span> out;
    for (const Span &span : spans) {
        if (!out.empty() && span.start <= out.back().end())
            out.back().length = std::max(out.back().end(), span.end()) - out.back().start;
        else if (span.length > 0)
            out.push_back(span);
    }
    return out;
}

} // namespace

struct RuleSet::Private {
    std::vector<Rule> rules;
    std::vector<CompiledRule> compiled;
    GlobSet paths{Glob::Flavour::Path};
    std::unordered_map<std::string, std::vector<RuleIndex>, NameHash, std::equal_to<>> byProgram;
    GlobSet programGlobs{Glob::Flavour::Name}; ///< ids are rule indices
    using ByNeeds = std::array<std::vector<RuleIndex>, needs::count>; ///< by what a subject has
    ByNeeds everywhere; ///< tried on every invocation: rules with an alternative that names no program
    ByNeeds standing; ///< can match without an invocation
    std::vector<RuleIndex> all;

    /// The answer for each rule while one evaluation is matched.
    struct Answers {
        std::vector<Match> match;
        std::vector<std::vector<Span>> spans;
        std::vector<std::vector<std::uint32_t>> invocations; ///< of hits
        std::vector<bool> cut; ///< not all invocations were looked at
        std::vector<Span> scratch;
    };

    void index();
    static void addTo(ByNeeds &rules, RuleIndex rule, std::span<const Needs> alternatives);
    void tryRule(RuleIndex rule, Subject &subject, Answers &answers) const;
    void tryEverywhere(Subject &subject, std::span<const RuleIndex> tried, Answers &answers) const;
    void tryStanding(Subject &subject, Answers &answers) const;
    void tryInvocation(const Whole &whole, std::uint32_t invocation, Answers &answers) const;
    /// Rules that give way to a rule that found the same.
    void silence(Answers &answers) const;
    RuleMatches collect(Answers &answers) const;
};

void RuleSet::Private::index()
{
    for (RuleIndex at = 0; at < compiled.size(); ++at) {
        all.push_back(at);
        Finder finder = finderOf(compiled[at]);
        for (const Glob *name : finder.names) {
            if (!name->isLiteral()) {
                programGlobs.add(*name, at);
                continue;
            }
            std::vector<RuleIndex> &named = byProgram[name->source()];
            if (named.empty() || named.back() != at)
                named.push_back(at);
        }
        if (!compiled[at].wholeOnly)
            addTo(everywhere, at, finder.otherwise);
        if (!compiled[at].namesProgram)
            addTo(standing, at, compiled[at].alternatives);
    }
    programGlobs.compile();
}

void RuleSet::Private::addTo(ByNeeds &rules, RuleIndex rule, std::span<const Needs> alternatives)
{
    for (std::size_t available = 0; available < rules.size(); ++available) {
        if (std::ranges::any_of(alternatives, [available](Needs wanted) { return (wanted & ~available) == 0; }))
            rules.at(available).push_back(rule);
    }
}

void RuleSet::Private::tryRule(RuleIndex rule, Subject &subject, Answers &answers) const
{
    if (answers.match[rule] == Match::Yes && answers.spans[rule].size() >= maxSpans) {
        answers.cut[rule] = true;
        return;
    }
    answers.scratch.clear();
    const Match found = matchRule(compiled[rule], subject, answers.scratch);
    if (found == Match::No
        || (found == Match::Maybe && (!compiled[rule].namesProgram || answers.match[rule] != Match::No)))
        return;
    if (found == Match::Yes && answers.match[rule] != Match::Yes)
        answers.spans[rule].clear();
    answers.match[rule] = found;
    if (found == Match::Yes && subject.invocation())
        answers.invocations[rule].push_back(subject.index());
    if (found == Match::Yes)
        answers.spans[rule].insert(answers.spans[rule].end(), answers.scratch.begin(), answers.scratch.end());
    else if (subject.invocation())
        answers.spans[rule].push_back(subject.invocation()->span);
}

/// All but those that the name of the program has found already.
void RuleSet::Private::tryEverywhere(Subject &subject, std::span<const RuleIndex> tried, Answers &answers) const
{
    for (const RuleIndex rule : everywhere.at(subject.available())) {
        if (!std::ranges::contains(tried, rule))
            tryRule(rule, subject, answers);
    }
}

void RuleSet::Private::tryStanding(Subject &subject, Answers &answers) const
{
    for (const RuleIndex rule : standing.at(subject.available()))
        tryRule(rule, subject, answers);
}

void RuleSet::Private::tryInvocation(const Whole &whole, std::uint32_t invocation, Answers &answers) const
{
    Subject subject(whole, invocation);
    if (subject.invocation()->program.isPattern()) {
        for (const RuleIndex rule : all)
            tryRule(rule, subject, answers);
        return;
    }
    std::vector<RuleIndex> named = programGlobs.match(subject.invocation()->name);
    if (const auto found = byProgram.find(subject.invocation()->name); found != byProgram.end())
        named.insert(named.begin(), found->second.begin(), found->second.end());
    for (const RuleIndex rule : named)
        tryRule(rule, subject, answers);
    tryEverywhere(subject, named, answers);
}

void RuleSet::Private::silence(Answers &answers) const
{
    std::vector<RuleIndex> silent;
    for (RuleIndex rule = 0; rule < rules.size(); ++rule) {
        const std::vector<std::string> &stronger = rules[rule].givesWayTo;
        const std::vector<Span> &own = answers.spans[rule];
        if (stronger.empty() || answers.match[rule] != Match::Yes || own.empty() || own.size() >= maxSpans)
            continue;
        const auto named = [&](RuleIndex other) {
            return answers.match[other] == Match::Yes && std::ranges::contains(stronger, rules[other].id);
        };
        const bool covered = std::ranges::all_of(own, [&](const Span &span) {
            return std::ranges::any_of(all, [&](RuleIndex other) {
                return named(other)
                    && std::ranges::any_of(answers.spans[other], [&](const Span &its) { return overlap(span, its); });
            });
        });
        if (covered)
            silent.push_back(rule);
    }
    for (const RuleIndex rule : silent)
        answers.match[rule] = Match::No;
}

RuleMatches RuleSet::Private::collect(Answers &answers) const
{
    RuleMatches out;
    for (RuleIndex rule = 0; rule < rules.size(); ++rule) {
        if (answers.match[rule] == Match::Yes)
            out.hits.push_back({&rules[rule], merged(std::move(answers.spans[rule])),
                                std::move(answers.invocations[rule]), !answers.cut[rule]});
        else if (answers.match[rule] == Match::Maybe)
            out.dynamic.push_back({DynamicReason::Option,
                                   answers.spans[rule].empty() ? Span{} : answers.spans[rule].front(), rules[rule].id});
    }
    return out;
}

RuleSet::RuleSet(std::unique_ptr<Private> d_) : d(std::move(d_)) { }

RuleSet::~RuleSet() = default;

const std::vector<Rule> &RuleSet::rules() const
{
    return d->rules;
}

RuleMatches RuleSet::match(const shell::Evaluation &evaluation, std::string_view raw) const
{
    Private::Answers answers;
    answers.match.assign(d->rules.size(), Match::No);
    answers.spans.resize(d->rules.size());
    answers.invocations.resize(d->rules.size());
    answers.cut.assign(d->rules.size(), false);
    const Whole whole(evaluation, raw, d->paths);
    std::unordered_map<std::string, std::uint32_t> times;
    const bool many = evaluation.invocations.size() > maxSpans;
    for (std::uint32_t i = 0; i < evaluation.invocations.size(); ++i) {
        if (many && standsAlone(whole, i) && ++times[contentOf(evaluation.invocations[i])] > maxSpans)
            continue;
        d->tryInvocation(whole, i, answers);
    }
    Subject standing(whole);
    d->tryStanding(standing, answers);
    // Names that were not looked at any more may be any.
    const bool over = whole.overBudget();
    const Span all{0, static_cast<std::uint32_t>(raw.size())};
    for (std::size_t i = 0; over && i < d->rules.size(); ++i) {
        if (std::ranges::contains(d->rules[i].when.construct, "beyond_limits")) {
            answers.match[i] = Match::Yes;
            answers.spans[i].assign(1, all);
        }
    }
    d->silence(answers);
    RuleMatches out = d->collect(answers);
    if (over)
        out.dynamic.push_back({DynamicReason::Budget, {}, {}});
    return out;
}

Result<std::shared_ptr<const RuleSet>, std::vector<RuleError>> RuleSet::compile(std::vector<Rule> rules,
                                                                                bool checkExamples)
{
    auto d = std::make_unique<Private>();
    std::vector<RuleError> errors;
    std::set<std::string_view> ids;
    d->rules = std::move(rules);
    for (const Rule &rule : d->rules) {
        if (!ids.insert(rule.id).second)
            errors.push_back({RuleError::Code::DuplicateId, rule.id, "id", rule.id, rule.line, rule.column});
        auto compiled = compileRule(rule, d->paths);
        if (compiled)
            d->compiled.push_back(std::move(*compiled));
        else
            errors.push_back(compiled.error());
    }
    if (!errors.empty())
        return failure(std::move(errors));
    d->paths.compile();
    d->index();
    std::shared_ptr<const RuleSet> set(new RuleSet(std::move(d)));
    if (!checkExamples)
        return set;
    const shell::EvaluationContext context = exampleContext();
    for (const Rule &rule : set->rules()) {
        const auto check = [&](const std::vector<std::string> &examples, bool wanted) {
            for (const std::string &example : examples) {
                const RuleMatches found = set->match(shell::evaluate(example, context), example);
                const bool hit = std::ranges::contains(found.hits, &rule, &RuleHit::rule);
                if (hit != wanted)
                    errors.push_back({wanted ? RuleError::Code::ExampleMissed : RuleError::Code::ExampleHit, rule.id,
                                      wanted ? "match" : "not_match", example, rule.line, rule.column});
            }
        };
        check(rule.match, true);
        check(rule.notMatch, false);
    }
    if (!errors.empty())
        return failure(std::move(errors));
    return set;
}

} // namespace portcullis::rules
