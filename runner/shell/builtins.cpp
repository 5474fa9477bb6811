// SPDX-License-Identifier: Apache-2.0

// Builtins that change what the shell does next: bash manual, 4.1 and 4.2; POSIX 2.15.

#include "runner/shell/builtin_options.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace portcullis::shell {

namespace {

/// The words from `from` on with one space between, as `eval` reads them.
Field joinedWords(const Run &run, std::size_t from)
{
    Gapped text;
    Field result;
    for (std::size_t i = from; i < run.words.size(); ++i) {
        if (i > from)
            text.append(Gapped(" "));
        text.append(run.words[i].gapped());
        result.usesUnset = result.usesUnset || run.words[i].usesUnset;
    }
    const bool unset = result.usesUnset;
    Span span = from < run.words.size() ? run.words[from].value.span : run.span;
    if (from + 1 < run.words.size() && run.words.back().value.span.end() > span.start)
        span.length = run.words.back().value.span.end() - span.start;
    result = Field::fromGapped(text, span);
    result.usesUnset = unset;
    return result;
}

bool blank(std::string_view text)
{
    return text.find_first_not_of(" \t\n;") == std::string_view::npos;
}

} // namespace

bool Evaluator::mayFail(Builtin which, const std::string &name, const Run &run) const
{
    return std::ranges::any_of(run.redirects, mayFailToOpen) || mayRefuseOptions(which, run.words, m_dialect)
        || (which == Builtin::Local && m_locals.empty()) || m_disabledBuiltins.contains(name);
}

void Evaluator::perhaps(const std::function<void()> &body)
{
    const ShellState before = m_state;
    const std::size_t definitions = m_definitions.size();
    const std::size_t mark = m_variables.mark();
    ++m_conditional;
    body();
    --m_conditional;
    m_variables.weaken(mark);
    m_lastArgument = Gapped::unknown();
    m_state = BranchSet::joined(m_state, before);
    for (std::size_t i = definitions; i < m_definitions.size(); ++i) {
        for (Function &function : m_functions[m_definitions[i]])
            function.certain = false;
    }
}

bool Evaluator::doubtfulBuiltin(Builtin which, Run &run, std::uint32_t invocation)
{
    bool done = false;
    if (m_dialect == Dialect::Sh)
        mayLeave();
    perhaps([&] { done = builtin(which, run, invocation); });
    return done;
}

bool Evaluator::builtin(Builtin which, Run &run, std::uint32_t invocation)
{
    switch (which) {
    case Builtin::Eval:
        evalBuiltin(run, invocation);
        return true;
    case Builtin::Source:
        sourceBuiltin(run, invocation);
        return true;
    case Builtin::Exec:
        execBuiltin(run, invocation);
        return true;
    case Builtin::Command: {
        std::size_t from = 1;
        for (; from < run.words.size() && run.words[from].value.text.starts_with('-')
             && run.words[from].value.text.size() > 1;
             ++from) {
            const std::string &option = run.words[from].value.text;
            if (option.find_first_of("vV") != std::string::npos && option != "--")
                return false;
        }
        run.noFunctions = true;
        launchWords(run, from, invocation, "command");
        return true;
    }
    case Builtin::BuiltinWord:
        run.noFunctions = true;
        launchWords(run, run.words.size() > 1 && run.words[1].value.text == "--" ? 2 : 1, invocation, "builtin");
        return true;
    case Builtin::Cd:
    case Builtin::Pushd:
    case Builtin::Popd:
        changeDirectory(run, which);
        return false;
    case Builtin::Exit:
        mayEnd();
        endShell(run, ShellState::Ended::Exit);
        return false;
    case Builtin::Return:
        mayReturn();
        if (!m_locals.empty())
            endShell(run, ShellState::Ended::Return);
        return false;
    case Builtin::Set:
        setBuiltin(run);
        return false;
    case Builtin::Shift:
        shiftBuiltin(run);
        return false;
    case Builtin::Shopt:
        shoptBuiltin(run);
        return false;
    case Builtin::Alias:
        aliasBuiltin(run);
        return false;
    case Builtin::Unalias:
        unaliasBuiltin(run);
        return false;
    case Builtin::Trap:
        trapBuiltin(run);
        return false;
    default:
        variableBuiltin(which, run, invocation);
        return false;
    }
}

void Evaluator::evalBuiltin(const Run &run, std::uint32_t invocation)
{
    const std::size_t from = run.words.size() > 1 && run.words[1].value.text == "--" ? 2 : 1;
    if (from >= run.words.size())
        return;
    const Field text = joinedWords(run, from);
    bool unknown = text.usesUnset || (!text.value.known() && blank(text.value.text.substr(0, text.value.gaps.front())));
    for (const std::uint32_t source : text.sources)
        addFlow(source, invocation, true, false);
    unknown = unknown || (!text.value.known() && blank(text.value.text));
    if (unknown) {
        construct(Construct::EvalUnknown, run.span, "eval");
        m_unknownRan = true;
    }
    const Input *outerInput = m_input;
    Sink *outerSink = m_sink;
    if (run.hasStdin)
        m_input = &run.stdinText;
    if (run.hidesOutput)
        m_sink = nullptr;
    m_via.emplace_back("eval");
    runText(text.gapped(), m_dialect, text.value.span);
    m_via.pop_back();
    m_sink = outerSink;
    m_input = outerInput;
}

void Evaluator::sourceBuiltin(const Run &run, std::uint32_t invocation)
{
    const std::size_t from = run.words.size() > 1 && run.words[1].value.text == "--" ? 2 : 1;
    if (from >= run.words.size())
        return;
    const Field &file = run.words[from];
    const Input *input = descriptorInput(file.value.text, run);
    const auto written = file.value.known() ? m_files.find(absolute(file.value.text)) : m_files.end();
    if (input == nullptr && written == m_files.end()) {
        note(DynamicReason::Script, file.value.span, file.value.text);
        m_unknownRan = true;
        return;
    }
    if (input == nullptr && !written->second.certain) {
        note(DynamicReason::Script, file.value.span, file.value.text);
        m_unknownRan = true;
    }
    Input content;
    if (input != nullptr)
        content = *input;
    else
        content = {written->second.text, {written->second.writer}};
    for (const std::uint32_t producer : content.producers)
        addFlow(producer, invocation, true, false);
    const Leavable returns(*this, Leavable::Kind::Function);
    m_via.emplace_back("source");
    for (const Gapped &text : content.text) {
        if (!text.known() && text.text.empty()) {
            construct(Construct::EvalUnknown, run.span, "source");
            m_unknownRan = true;
        } else {
            runText(text, m_dialect, file.value.span);
        }
    }
    m_via.pop_back();
}

void Evaluator::execBuiltin(Run &run, std::uint32_t invocation)
{
    std::size_t from = 1;
    while (from < run.words.size() && run.words[from].value.text.starts_with('-')
           && run.words[from].value.text.size() > 1) {
        const bool takesName = run.words[from].value.text.ends_with('a');
        const bool last = run.words[from].value.text == "--";
        from += takesName ? 2 : 1;
        if (last)
            break;
    }
    if (from < run.words.size()) {
        run.noFunctions = true;
        run.noBuiltins = true;
        launchWords(run, from, invocation, "exec");
        return;
    }
    // Redirections of the shell itself from here on: what goes into these files is not followed.
    for (const Redirection &each : run.redirects) {
        if (each.op.contains('>') && each.target.known())
            m_files.erase(absolute(each.target.text));
    }
    if (run.hasStdin) {
        m_execInputs.push_back(run.stdinText);
        m_input = &m_execInputs.back();
    }
    if (run.hidesOutput)
        m_sink = nullptr;
}

void Evaluator::changeDirectory(const Run &run, Builtin which)
{
    std::size_t from = 1;
    while (from < run.words.size() && run.words[from].value.text.size() > 1
           && run.words[from].value.text.starts_with('-') && run.words[from].value.text != "--"
           && run.words[from].value.known())
        ++from;
    if (from < run.words.size() && run.words[from].value.text == "--")
        ++from;
    Variable old = Variable::of({});
    for (const auto &cwd : *m_state.cwds)
        old.choices.push_back(Datum{.elements = {cwd ? Gapped(*cwd) : Gapped::unknown()}, .keys = {}});
    std::vector<std::optional<std::string>> next;
    Field target;
    if (from < run.words.size()) {
        target = run.words[from];
    } else {
        const auto home = lookup("HOME");
        if (home.front().set && !home.front().elements.empty())
            target = Field::fromGapped(home.front().elements.front(), run.span);
    }
    const std::string &path = target.value.text;
    if (which == Builtin::Popd || path == "-" || !target.value.known() || target.value.isPattern()
        || (which == Builtin::Pushd && (path.empty() || path[0] == '+'))) {
        if (path == "-" && which == Builtin::Cd) {
            for (const Datum &datum : lookup("OLDPWD")) {
                const bool known = datum.set && datum.elements.size() == 1 && datum.elements.front().known();
                next.push_back(known ? std::optional(datum.elements.front().text) : std::nullopt);
            }
        } else if (which == Builtin::Popd && !m_directories.empty() && m_conditional == 0) {
            next.push_back(m_directories.back());
            m_directories.pop_back();
        } else {
            next.emplace_back();
        }
    } else {
        if (which == Builtin::Pushd)
            m_directories.push_back(m_state.cwds->front());
        for (const auto &cwd : *m_state.cwds) {
            std::optional<std::string> there;
            if (path.starts_with('/'))
                there = normalised(path);
            else if (cwd)
                there = normalised(*cwd + "/" + path);
            // The kernel takes no longer name (PATH_MAX); where a shell then is does not show.
            constexpr std::size_t longestPath = 4096;
            // Each program that starts keeps a copy of each of them: with many possible ones they have to be short.
            constexpr std::size_t longestTogether = 8192;
            if (there && there->size() > std::min(longestPath, longestTogether / m_state.cwds->size()))
                there.reset();
            next.push_back(std::move(there));
        }
    }
    std::vector<std::optional<std::string>> distinct;
    for (auto &cwd : next) {
        if (std::ranges::find(distinct, cwd) == distinct.end())
            distinct.push_back(std::move(cwd));
    }
    m_state.cwds = std::make_shared<const std::vector<std::optional<std::string>>>(std::move(distinct));
    old.level = m_level;
    m_variables.set("OLDPWD", std::move(old));
}

void Evaluator::endShell(const Run &run, ShellState::Ended how)
{
    // Only where nothing can keep the builtin from running.
    if (!run.redirects.empty() || run.words.size() > 2)
        return;
    if (run.words.size() == 2) {
        const Value &status = run.words[1].value;
        const bool digits = !status.text.empty() && status.text.find_first_not_of("0123456789") == std::string::npos;
        const bool gapOnly = status.text.empty() && status.gaps.size() == 1;
        if (!digits && !gapOnly)
            return;
    }
    m_state.ended = how;
}

void Evaluator::setBuiltin(const Run &run)
{
    std::size_t from = 1;
    bool dashes = false;
    for (; from < run.words.size(); ++from) {
        const std::string &word = run.words[from].value.text;
        if (word == "--" || word == "-") {
            dashes = true;
            ++from;
            break;
        }
        if (!run.words[from].value.known() || word.size() < 2 || (word[0] != '-' && word[0] != '+'))
            break;
        if (word.contains('k')) // words behind programs are assignments
            beyondLimits(run.span, word);
        m_exportsAll = m_exportsAll || word.contains('a');
        m_noClobber = m_noClobber || word.contains('C');
        m_unsetEnds = m_unsetEnds || word.contains('u');
        m_failureEnds = m_failureEnds || word.contains('e');
        if (!word.ends_with('o') || ++from >= run.words.size())
            continue;
        const std::string &option = run.words[from].value.text;
        if (option == "keyword")
            beyondLimits(run.span, option);
        m_posix = m_posix || option == "posix";
        m_expandAliases = m_expandAliases || option == "posix";
        m_exportsAll = m_exportsAll || option == "allexport";
        m_noClobber = m_noClobber || option == "noclobber";
        m_unsetEnds = m_unsetEnds || option == "nounset";
        m_failureEnds = m_failureEnds || option == "errexit";
    }
    if (from >= run.words.size() && (!dashes || run.words.back().value.text == "-"))
        return;
    Positional positional;
    positional.zero = m_state.positional->front().zero;
    for (; from < run.words.size(); ++from) {
        const Field &word = run.words[from];
        positional.values.push_back(word.gapped());
        positional.openEnded = positional.openEnded || (!word.value.known() && !word.value.quotedData);
    }
    m_state.positional = std::make_shared<const std::vector<Positional>>(1, std::move(positional));
}

void Evaluator::shiftBuiltin(const Run &run)
{
    std::size_t count = 1;
    bool known = run.words.size() < 2;
    if (run.words.size() > 1) {
        const std::string &text = run.words[1].value.text;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
        known = error == std::errc() && end == text.data() + text.size() && run.words[1].value.known();
    }
    const auto fewer = [&](const Positional &each) { return !known || count > each.values.size(); };
    if (m_dialect == Dialect::Sh && std::ranges::any_of(*m_state.positional, fewer))
        mayLeave();
    auto next = std::make_shared<std::vector<Positional>>(*m_state.positional);
    for (Positional &alternative : *next) {
        if (!known) {
            for (Gapped &value : alternative.values)
                value = Gapped::unknown();
            alternative.openEnded = true;
        } else if (count <= alternative.values.size()) {
            spend(alternative.values.size() * 10);
            alternative.values.erase(alternative.values.begin(),
                                     alternative.values.begin() + static_cast<std::ptrdiff_t>(count));
        }
    }
    m_state.positional = std::move(next);
}

void Evaluator::shoptBuiltin(const Run &run)
{
    bool on = false;
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const std::string &word = run.words[i].value.text;
        on = on || (word.starts_with('-') && word.find('s') != std::string::npos);
        if (word == "expand_aliases") {
            m_expandAliases = m_expandAliases || on;
            m_aliasDoubt = m_aliasDoubt || !on || m_conditional > 0 || mayHaveLeft();
        }
        if (word == "localvar_inherit")
            m_localsInherit = m_localsInherit || on;
        else if (word == "lastpipe")
            m_lastpipe = m_lastpipe || on;
        else if (word == "failglob")
            m_globsFail = m_globsFail || on;
        else if (word == "xpg_echo")
            m_echoEscapes = m_echoEscapes || on;
        else if (word == "nocasematch")
            m_anyCase = m_anyCase || on;
    }
}

void Evaluator::trapBuiltin(const Run &run)
{
    std::size_t from = 1;
    if (from < run.words.size() && run.words[from].value.text == "--")
        ++from;
    if (from + 1 >= run.words.size() || run.words[from].value.text == "-" || run.words[from].value.text == "-p"
        || run.words[from].value.text == "-l")
        return;
    const Gapped text = run.words[from].gapped();
    if (!text.known() && blank(text.text)) {
        construct(Construct::EvalUnknown, run.span, "trap");
        m_unknownRan = true;
        return;
    }
    const auto atEnd = [](const Field &word) {
        const std::string &signal = word.value.text;
        return word.value.known() && (signal == "0" || signal == "EXIT" || signal == "exit" || signal == "SIGEXIT");
    };
    const auto inText = [](const Field &word) {
        return !word.value.known() || word.value.text == "DEBUG" || word.value.text == "ERR"
            || word.value.text == "RETURN";
    };
    // The others come at any place, some in the middle of the text without anybody sending a signal.
    const bool between =
        std::any_of(run.words.begin() + static_cast<std::ptrdiff_t>(from) + 1, run.words.end(), inText);
    const bool anywhere =
        !std::all_of(run.words.begin() + static_cast<std::ptrdiff_t>(from) + 1, run.words.end(), atEnd);
    ++m_repeats;
    {
        const Subshell copy(*this);
        if (anywhere)
            m_state.positional = anyParameters();
        const std::size_t mark = m_variables.mark();
        m_via.emplace_back("trap");
        runText(text, m_dialect, run.words[from].value.span);
        m_via.pop_back();
        if (between && !m_variables.writtenSince(mark).empty())
            note(DynamicReason::Program, run.span, "trap");
        m_variables.keep();
    }
    --m_repeats;
    m_variables.keepInMind();
    if (m_deferred.size() <= maxDeferred)
        m_deferred.push_back({text, run.words[from].value.span, m_dialect, anywhere});
}

} // namespace portcullis::shell
