// SPDX-License-Identifier: Apache-2.0

// Programs: from words to invocations, and the flow of data between them.

#include "runner/shell/evaluator.h"

#include "runner/shell/setup_output.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

constexpr std::array<std::string_view, 52> guessable{
    "sudo",    "su",      "doas",        "pkexec",  "run0",   "sudoedit", "runuser",  "setpriv", "nsenter",
    "unshare", "chroot",  "systemd-run", "bash",    "sh",     "dash",     "zsh",      "ksh",     "rm",
    "shred",   "dd",      "mkfs",        "wipefs",  "reboot", "shutdown", "poweroff", "halt",    "kexec",
    "nc",      "ncat",    "netcat",      "socat",   "nmap",   "masscan",  "telnet",   "curl",    "wget",
    "scp",     "sftp",    "pkill",       "killall", "insmod", "modprobe", "iptables", "crontab", "xmrig",
    "useradd", "usermod", "userdel",     "visudo",  "chmod",  "chown",    "busybox"};

constexpr std::array<std::string_view, 12> catalogueVerbs{"install", "add",      "remove", "uninstall",
                                                          "search",  "show",     "info",   "upgrade",
                                                          "update",  "describe", "help",   "reinstall"};

std::string_view baseOf(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool plausibleName(std::string_view name)
{
    return !name.empty() && std::ranges::all_of(name, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_'
            || c == '+' || c == '-';
    });
}

bool systemDirectory(std::string_view path)
{
    static constexpr std::array<std::string_view, 8> folders{
        "/bin/", "/sbin/", "/usr/bin/", "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/", "/opt/", "/lib"};
    return std::ranges::any_of(folders, [&](std::string_view folder) { return path.starts_with(folder); });
}

/// The base names that the command word can stand for: its own, or those of well-known programs that its pattern finds.
std::vector<std::string_view> namesOf(const Field &word, Dialect dialect)
{
    const Value &value = word.value;
    if (value.text.starts_with("/proc/") && value.text.ends_with("/exe") && std::ranges::count(value.text, '/') == 3)
        return {dialect == Dialect::Bash ? "bash" : "sh"}; // the shell that starts it, whatever process is meant
    const std::size_t slash = value.text.rfind('/');
    const std::size_t base = slash == std::string::npos ? 0 : slash + 1;
    const auto inBase = [&](std::uint32_t offset) { return offset >= base; };
    if (std::ranges::any_of(value.gaps, inBase))
        return {};
    if (std::ranges::none_of(value.globs, inBase))
        return {std::string_view(value.text).substr(base)};
    Value last = word.from(base).value;
    last.gaps.clear();
    std::vector<std::string_view> names;
    for (const std::string_view name : wellKnownPrograms()) {
        if (patternCanBe(last, name))
            names.push_back(name);
    }
    constexpr std::size_t tooMany = 4;
    return names.size() > tooMany ? std::vector<std::string_view>{} : names;
}

std::size_t hashOf(const Invocation &invocation)
{
    std::size_t hash =
        std::hash<std::string_view>{}(invocation.program.text) ^ (invocation.span.start * 0x9e3779b97f4a7c15ULL);
    for (const Value &arg : invocation.args)
        hash = hash * 31 + std::hash<std::string_view>{}(arg.text);
    return hash;
}

bool equal(const Value &a, const Value &b)
{
    return a.text == b.text && a.gaps == b.gaps && a.globs == b.globs;
}

bool equal(const Invocation &a, const Invocation &b)
{
    return a.span == b.span && a.name == b.name && equal(a.program, b.program) && a.cwd == b.cwd && a.via == b.via
        && a.guessed == b.guessed && a.redirects.size() == b.redirects.size() && a.assigns.size() == b.assigns.size()
        && std::ranges::equal(a.args, b.args, [](const Value &x, const Value &y) { return equal(x, y); })
        && std::ranges::equal(a.redirects, b.redirects,
                              [](const Redirection &x, const Redirection &y) { return equal(x.target, y.target); })
        && a.input.has_value() == b.input.has_value() && (!a.input || equal(*a.input, *b.input));
}

} // namespace

void Evaluator::dispatch(Run run)
{
    if (run.words.empty() || m_stopped)
        return;
    if (m_depth >= m_limits.nesting) {
        beyondLimits(run.span, {});
        return;
    }
    const std::vector<std::string_view> names = namesOf(run.words.front(), m_dialect);
    if (names.size() == 1) {
        const std::string name(names.front());
        start(name, run);
        return;
    }
    const std::size_t pending = run.pending;
    if (names.empty()) {
        const std::uint32_t invocation = emit(run, {}, false);
        unknownProgram(run, invocation);
        pendingOutputs(invocation, pending, {Gapped::unknown()});
        return;
    }
    note(DynamicReason::Program, run.words.front().value.span, run.words.front().value.text);
    for (const std::string_view name : names) {
        Run copy = run;
        start(std::string(name), copy);
    }
}

void Evaluator::start(const std::string &name, Run &run)
{
    const ProgramInfo *info = programInfo(name);
    const bool pathGiven = run.words.front().value.text.find('/') != std::string::npos;
    const Builtin which = info != nullptr ? info->builtin : Builtin::None;
    const bool isBuiltin = which != Builtin::None && !pathGiven && !run.noBuiltins;
    const std::uint32_t invocation = emit(run, name, isBuiltin);
    if (m_stopped)
        return;
    const std::size_t pending = run.pending;
    ++m_depth;
    bool done = false;
    if (isBuiltin)
        done = mayFail(which, name, run) ? doubtfulBuiltin(which, run, invocation) : builtin(which, run, invocation);
    else if (info != nullptr && info->shell)
        shell(name, run, invocation);
    if (!isBuiltin && info != nullptr && info->launcher != nullptr)
        launch(*info->launcher, run, invocation);
    if (!isBuiltin && info != nullptr && info->interpreter != nullptr)
        interpret(*info->interpreter, run, invocation);
    if (!isBuiltin) {
        manifests(name, run, invocation);
        ownFiles(name, run, invocation);
    }
    if (!isBuiltin && info == nullptr && name.starts_with("ld-linux"))
        launchWords(run, loaderProgram(run), invocation, "ld.so");
    if (!isBuiltin) {
        if (const std::string *program = calledProgram(run)) {
            Run nested = run;
            nested.words.front() = Field::fromGapped(Gapped(*program), run.words.front().value.span);
            launchWords(nested, 0, invocation, name);
        }
    }
    if (info == nullptr) {
        namedCommandOptions(run, invocation);
        if (pathGiven && !systemDirectory(run.words.front().value.text))
            runFile(run.words.front(), invocation, run, std::nullopt);
        if (!printsSetup(m_result.invocations[invocation]))
            guess(run);
    } else if (info->runsScript) {
        note(DynamicReason::Script, run.words.front().value.span, name);
    }
    if (!run.assigns.empty())
        environmentPrograms(run, invocation);
    --m_depth;
    if (!done)
        wroteOutput(invocation, run);
    if (!isBuiltin || info->data)
        noteFileWrites(name, invocation, run);
    if (m_pendingOutputs.size() > pending) {
        Choices written{Gapped::unknown()};
        if (name == "echo" || name == "printf" || name == "tee" || name == "cat")
            written = outputOf(name, run).value_or(written);
        pendingOutputs(invocation, pending, written);
    }
    m_lastArgument = run.words.back().gapped();
}

std::uint32_t Evaluator::emit(const Run &run, std::string_view name, bool builtin)
{
    if (m_result.invocations.size() >= m_limits.invocations) {
        if (!m_stopped)
            beyondLimits(run.span, std::string(name));
        m_stopped = true;
        return 0;
    }
    Invocation invocation;
    invocation.program = run.words.front().value;
    invocation.name = name;
    invocation.args.reserve(run.words.size() - 1);
    std::uint64_t bytes = 20;
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        invocation.args.push_back(run.words[i].value);
        bytes += run.words[i].value.text.size() + 30;
    }
    spend(bytes);
    invocation.assigns = run.assigns;
    invocation.redirects = run.redirects;
    invocation.via = m_via;
    invocation.dialect = m_dialect;
    invocation.builtin = builtin;
    invocation.background = m_background;
    invocation.fromInterpreter = m_fromInterpreter;
    invocation.guessed = m_guessed;
    invocation.span = run.span;
    const Input *input = stdinOf(run);
    if (input != nullptr && input->text.size() == 1
        && (input->text.front().known() || !input->text.front().text.empty())) {
        spend(input->text.front().text.size());
        invocation.input = Field::fromGapped(input->text.front(), run.span).value;
    }
    // Directories that it may be in: one invocation each; flows belong to the first.
    for (std::size_t i = m_state.cwds->size() - 1; i > 0; --i) {
        Invocation copy = invocation;
        copy.cwd = (*m_state.cwds)[i];
        add(std::move(copy));
    }
    invocation.cwd = m_state.cwds->front();
    const std::uint32_t first = add(std::move(invocation));
    flowsInto(first, run);
    return first;
}

std::uint32_t Evaluator::add(Invocation invocation)
{
    const auto index = static_cast<std::uint32_t>(m_result.invocations.size());
    if (m_repeats > 0) {
        const std::size_t hash = hashOf(invocation);
        const auto [begin, end] = m_seen.equal_range(hash);
        for (auto at = begin; at != end; ++at) {
            if (equal(m_result.invocations[at->second], invocation))
                return at->second;
            if (!spend(10))
                break;
        }
        m_seen.emplace(hash, index);
    }
    m_result.invocations.push_back(std::move(invocation));
    return index;
}

const Input *Evaluator::stdinOf(const Run &run) const
{
    return run.hasStdin ? &run.stdinText : m_input;
}

void Evaluator::addFlow(std::uint32_t from, std::uint32_t to, bool asCode, bool asArgument)
{
    const bool file = isFileSource(from);
    if (from == noSource || from == to || (file ? asCode : from >= m_result.invocations.size()) || !spend(8))
        return;
    if (asCode && printsSetup(m_result.invocations[from]))
        return;
    if (m_repeats > 0 && !m_seenFlows.emplace(from, to, asCode, asArgument).second)
        return;
    if (file) {
        m_result.fileFlows.push_back({m_sourceFiles.at(from - firstFileSource), to, asArgument});
        return;
    }
    m_result.flows.push_back({from, to, asCode, asArgument});
}

void Evaluator::flowsInto(std::uint32_t invocation, const Run &run)
{
    if (const Input *input = stdinOf(run)) {
        for (const std::uint32_t producer : input->producers)
            addFlow(producer, invocation, false, false);
        addFlow(input->file, invocation, false, false);
    }
    for (const Field &word : run.words) {
        for (const std::uint32_t source : word.sources)
            addFlow(source, invocation, false, true);
        if (!m_processInputs.empty()) {
            if (const auto process = m_processInputs.find(word.value.text); process != m_processInputs.end()) {
                for (const std::uint32_t producer : process->second.producers)
                    addFlow(producer, invocation, false, false);
            }
        }
    }
}

void Evaluator::closeFlows()
{
    std::vector<std::vector<std::uint32_t>> into(m_result.invocations.size());
    std::vector<Flow> work;
    std::set<std::pair<std::uint32_t, std::uint32_t>> known;
    for (const Flow &flow : m_result.flows) {
        into[flow.to].push_back(flow.from);
        if (flow.asCode && known.emplace(flow.from, flow.to).second)
            work.push_back(flow);
    }
    while (!work.empty()) {
        const Flow flow = work.back();
        work.pop_back();
        for (const std::uint32_t source : into[flow.from]) {
            if (source == flow.to || !spend(16) || !known.emplace(source, flow.to).second)
                continue;
            work.push_back({source, flow.to, true, false});
            m_result.flows.push_back(work.back());
        }
    }
}

void Evaluator::unknownProgram(Run &run, std::uint32_t invocation)
{
    const Field &word = run.words.front();
    note(DynamicReason::Program, word.value.span, word.value.text);
    m_unknownRan = true;
    const auto byProgram = [](std::uint32_t source) { return source < firstFileSource; };
    if (m_text->source.marked && std::ranges::all_of(word.sources, byProgram))
        construct(Construct::EvalUnknown, word.value.span, word.value.text);
    // What a program printed is the command itself.
    for (std::size_t i = 0; i < word.sources.size() && i < word.value.gaps.size() && word.value.gaps[i] == 0; ++i)
        addFlow(word.sources[i], invocation, true, false);
    if (const auto written = m_files.find(fileKey(word.value)); written != m_files.end())
        addFlow(written->second.writer, invocation, true, false);
    guess(run);
    wroteOutput(invocation, run);
}

void Evaluator::guess(const Run &run)
{
    const std::string_view own = baseOf(run.words.front().value.text);
    const bool spelled = !run.words.front().value.text.empty() && run.words.front().value.known();
    if ((!plausibleName(own) && spelled) || m_guessed)
        return;
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const Value &word = run.words[i].value;
        if (std::ranges::find(catalogueVerbs, word.text) != catalogueVerbs.end())
            return;
        // A text that begins like a command may be one, or be about one.
        if (word.known() && word.text.contains(' ')
            && std::ranges::contains(guessable, baseOf(std::string_view(word.text).substr(0, word.text.find(' ')))))
            note(DynamicReason::Script, word.span, word.text);
        const std::string_view name = baseOf(word.text);
        if (!word.known() || (name.size() != word.text.size() && !systemDirectory(word.text))
            || std::ranges::find(guessable, name) == guessable.end())
            continue;
        Run nested = run;
        nested.words.erase(nested.words.begin(), nested.words.begin() + static_cast<std::ptrdiff_t>(i));
        nested.noFunctions = true;
        nested.noBuiltins = true;
        nested.command = nullptr;
        nested.pending = m_pendingOutputs.size();
        m_guessed = true;
        note(DynamicReason::Program, word.span, std::string(name));
        m_via.emplace_back(own);
        dispatch(std::move(nested));
        m_via.pop_back();
        m_guessed = false;
        return;
    }
}

} // namespace portcullis::shell
