// SPDX-License-Identifier: Apache-2.0

// Shells inside the command: `sh -c`, scripts on standard input, script files.

#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

/// Where the code stands in an option that plain shells do not have (its length: in the next word), or 0: fish, nu,
/// pwsh.
std::size_t codeOption(std::string_view shell, std::string_view word)
{
    static constexpr std::array<std::string_view, 7> options{"--command", "--commands", "--init-command", "-Command",
                                                             "-command",  "-C",         "--execute"};
    const std::size_t equals = std::min(word.find('='), word.size());
    const bool posix = shell.ends_with("sh") && shell != "fish" && shell != "pwsh" && shell != "xonsh";
    if (posix || !std::ranges::contains(options, word.substr(0, equals)))
        return 0;
    return equals < word.size() ? equals + 1 : equals;
}

} // namespace

void Evaluator::inChildShell(std::optional<Dialect> dialect, const Run &run, std::vector<Gapped> args,
                             const std::function<void()> &body)
{
    if (m_depth >= m_limits.nesting || m_stopped) {
        beyondLimits(run.span, {});
        return;
    }
    const Dialect first = dialect.value_or(Dialect::Bash);
    const Dialect outerDialect = m_dialect;
    const Input *outerInput = m_input;
    Sink *outerSink = m_sink;
    Sink local;
    const bool childAliases = std::exchange(m_childAliases, false);
    const bool outerAliases = m_expandAliases;
    const auto aliases = std::exchange(m_aliases, std::make_shared<const Aliases>());
    const auto lineAliases = std::exchange(m_lineAliases, m_aliases);
    m_repeats += dialect ? 0 : 1;
    for (int pass = 0; pass < (dialect ? 1 : 2); ++pass) {
        const Subshell copy(*this);
        ++m_level;
        m_dialect = pass == 0 ? first : Dialect::Sh;
        const auto posix = [](const Assignment &assign) { return assign.name == "POSIXLY_CORRECT"; };
        m_expandAliases = m_dialect == Dialect::Sh || childAliases || m_variables.find("POSIXLY_CORRECT", m_level)
            || std::ranges::any_of(run.assigns, posix);
        for (const Assignment &assign : run.assigns) {
            Gapped value(assign.value.text);
            for (const std::uint32_t gap : assign.value.gaps)
                value.gaps.push_back({gap, noSource});
            Variable variable = Variable::of({std::move(value)});
            variable.exported = true;
            m_variables.set(assign.name, std::move(variable));
        }
        Positional positional;
        if (!args.empty()) {
            positional.zero = args.front();
            positional.values.assign(args.begin() + 1, args.end());
        }
        m_state.positional = std::make_shared<const std::vector<Positional>>(1, std::move(positional));
        if (run.hasStdin)
            m_input = &run.stdinText;
        if (run.hidesOutput)
            m_sink = &local;
        else if (pass == 1)
            m_sink = nullptr; // what it writes is known from the first reading
        const auto outerLocals = std::exchange(m_locals, {});
        const auto outerCallers = std::exchange(m_callers, {});
        const auto outerUncovered = std::exchange(m_uncovered, {});
        const auto outerFixed = std::exchange(m_fixedFunctions, {});
        body();
        m_fixedFunctions = outerFixed;
        m_uncovered = outerUncovered;
        m_locals = outerLocals;
        m_callers = outerCallers;
        m_input = outerInput;
        m_sink = outerSink;
        --m_level;
    }
    m_repeats -= dialect ? 0 : 1;
    m_aliases = aliases;
    m_lineAliases = lineAliases;
    m_expandAliases = outerAliases;
    m_dialect = outerDialect;
    if (run.hidesOutput) {
        for (const Redirection &each : run.redirects) {
            if (each.op.starts_with('>') && each.target.known() && !local.producers.empty())
                wroteFile(each.target.text, local.text, local.producers.back());
        }
    }
}

void Evaluator::shell(std::string_view name, Run &run, std::uint32_t invocation)
{
    const ProgramInfo *info = programInfo(name);
    const std::optional<Dialect> dialect = info != nullptr ? info->dialect : std::nullopt;
    bool command = false;
    bool fromStdin = false;
    bool other = false; // code was given by an option that only some shells have
    bool onlyReads = false; // -n: the shell checks the syntax and runs nothing
    bool mayRun = false; // an option that can take -n back, or that makes an interactive shell, which ignores it
    std::size_t at = 1;
    for (; at < run.words.size(); ++at) {
        const std::string &word = run.words[at].value.text;
        if (!run.words[at].value.known()) {
            if (!command)
                note(DynamicReason::Option, run.words[at].value.span, std::string(name));
            break;
        }
        if (word == "--" || word == "-") {
            ++at;
            break;
        }
        if (const std::size_t code = codeOption(name, word); code > 0) {
            const bool glued = code < word.size();
            at += glued ? 0 : 1;
            if (at < run.words.size())
                shellCode(glued ? run.words[at].from(code) : run.words[at], dialect, run, invocation, {});
            other = true;
            continue;
        }
        if (word.size() < 2 || (word[0] != '-' && word[0] != '+'))
            break;
        if (word.starts_with("--")) {
            m_childAliases = m_childAliases || word == "--posix";
            mayRun = true;
            if (word == "--rcfile" || word == "--init-file") {
                ++at;
                if (at < run.words.size())
                    runFileOrInput(run.words[at], dialect, run, invocation);
            }
            continue;
        }
        onlyReads = onlyReads || word == "-n";
        mayRun = mayRun || word.find_first_of("+ioO") != std::string::npos;
        command = command || (word[0] == '-' && word.find('c') != std::string::npos);
        fromStdin = fromStdin || (word[0] == '-' && word.find('s') != std::string::npos);
        // Each `o` of a cluster takes a word from behind it; in zsh and ksh it takes the rest of a longer one.
        const std::size_t named = word.find('o');
        const bool glued =
            (name == "zsh" || name.ends_with("ksh")) && named != std::string::npos && named + 2 < word.size();
        const auto takes = [](char c) { return c == 'o' || c == 'O'; };
        const std::size_t last = at + (glued ? 0 : static_cast<std::size_t>(std::ranges::count_if(word, takes)));
        for (; at < last; ++at)
            m_childAliases =
                m_childAliases || (at + 1 < run.words.size() && run.words[at + 1].value.text == "expand_aliases");
    }
    static constexpr std::array<std::string_view, 6> checking{"bash", "sh", "dash", "ash", "zsh", "ksh"};
    onlyReads = onlyReads && !mayRun && std::ranges::contains(checking, name);
    if (onlyReads && (at >= run.words.size() || run.words[at].value.known()))
        return;
    std::vector<Gapped> args;
    for (std::size_t i = at + (command ? 1 : 0); i < run.words.size(); ++i)
        args.push_back(run.words[i].gapped());
    m_via.emplace_back(name);
    if (command) {
        if (at < run.words.size())
            shellCode(run.words[at], dialect, run, invocation, std::move(args));
    } else if (other && at >= run.words.size()) {
        m_via.pop_back();
        return;
    } else if (fromStdin || at >= run.words.size()) {
        args.insert(args.begin(), Gapped(std::string(name)));
        shellStdin(dialect, run, invocation, args);
    } else {
        Run script = run;
        script.words.erase(script.words.begin(), script.words.begin() + static_cast<std::ptrdiff_t>(at));
        runFileOrInput(run.words[at], dialect, script, invocation);
    }
    m_via.pop_back();
}

void Evaluator::runFileOrInput(const Field &file, std::optional<Dialect> dialect, const Run &run,
                               std::uint32_t invocation)
{
    const Input *input = descriptorInput(file.value.text, run);
    if (input == nullptr) {
        runFile(file, invocation, run, dialect);
        return;
    }
    Run copy = run;
    copy.hasStdin = true;
    copy.stdinText = *input;
    copy.stdinFile = false;
    std::vector<Gapped> args;
    args.reserve(run.words.size());
    for (const Field &word : run.words)
        args.push_back(word.gapped());
    shellStdin(dialect, copy, invocation, args);
}

void Evaluator::shellStdin(std::optional<Dialect> dialect, Run &run, std::uint32_t invocation,
                           const std::vector<Gapped> &args)
{
    const Input *input = stdinOf(run);
    if (input == nullptr)
        return; // standard input is empty unless something is connected
    const Input content = *input;
    for (const std::uint32_t producer : content.producers)
        addFlow(producer, invocation, true, false);
    m_result.invocations[invocation].opens = true;
    Run inner = run;
    inner.hasStdin = true;
    inner.stdinText = {};
    for (const Gapped &text : content.text) {
        const std::size_t firstGap = text.known() ? std::string::npos : text.gaps.front().offset;
        if (text.text.find_first_not_of(" \t\n") >= firstGap) {
            if (run.stdinFile && content.producers.empty()) {
                note(DynamicReason::Script, run.span, {});
            } else {
                construct(Construct::EvalUnknown, run.span, m_result.invocations[invocation].name);
                m_unknownRan = true;
            }
        }
        const std::string name = m_result.invocations[invocation].name;
        inChildShell(dialect, inner, args, [&] { shellText(name, text, run.span); });
    }
}

void Evaluator::shellCode(const Field &code, std::optional<Dialect> dialect, const Run &run, std::uint32_t invocation,
                          std::vector<Gapped> args)
{
    for (const std::uint32_t source : code.sources)
        addFlow(source, invocation, true, false);
    const Gapped text = code.gapped();
    const std::size_t firstGap = text.known() ? std::string::npos : text.gaps.front().offset;
    const bool blank = text.text.find_first_not_of(" \t\n;") == std::string::npos;
    if ((blank && code.usesUnset) || text.text.find_first_not_of(" \t\n") >= firstGap) {
        if (!text.known() || code.usesUnset) {
            construct(Construct::EvalUnknown, run.span, m_result.invocations[invocation].name);
            m_unknownRan = true;
        }
    }
    if (blank && text.known())
        return;
    m_result.invocations[invocation].opens = true;
    const std::string name = m_result.invocations[invocation].name;
    inChildShell(dialect, run, std::move(args), [&] { shellText(name, text, code.value.span); });
}

} // namespace portcullis::shell
