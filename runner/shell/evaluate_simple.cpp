// SPDX-License-Identifier: Apache-2.0

// One simple command: words, assignments, redirections, aliases and functions.

#include "runner/base/identifier.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

constexpr std::array<std::string_view, 14> specialBuiltins{":",      ".",        "eval",   "exec", "exit",
                                                           "export", "readonly", "return", "set",  "shift",
                                                           "source", "times",    "trap",   "unset"};

bool isLiteral(const Word &word, std::string_view text)
{
    return word.pieces.size() == 1 && word.pieces.front().kind == Piece::Kind::Text && word.pieces.front().text == text;
}

bool isDeclarationName(std::string_view name)
{
    static constexpr std::array<std::string_view, 6> names{"alias", "declare", "typeset",
                                                           "local", "export",  "readonly"};
    return std::ranges::contains(names, name);
}

/// Whether bash takes the assignments among the arguments as assignments.
bool isDeclaration(std::span<const Word> words)
{
    std::size_t at = 0;
    while (at < words.size() && (isLiteral(words[at], "command") || isLiteral(words[at], "builtin")))
        ++at;
    return at < words.size() && words[at].pieces.size() == 1 && words[at].pieces.front().kind == Piece::Kind::Text
        && isDeclarationName(words[at].pieces.front().text);
}

/// An expansion that a POSIX shell refuses: "bad substitution".
bool isOfBash(const Piece &piece)
{
    static constexpr std::array<std::string_view, 11> operators{"/", "//", "/#", "/%", "^", "^^",
                                                                ",", ",,", ":",  "@",  "~"};
    return piece.parameter != nullptr
        && (piece.parameter->indirect || piece.parameter->subscripted
            || std::ranges::contains(operators, piece.parameter->op)
            || (piece.parameter->op.empty() && !piece.parameter->operand.pieces.empty())
            || piece.parameter->name.empty());
}

/// `NAME=` or `NAME+=` at the start, not quoted.
bool writtenAssignment(const Word &word)
{
    if (word.pieces.empty() || word.pieces.front().kind != Piece::Kind::Text || word.pieces.front().quoted)
        return false;
    const std::string_view text = word.pieces.front().text;
    const std::string_view name = text.substr(0, text.find('='));
    return name.size() < text.size()
        && std::ranges::all_of(name, [](char c) { return isIdentifierByte(c) || c == '+' || c == '[' || c == ']'; });
}

} // namespace

void Evaluator::simple(const Command &command)
{
    const std::size_t pending = m_pendingOutputs.size();
    Lines lines(1);
    // A POSIX shell splits these too.
    const bool declares = m_dialect == Dialect::Bash && isDeclaration(command.words);
    for (const auto &word : command.words) {
        m_wordsLeftOut = false;
        expandArgument(word, lines, declares && writtenAssignment(word));
        if (m_wordsLeftOut && &word == &command.words.front())
            beyondLimits(map(word.span), {});
    }
    if (m_stopped || m_state.ended != ShellState::Ended::No)
        return;
    if (lines.size() == 1) {
        runLine(command, std::move(lines.front()), pending);
        if (m_failureEnds)
            mayEnd();
        return;
    }
    ++m_repeats;
    BranchSet branches(*this);
    for (auto &line : lines) {
        branches.begin();
        runLine(command, std::move(line), pending);
        branches.end();
    }
    branches.finish(false);
    --m_repeats;
    if (m_failureEnds)
        mayEnd();
}

void Evaluator::runLine(const Command &command, std::vector<Field> words, std::size_t pending)
{
    Run run;
    run.words = std::move(words);
    run.command = &command;
    run.span = map(command.span);
    if (run.words.empty()) {
        const std::size_t mark = m_variables.mark();
        for (const Assign &each : command.assigns)
            assign(each, false);
        for (const Redirect &each : command.redirects)
            redirect(each, run);
        if (std::ranges::any_of(run.redirects, mayFailToOpen))
            m_variables.weaken(mark);
        else
            m_variables.keep();
        for (const Redirection &each : run.redirects) {
            if (each.op.starts_with('>') && each.target.known())
                wroteFile(each.target.text, {Gapped()}, noSource);
        }
        std::ranges::move(run.redirects, std::back_inserter(m_result.redirections));
        m_lastArgument = {};
        m_bareInput = run.stdinFile ? std::optional(run.stdinText) : std::nullopt;
        pendingOutputs(noSource, pending, {Gapped::unknown()});
        return;
    }
    // Assignments before a command hold for it alone; in POSIX shells they stay after a special builtin.
    const bool stays = m_dialect == Dialect::Sh
        && std::ranges::find(specialBuiltins, run.words.front().value.text) != specialBuiltins.end();
    // So they do in bash when the builtin declares them, and in its posix mode.
    const bool perhapsStays = !command.assigns.empty() && m_dialect == Dialect::Bash
        && (m_posix || m_variables.find("POSIXLY_CORRECT", m_level) != nullptr || isDeclaration(command.words)
            || isDeclarationName(run.words.front().value.text));
    const std::size_t outerTemporary = m_temporary.size();
    for (const Assign &each : command.assigns) {
        const Variable *before = m_variables.find(each.name, m_level);
        if (!stays)
            m_temporary.emplace_back(each.name, before != nullptr ? *before : m_variables.original(each.name));
        const std::size_t from = m_result.assignments.size();
        assign(each, true);
        if (stays)
            continue;
        // Told with the invocation, not as one that stays.
        run.assigns.insert(
            run.assigns.end(),
            std::make_move_iterator(m_result.assignments.begin()
                                    + static_cast<std::ptrdiff_t>(std::min(from, m_result.assignments.size()))),
            std::make_move_iterator(m_result.assignments.end()));
        m_result.assignments.resize(std::min(from, m_result.assignments.size()));
        if (run.assigns.empty() || run.assigns.back().name != each.name)
            run.assigns.push_back({each.name, {}, true, map(each.span)});
    }
    for (const Redirect &each : command.redirects)
        redirect(each, run);
    run.pending = pending;
    startRun(std::move(run));
    for (; m_temporary.size() > outerTemporary; m_temporary.pop_back()) {
        auto &[name, value] = m_temporary.back();
        if (perhapsStays)
            m_variables.edit(name).add(value);
        else
            uncover(name, std::move(value));
    }
}

void Evaluator::redirect(const Redirect &redirect, Run &run)
{
    const bool document = redirect.op == "<<" || redirect.op == "<<-";
    const Word &word = document && redirect.body ? *redirect.body : redirect.target;
    const Span span = map(redirect.span);
    const std::size_t fds = m_processInputs.size();
    Choices values;
    std::vector<Field> targets;
    if (document || redirect.op == "<<<") {
        m_documents += document ? 1 : 0;
        values = expandText(word, WordUse::Single);
        m_documents -= document ? 1 : 0;
        if (document && m_dialect == Dialect::Sh && std::ranges::any_of(word.pieces, isOfBash))
            addChoice(values, Gapped()); // dash expands it in a process of its own, which ends at an error
        for (const Gapped &value : values)
            targets.push_back(Field::fromGapped(value, span));
    } else {
        Lines lines(1);
        expandArgument(word, lines);
        for (auto &line : lines) {
            if (!line.empty())
                targets.push_back(std::move(line.front()));
        }
    }
    for (const Field &target : targets)
        run.redirects.push_back({redirect.op, redirect.fd, target.value, span});
    if (redirect.fd.starts_with('{') && (targets.empty() || targets.front().value.text != "-"))
        storeInto(Gapped(redirect.fd.substr(1, redirect.fd.size() - 2)), Variable::of({Gapped::unknown()}), span);
    const bool fromStdin = redirect.op[0] == '<' && (redirect.fd.empty() || redirect.fd == "0");
    if (redirect.op == "<<<") {
        for (Gapped &value : values)
            value.append(Gapped("\n"));
    }
    if (fromStdin) {
        run.hasStdin = true;
        run.stdinText = {{Gapped::unknown()}, {}};
        if (!values.empty()) {
            for (const Gapped &value : values) {
                for (const Gap &gap : value.gaps) {
                    if (isFileSource(gap.source))
                        run.stdinText.file = gap.source;
                    else if (gap.source != noSource)
                        run.stdinText.producers.push_back(gap.source);
                }
            }
            run.stdinText.text = std::move(values);
        } else if (!targets.empty()) {
            const std::string &path = targets.front().value.text;
            if (const auto process = m_processInputs.find(path);
                process != m_processInputs.end() && m_processInputs.size() > fds)
                run.stdinText = process->second;
            else if (redirect.op == "<" || redirect.op == "<>")
                run.stdinText = fileInput(targets.front().value);
            else if (const auto open = m_descriptors.find(path); open != m_descriptors.end())
                run.stdinText = open->second;
            else if (redirect.target.pieces.empty() || path == "-")
                run.stdinText = {};
            run.stdinFile = redirect.op == "<" || redirect.op == "<>";
        }
    } else if (redirect.op.starts_with("<<")) {
        m_descriptors[redirect.fd] = {.text = std::move(values), .producers = {}};
    } else if (redirect.op == "<" && !targets.empty()) {
        m_descriptors[redirect.fd] = fileInput(targets.front().value);
    }
    // What is written through another descriptor is not followed.
    if ((redirect.op.starts_with('>') || redirect.op == "<>") && !redirect.op.ends_with('&') && !redirect.fd.empty()
        && redirect.fd != "1") {
        for (const Field &target : targets) {
            if (target.value.known())
                m_files.erase(absolute(target.value.text));
        }
    }
    const bool toStdout =
        (redirect.op[0] == '>' && (redirect.fd.empty() || redirect.fd == "1")) || redirect.op.starts_with("&>");
    if (toStdout && (targets.empty() || targets.front().value.text != "1")
        && (targets.empty() || targets.front().value.text != "/dev/stdout"))
        run.hidesOutput = true;
}

void Evaluator::startRun(Run run)
{
    if (run.words.empty())
        return;
    if ((!m_aliases->empty() || !m_lineAliases->empty()) && tryAlias(run))
        return;
    if (!run.noFunctions && !m_functions.empty() && tryFunction(run))
        return;
    dispatch(std::move(run));
}

bool Evaluator::tryFunction(Run &run)
{
    const Value &word = run.words.front().value;
    if (!word.known())
        return false;
    const auto found = m_functions.find(word.text);
    if (found == m_functions.end())
        return false;
    bool any = false;
    bool certain = false;
    for (const Function &function : found->second) {
        const bool visible = function.level == m_level || function.exported;
        any = any || visible;
        certain = certain || (visible && function.certain);
    }
    if (!any)
        return false;
    Positional args;
    args.zero = m_state.positional->front().zero;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.values.push_back(run.words[i].gapped());
    const std::string name = word.text;
    const Sink local = redirected(run, [&] { callFunction(name, args, certain); });
    m_lastArgument = m_dialect == Dialect::Bash ? run.words.back().gapped() : Gapped::unknown();
    pendingOutputs(local.producers.empty() ? noSource : local.producers.back(), run.pending, local.text);
    std::ranges::copy(run.redirects, std::back_inserter(m_result.redirections));
    return certain;
}

void Evaluator::callFunction(const std::string &name, const Positional &args, bool certain)
{
    std::vector<std::size_t> visible;
    const auto &definitions = m_functions[name];
    for (std::size_t i = 0; i < definitions.size(); ++i) {
        if (definitions[i].level == m_level || definitions[i].exported)
            visible.push_back(i);
    }
    if (visible.size() == 1 && certain) {
        callDefinition(name, visible.front(), args);
        return;
    }
    BranchSet branches(*this);
    for (const std::size_t each : visible) {
        if (m_stopped)
            break;
        branches.begin();
        callDefinition(name, each, args);
        branches.end();
    }
    branches.finish(!certain);
}

void Evaluator::callDefinition(const std::string &name, std::size_t which, const Positional &args)
{
    // Others may be added while it runs, but none goes.
    const Function definition = m_functions[name][which];
    if (definition.active > 0) {
        // It starts itself: in two places, one of them aside, is a fork bomb.
        m_selfStarts += 1;
        m_selfStartsAside += m_pipes > 0 || m_background ? 1 : 0;
        note(DynamicReason::Loop, map(definition.body->span), name);
        if (m_selfStarts > 1 && m_selfStartsAside > 0)
            construct(Construct::ForkBomb, definition.text->source.map(definition.body->span), name);
        // With other parameters it may do something else: followed once.
        const auto &around = *m_state.positional;
        if (definition.active > 1 || (around.size() == 1 && around.front() == args))
            return;
    }
    if (m_depth + 1 >= m_limits.nesting || !spend(100)) {
        beyondLimits(map(definition.body->span), name);
        return;
    }
    const Leavable returns(*this, Leavable::Kind::Function);
    const auto outerPositional =
        std::exchange(m_state.positional, std::make_shared<const std::vector<Positional>>(1, args));
    const ReadText *outerText = std::exchange(m_text, definition.text);
    const std::uint32_t outerStarts = std::exchange(m_selfStarts, 0);
    const std::uint32_t outerAside = std::exchange(m_selfStartsAside, 0);
    const std::uint32_t outerPipes = std::exchange(m_pipes, 0);
    const bool outerBackground = std::exchange(m_background, false);
    const auto outerAliases = std::exchange(m_lineAliases, definition.aliases);
    m_functions[name][which].called = true;
    ++m_functions[name][which].active;
    ++m_repeats;
    ++m_depth;
    m_locals.emplace_back();
    m_callers.push_back(outerPositional);
    for (const auto &each : definition.body->bodies) {
        if (definition.body->redirects.empty())
            script(*each);
        else
            withRedirects(*definition.body, [&] { script(*each); });
    }
    for (auto &[variable, value] : m_locals.back())
        uncover(variable, std::move(value));
    m_locals.pop_back();
    m_callers.pop_back();
    --m_depth;
    --m_repeats;
    --m_functions[name][which].active;
    m_lineAliases = outerAliases;
    m_background = outerBackground;
    m_pipes = outerPipes;
    m_selfStarts = outerStarts;
    m_selfStartsAside = outerAside;
    m_text = outerText;
    m_state.positional = outerPositional;
    if (m_state.ended == ShellState::Ended::Return)
        m_state.ended = ShellState::Ended::No;
}

void Evaluator::defineFunction(const Command &command)
{
    Function function;
    function.body = &command;
    function.text = m_text;
    function.level = m_level;
    function.aliases = m_lineAliases;
    auto &definitions = m_functions[command.name];
    const bool active = std::ranges::any_of(definitions, [](const Function &each) { return each.active > 0; });
    if (m_conditional == 0 && !active && m_repeats == 0 && !mayHaveLeft() && !m_fixedFunctions.contains(command.name))
        definitions.clear();
    // A loop that defines it in every round defines it once.
    if (std::ranges::contains(definitions, &command, &Function::body))
        return;
    if (definitions.size() < maxChoices)
        definitions.push_back(function);
    else
        beyondLimits(map(command.span), command.name);
    m_definitions.push_back(command.name);
    if (command.name == "command_not_found_handle") {
        Positional unfound; // the words of any command, whose name says nothing about what becomes of it
        unfound.openEnded = true;
        callFunction(command.name, unfound, false);
    }
}

void Evaluator::uncalledFunctions()
{
    // A word or text that is not known ran, and it may have been the name of any function.
    if (!m_unknownRan)
        return;
    std::vector<std::string> names;
    for (const auto &[name, definitions] : m_functions) {
        if (std::ranges::none_of(definitions, &Function::called))
            names.push_back(name);
    }
    for (const std::string &name : names) {
        const std::uint32_t level = m_functions[name].front().level;
        const std::uint32_t outer = std::exchange(m_level, level);
        const Subshell copy(*this);
        m_state.ended = ShellState::Ended::No;
        Positional open;
        open.openEnded = true;
        callFunction(name, open, false);
        m_level = outer;
    }
}

} // namespace portcullis::shell
