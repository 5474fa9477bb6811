// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/matcher.h"

#include "runner/base/paths.h"
#include "runner/rules/data_flow.h"
#include "runner/rules/given_options.h"
#include "runner/shell/code_literals.h"

#include <algorithm>
#include <array>
#include <string>

namespace portcullis::rules {

namespace {

using shell::GivenOption;
using shell::Invocation;
using shell::Value;

/// One set of conditions against one subject. Each function answers for one condition and adds its spans on Yes.
class ConditionMatcher
{
public:
    ConditionMatcher(const CompiledConditions &conditions, Subject &subject, std::vector<Span> &spans, bool excuses)
        : m_conditions(conditions), m_subject(subject), m_whole(subject.whole()), m_spans(spans), m_excuses(excuses)
    {
    }

    Match match()
    {
        using Self = ConditionMatcher;
        static constexpr Match (Self::*answers[])() = {
            &Self::program,     &Self::assigns,  &Self::via,       &Self::flows, &Self::subcommand, &Self::args,
            &Self::maxOperands, &Self::operands, &Self::words,     &Self::line,  &Self::hosts,      &Self::paths,
            &Self::input,       &Self::code,     &Self::construct, &Self::text};
        Match all = Match::Yes;
        for (const Condition condition : m_conditions.asked) {
            all = std::min(all, (this->*answers[static_cast<std::size_t>(condition)])());
            if (all == Match::No)
                break;
        }
        return all;
    }

private:
    Match program()
    {
        const Invocation *invocation = m_subject.invocation();
        if (!invocation)
            return Match::No;
        const Match found = matchProgram(*invocation);
        if (found == Match::Yes)
            m_spans.push_back(invocation->program.span);
        return found;
    }

    Match matchProgram(const Invocation &invocation)
    {
        const Value &word = invocation.program;
        if (!word.isPattern() || !word.known())
            return !invocation.name.empty() && m_conditions.program.matches(invocation.name) ? Match::Yes : Match::No;
        // The shell finds the program by its pattern: `/bin/n[c]`. Which one it finds is not known, so any that fits
        // counts, except that a bare `./*` says nothing about the name.
        const std::size_t base = word.text.rfind('/') + 1;
        const Value name = slice(word, base, word.text.size());
        const bool somewhere = word.text.starts_with('/');
        if (!somewhere && name.text.find_first_not_of("*?[]!") == std::string::npos)
            return Match::No;
        const OpenText open = OpenText::of(name);
        for (const Glob &glob : m_conditions.program.wanted()) {
            if (glob.matches(open) == Match::Yes) {
                m_program = glob.source();
                return Match::Yes;
            }
        }
        return Match::No;
    }

    std::string_view programName() const
    {
        return m_subject.invocation() ? std::string_view(m_subject.invocation()->name) : std::string_view();
    }

    const shell::SplitArguments &split()
    {
        const Invocation *invocation = m_subject.invocation();
        const std::string_view name = m_program.empty() && invocation ? std::string_view(invocation->name) : m_program;
        return m_subject.split(name, m_conditions.valueOptions);
    }

    Match given(const std::vector<std::string> &names, const NameList &value)
    {
        const shell::SplitArguments &arguments = split();
        Match best = arguments.unknownWord ? Match::Maybe : Match::No;
        for (const GivenOption &option : arguments.options) {
            if (std::ranges::none_of(
                    names, [&](const std::string &name) { return isOption(programName(), option.name, name); }))
                continue;
            const Match found = value.empty() ? Match::Yes : option.value ? value.matches(*option.value) : Match::No;
            if (found == Match::Yes) {
                m_spans.push_back(option.span);
                return found;
            }
            best = std::max(best, found);
        }
        return best;
    }

    Match argument(const CompiledArguments &condition)
    {
        Match all = Match::Yes;
        for (const auto &alternatives : condition.all)
            all = std::min(all, asked(alternatives, {}, m_excuses));
        if (!condition.option.empty())
            all = std::min(all, asked(condition.option, condition.value, m_excuses));
        if (!condition.without.empty() && all != Match::No) {
            const std::size_t kept = m_spans.size();
            if (asked(condition.without, {}, !m_excuses) == Match::Yes)
                all = Match::No;
            m_spans.resize(kept);
        }
        return all;
    }

    /// `excuse`: the option keeps the rule from matching (`--dry-run`), so that it must also be in force.
    Match asked(const std::vector<std::string> &names, const NameList &value, bool excuse)
    {
        return excuse && value.empty() && !inForce(programName(), names, split(), m_subject.args())
            ? Match::No
            : given(names, value);
    }

    Match args()
    {
        return bestOf(m_conditions.args, [this](const CompiledArguments &condition) { return argument(condition); });
    }

    /// Yes for an empty list, else the best answer of its entries.
    template <class List, class Function>
    Match bestOf(const List &list, Function answer)
    {
        Match best = list.empty() ? Match::Yes : Match::No;
        for (const auto &entry : list) {
            best = std::max(best, answer(entry));
            if (best == Match::Yes)
                break;
        }
        return best;
    }

    Match via()
    {
        const Invocation *invocation = m_subject.invocation();
        const auto wanted = [this](const std::string &launcher) { return m_conditions.via.matches(launcher); };
        return invocation && std::ranges::any_of(invocation->via, wanted) ? Match::Yes : Match::No;
    }

    Match subcommand()
    {
        const std::vector<Value> &operands = split().operands;
        Value joined;
        Match best = Match::No;
        for (std::size_t count = 0; count < std::min(operands.size(), m_conditions.subcommandWords); ++count) {
            if (count > 0)
                joined.text += ' ';
            for (const std::uint32_t gap : operands[count].gaps)
                joined.gaps.push_back(gap + static_cast<std::uint32_t>(joined.text.size()));
            joined.text += operands[count].text;
            const Match found = m_conditions.subcommand.matches(joined);
            if (found == Match::Yes) {
                for (std::size_t i = 0; i <= count; ++i)
                    m_spans.push_back(operands[i].span);
                return found;
            }
            best = std::max(best, found);
        }
        // An unknown word where options stand may itself be the subcommand.
        return best == Match::No && split().unknownWord ? Match::Maybe : best;
    }

    Match maxOperands() { return split().operands.size() <= *m_conditions.maxOperands ? Match::Yes : Match::No; }

    Match operands()
    {
        return bestWord(split().operands, [this](const Value &word) { return m_conditions.operands.matchWhole(word); });
    }

    Match words()
    {
        const auto fits = [this](const Value &word) { return m_conditions.words.matchPart(word); };
        Match best = bestWord(m_subject.args(), fits);
        // A value that is glued to its option is the word that it would be with a space: `-itv/:/host`.
        for (const GivenOption &option : split().options) {
            if (best == Match::Yes)
                break;
            if (option.value && option.value->span == option.span)
                best = std::max(best, bestWord(std::span(&*option.value, 1), fits));
        }
        return best;
    }

    template <class Words, class Function>
    Match bestWord(const Words &words, Function answer)
    {
        Match best = Match::No;
        for (const Value &word : words) {
            const Match found = answer(word);
            if (found == Match::Yes) {
                m_spans.push_back(word.span);
                return found;
            }
            best = std::max(best, found);
        }
        return best;
    }

    Match line()
    {
        if (!m_subject.invocation())
            return Match::No;
        const Match found = m_conditions.line.matchPart(m_subject.line());
        if (found == Match::Yes)
            m_spans.push_back(m_subject.invocation()->span);
        return found;
    }

    Match hosts()
    {
        const auto leadsThere = [this](const Value &word) { return hostOf(word); };
        const shell::SplitArguments &arguments = split();
        Match best = bestWord(arguments.operands, leadsThere);
        for (const GivenOption &option : arguments.options) {
            if (best == Match::Yes)
                break;
            if (option.value && std::ranges::contains(m_conditions.hostOptions, option.name))
                best = std::max(best, bestWord(std::span(&*option.value, 1), leadsThere));
        }
        return best;
    }

    Match hostOf(const Value &word) const
    {
        // A host with an unknown part may be any; one whose unknown part comes later is known.
        const std::string shown = shownText(word);
        Match best = Match::No;
        for (const std::string &host : hostsOf(shown)) {
            const auto where = hostClass(host);
            if (where && std::ranges::contains(m_conditions.hosts, *where))
                return Match::Yes;
            if (host.contains(unknownMark))
                best = Match::Maybe;
        }
        return best;
    }

    Match paths()
    {
        const bool notOwn = m_conditions.notOwn;
        const auto all = [=](const FileMention &file) { return !(notOwn && file.own); };
        const auto written = [=](const FileMention &file) { return file.written && all(file); };
        const auto redirected = [=](const FileMention &file) { return file.redirected && all(file); };
        return std::min({named(m_conditions.paths, all), named(m_conditions.writes, written),
                         named(m_conditions.redirectsTo, redirected)});
    }

    template <class Filter>
    Match named(const std::vector<GlobSet::Id> &ids, Filter filter)
    {
        if (ids.empty())
            return Match::Yes;
        Match best = std::ranges::any_of(m_subject.unknownFiles(), filter) ? Match::Maybe : Match::No;
        for (const Subject::NamedPath &path : m_subject.paths()) {
            if (!filter(*path.file) || !std::ranges::contains(ids, path.id))
                continue;
            if (path.match == Match::Yes) {
                m_spans.push_back(path.file->span);
                return Match::Yes;
            }
            best = std::max(best, path.match);
        }
        return best;
    }

    Match assigns()
    {
        return bestOf(m_conditions.assigns, [this](const CompiledAssign &condition) { return assign(condition); });
    }

    Match assign(const CompiledAssign &condition)
    {
        for (const shell::Assignment &assignment : m_subject.assigns()) {
            if (!condition.name.matchesWhole(assignment.name))
                continue;
            const std::string value = shownText(assignment.value);
            if (!condition.value.empty() && !condition.value.matchesPart(value))
                continue;
            if (!condition.notValue.empty() && condition.notValue.matchesPart(value))
                continue;
            if (condition.own && !ownFolders(assignment.value, *condition.own))
                continue;
            m_spans.push_back(assignment.span);
            return Match::Yes;
        }
        return Match::No;
    }

    /// Folders that only the system's packages fill: no tenant can put anything there.
    static bool isSystemFolder(const PathText &path)
    {
        static constexpr std::array<std::string_view, 5> system{"/usr", "/lib", "/lib64", "/opt", "/nix/store"};
        return !path.open && std::ranges::any_of(system, [&](std::string_view folder) {
            return paths::isWithin(path.plain, folder);
        });
    }

    /// Whether folders of a list are all (`own`), or not all, where the command starts or below it. Those of the system
    /// are neither.
    bool ownFolders(const Value &value, bool own) const
    {
        const std::string &start = m_whole.evaluation.cwd;
        const Invocation *invocation = m_subject.invocation();
        const std::optional<std::string> cwd = invocation ? invocation->cwd : std::optional(start);
        bool any = false;
        for (std::size_t at = 0; at <= value.text.size();) {
            const std::size_t end = std::min(value.text.find(':', at), value.text.size());
            const Value entry = slice(value, at, end);
            at = end + 1;
            if (entry.text.empty())
                continue;
            const PathText path = resolvePath(entry, cwd);
            if (isSystemFolder(path))
                continue;
            if (!liesBelow(path, start) && (path.open || path.plain != start))
                return !own;
            any = true;
        }
        return own && any;
    }

    Match flows()
    {
        return std::min({flow(m_conditions.pipesTo,
                              [this] { return findRunner(m_whole, m_subject.index(), m_conditions.pipesTo); }),
                         source(m_conditions.pipedFrom, FlowKind::Data),
                         source(m_conditions.argumentFrom, FlowKind::Argument),
                         source(m_conditions.codeFrom, FlowKind::UnseenCode)});
    }

    Match source(const NameList &names, FlowKind kind)
    {
        const Match found = flow(names, [&] { return findSource(m_whole, m_subject.index(), names, kind); });
        if (found == Match::Yes && !names.empty() && kind == FlowKind::UnseenCode)
            m_spans.push_back(m_subject.invocation()->program.span); // who runs it is as much of the finding
        return found;
    }

    template <class Function>
    Match flow(const NameList &names, Function find)
    {
        if (names.empty())
            return Match::Yes;
        const std::optional<Span> found = m_subject.invocation() ? find() : std::nullopt;
        if (found)
            m_spans.push_back(*found);
        return found ? Match::Yes : Match::No;
    }

    Match input()
    {
        const Invocation *invocation = m_subject.invocation();
        if (!invocation || !invocation->input)
            return Match::No;
        return bestWord(std::span(&*invocation->input, 1),
                        [this](const Value &text) { return m_conditions.input.matchPart(text); });
    }

    Match code()
    {
        Match best = Match::No;
        if (!m_subject.invocation())
            return best;
        for (const std::uint32_t at : m_whole.codeOf(m_subject.index())) {
            const shell::EmbeddedCode &code = m_whole.evaluation.code[at];
            if (!m_conditions.language.empty() && !m_conditions.language.matches(code.language))
                continue;
            if (callsIn(m_whole.codeTexts[at], code)) {
                m_spans.push_back(code.span);
                return Match::Yes;
            }
            if (!code.text.known())
                best = Match::Maybe;
        }
        return best;
    }

    /// Whether the code matches, other than by a call that only stands in a string or a comment.
    bool callsIn(std::string_view shown, const shell::EmbeddedCode &code) const
    {
        std::size_t start = 0;
        std::size_t length = 0;
        if (!m_conditions.code.find(shown, start, length))
            return false;
        if (!code.text.known())
            return true;
        const std::vector<Span> literals = shell::inertLiterals(code.language, shown);
        while (shown.substr(start, length).contains('(') && shell::insideLiteral(literals, start, length)) {
            start += length;
            if (!m_conditions.code.find(shown, start, length))
                return false;
        }
        return true;
    }

    /// The answer of a condition that looks at the whole command.
    template <class Find>
    Match whole(const void *condition, Find find)
    {
        const auto [known, fresh] = m_whole.found.try_emplace(condition);
        if (fresh)
            known->second = find();
        if (!known->second)
            return Match::No;
        m_spans.push_back(*known->second);
        return Match::Yes;
    }

    Match construct()
    {
        Match found = Match::No;
        for (const shell::ConstructUse &use : m_whole.evaluation.constructs) {
            if (std::ranges::contains(m_conditions.construct, use.construct)
                && (m_conditions.language.empty() || m_conditions.language.matches(use.detail))) {
                m_spans.push_back(use.span);
                found = Match::Yes;
            }
        }
        return found;
    }

    Match text()
    {
        return whole(&m_conditions.text, [this]() -> std::optional<Span> {
            std::size_t start = 0;
            std::size_t length = 0;
            if (!m_conditions.text.find(m_whole.raw, start, length))
                return std::nullopt;
            return Span{static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(length)};
        });
    }

    const CompiledConditions &m_conditions;
    Subject &m_subject;
    const Whole &m_whole;
    std::vector<Span> &m_spans;
    bool m_excuses; ///< these conditions stand under `unless`
    std::string_view m_program; ///< of the rule, where the command word is a pattern
};

Match matchConditions(const CompiledConditions &conditions, Subject &subject, std::vector<Span> &spans,
                      bool excuses = false)
{
    return ConditionMatcher(conditions, subject, spans, excuses).match();
}

} // namespace

Match matchRule(const CompiledRule &rule, Subject &subject, std::vector<Span> &spans)
{
    if (subject.invocation() && subject.invocation()->guessed && !rule.guessed)
        return Match::No;
    const Match when = matchConditions(rule.when, subject, spans);
    if (when == Match::No)
        return Match::No;
    Match any = rule.any.empty() ? Match::Yes : Match::No;
    for (const CompiledConditions &conditions : rule.any) {
        const std::size_t kept = spans.size();
        any = std::max(any, matchConditions(conditions, subject, spans));
        if (any == Match::Yes)
            break;
        spans.resize(kept);
    }
    if (any == Match::No)
        return Match::No;
    for (const CompiledConditions &conditions : rule.unless) {
        std::vector<Span> ignored;
        if (matchConditions(conditions, subject, ignored, true) == Match::Yes)
            return Match::No;
    }
    return std::min(when, any);
}

} // namespace portcullis::rules
