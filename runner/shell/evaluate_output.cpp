// SPDX-License-Identifier: Apache-2.0

// What programs write: to standard output where constants tell, and to files with constant names.

#include "runner/shell/evaluator.h"

#include "runner/shell/option_table.h"
#include "runner/shell/setup_output.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

std::string Evaluator::absolute(std::string_view path) const
{
    std::string whole;
    if (!path.starts_with('/') && !m_state.cwds->empty() && m_state.cwds->front())
        whole = *m_state.cwds->front() + "/";
    whole += path;
    return normalised(whole);
}

std::string normalised(std::string_view path)
{
    std::vector<std::string_view> parts;
    std::size_t at = 0;
    while (at < path.size()) {
        const std::size_t end = std::min(path.find('/', at), path.size());
        const std::string_view part = path.substr(at, end - at);
        if (part == ".." && !parts.empty() && parts.back() != "..")
            parts.pop_back();
        else if (!part.empty() && part != "." && !(part == ".." && path.starts_with('/')))
            parts.push_back(part);
        at = end + 1;
    }
    std::string result;
    for (const std::string_view part : parts) {
        if (!result.empty() || path.starts_with('/'))
            result += '/';
        result += part;
    }
    return result.empty() ? (path.starts_with('/') ? "/" : ".") : result;
}

namespace {

/// The words after a program that tells where others are: `which NAME`, `command -v NAME`, `type -P NAME`; none when
/// it does something else.
std::span<const Field> lookedUp(std::string_view name, std::span<const Field> words)
{
    std::size_t at = 1;
    bool paths = name == "which";
    for (; at < words.size() && words[at].value.text.starts_with('-'); ++at) {
        const std::string &option = words[at].value.text;
        paths = paths || (name == "command" && option.ends_with('v'))
            || (name == "type" && option.find_first_of("pP") != std::string::npos);
    }
    return words.subspan(paths ? at : words.size());
}

} // namespace

std::optional<Choices> Evaluator::lookupOutput(std::string_view name, const Run &run)
{
    const std::span<const Field> asked = lookedUp(name, run.words);
    if (asked.empty())
        return std::nullopt;
    Gapped text;
    for (const Field &word : asked) {
        if (!word.value.known() || word.value.isPattern() || word.value.text.empty())
            return std::nullopt;
        // Where it is does not matter to what it is; a builtin has no file.
        const ProgramInfo *info = programInfo(word.value.text);
        const bool bare =
            word.value.text.contains('/') || (name == "command" && info != nullptr && info->builtin != Builtin::None);
        text.text += (bare ? "" : "/usr/bin/") + word.value.text + "\n";
    }
    return Choices{std::move(text)};
}

std::optional<Choices> Evaluator::gitFolderOutput(const Run &run)
{
    if (run.words.size() < 3 || run.words[1].value.text != "rev-parse")
        return std::nullopt;
    const std::string &asked = run.words[2].value.text;
    std::string folder;
    if (asked == "--git-dir" || asked == "--git-common-dir")
        folder = ".git";
    else if (asked == "--git-path" && run.words.size() == 4 && run.words[3].value.known())
        folder = ".git/" + run.words[3].value.text;
    // In a linked worktree it lies elsewhere.
    return folder.empty() ? std::nullopt : std::optional(Choices{Gapped(folder + "\n"), Gapped::unknown()});
}

/// dirname(1) of one known path; the command substitution around it may stand where a directory is entered.
static std::optional<Choices> dirnameOutput(const Run &run)
{
    const std::size_t operand = run.words.size() == 3 && run.words[1].value.text == "--" ? 2 : 1;
    if (run.words.size() != operand + 1 || !run.words[operand].value.known() || run.words[operand].value.isPattern())
        return std::nullopt;
    std::string_view path = run.words[operand].value.text;
    while (path.size() > 1 && path.ends_with('/'))
        path.remove_suffix(1);
    const std::size_t slash = path.rfind('/');
    if (slash == std::string_view::npos || path == "/")
        return Choices{Gapped(path == "/" ? "/\n" : ".\n")};
    path = path.substr(0, slash);
    while (path.ends_with('/'))
        path.remove_suffix(1);
    return Choices{Gapped(path.empty() ? "/\n" : std::string(path) + "\n")};
}

std::optional<Choices> Evaluator::outputOf(std::string_view name, const Run &run) const
{
    static constexpr std::array<std::string_view, 30> silent{
        ":",     "true",  "false", "test",  "[",       "cd",  "pushd", "exit",  "return",   "set",
        "shift", "shopt", "unset", "read",  "mapfile", "let", "wait",  "break", "continue", "umask",
        "mkdir", "rm",    "touch", "chmod", "chown",   "ln",  "cp",    "mv",    "unalias",  "sleep"};
    // Programs of these names take escapes as bash does.
    const bool program = run.noBuiltins || run.words.front().value.text.contains('/');
    const Dialect dialect = program ? Dialect::Bash : m_dialect;
    if (name == "echo") {
        const auto escape = [](const Field &word) { return word.value.text.contains('\\'); };
        if (m_echoEscapes && std::ranges::any_of(run.words, escape))
            return std::nullopt;
        if (auto text = echoOutput(run, dialect))
            return Choices{std::move(*text)};
    } else if (name == "printf") {
        if (run.words.size() > 2 && run.words[1].value.text == "-v")
            return Choices{Gapped()};
        if (auto text = printfOutput(std::span(run.words).subspan(1), dialect))
            return Choices{std::move(*text)};
    } else if (name == "pwd" && run.words.size() == 1) {
        Choices result;
        for (const auto &cwd : *m_state.cwds)
            addChoice(result, cwd ? Gapped(*cwd + "\n") : Gapped::unknown());
        return result;
    } else if (name == "cat" || name == "tee") {
        const bool copies =
            name == "tee" || run.words.size() == 1 || (run.words.size() == 2 && run.words[1].value.text == "-");
        if (const Input *input = stdinOf(run); copies && input != nullptr)
            return input->text;
        if (name == "cat" && run.words.size() == 2 && run.words[1].value.known()) {
            const std::string &path = run.words[1].value.text;
            if (const auto process = m_processInputs.find(path); process != m_processInputs.end())
                return process->second.text;
            if (const auto written = m_files.find(absolute(path)); written != m_files.end())
                return written->second.text;
        }
    } else if (name == "which" || name == "command" || name == "type") {
        return lookupOutput(name, run);
    } else if (name == "git") {
        return gitFolderOutput(run);
    } else if (name == "dirname") {
        return dirnameOutput(run);
    } else if (std::ranges::find(silent, name) != silent.end()) {
        return Choices{Gapped()};
    }
    return std::nullopt;
}

/// Whether the redirection leads standard output into a file with a known name.
static bool takesOutput(const Redirection &redirection)
{
    const std::string &op = redirection.op;
    const bool stdoutToo = op.starts_with('>') ? redirection.fd.empty() || redirection.fd == "1" : op.starts_with("&>");
    return stdoutToo && op != ">&" && redirection.target.known() && !redirection.target.text.empty();
}

void Evaluator::wroteOutput(std::uint32_t invocation, const Run &run)
{
    const bool toSink = m_sink != nullptr && !run.hidesOutput;
    if (toSink && (m_sink->producers.empty() || m_sink->producers.back() != invocation))
        m_sink->producers.push_back(invocation);
    const bool toFile = run.hidesOutput && !run.redirects.empty();
    if ((!toSink && !toFile) || m_stopped)
        return;
    const Invocation &done = m_result.invocations[invocation];
    if (done.opens && !toFile)
        return;
    // What sets up a shell is the program's own text: it stands here as a comment that names it.
    Choices text = printsSetup(done) ? Choices{Gapped("# " + done.name + "\n")}
                                     : outputOf(done.name, run).value_or(Choices{Gapped::unknown(invocation)});
    for (const Gapped &value : text)
        spend(value.text.size());
    if (toSink) {
        appendChoices(m_sink->text, text);
        for (Gapped &value : m_sink->text) {
            if (value.text.size() > m_limits.valueBytes)
                value = Gapped::unknown(invocation);
        }
        return;
    }
    wroteRedirects(run, text, invocation);
    if (done.name != "cat" || run.words.size() != 2)
        return;
    for (const Redirection &each : run.redirects) {
        if (takesOutput(each))
            callProgram(absolute(each.target.text), run.words[1].value);
    }
}

void Evaluator::wroteRedirects(const Run &run, const Choices &text, std::uint32_t writer)
{
    for (const Redirection &each : run.redirects) {
        if (isDownload(writer) && !each.target.known() && each.op.contains('>'))
            m_files.insert_or_assign(fileKey(each.target), Written{{Gapped::unknown()}, writer});
        if (!takesOutput(each))
            continue;
        const auto old = m_files.find(absolute(each.target.text));
        if (!each.op.ends_with(">>") || old == m_files.end() || old->second.writer == noSource) {
            wroteFile(each.target.text, text, writer);
            continue;
        }
        Choices longer = old->second.text;
        appendChoices(longer, text);
        for (Gapped &value : longer)
            spend(value.text.size());
        wroteFile(each.target.text, std::move(longer), writer);
    }
}

void Evaluator::wroteFile(std::string_view path, Choices text, std::uint32_t writer)
{
    const bool doubt = m_conditional > 0 || m_noClobber || mayHaveLeft();
    const auto [at, fresh] = m_files.try_emplace(absolute(path));
    Written &file = at->second;
    if (doubt && !fresh) {
        // The other writer matters more where what it wrote does not show.
        const auto known = [](const Gapped &value) { return value.known(); };
        if (file.writer != noSource && !std::ranges::all_of(file.text, known))
            writer = file.writer;
        addChoices(text, file.text);
    }
    file = {.text = std::move(text), .writer = writer, .certain = fresh ? !doubt : !doubt || file.certain};
}

std::uint32_t Evaluator::fileSource(const Value &file)
{
    const auto same = [&](const Value &known) { return known.span == file.span && known.text == file.text; };
    const auto at = std::ranges::find_if(m_sourceFiles, same);
    const auto index = static_cast<std::uint32_t>(at - m_sourceFiles.begin());
    // The search stays short; of more files than anybody writes, the last ones are one.
    constexpr std::size_t maxFiles = 256;
    if (at != m_sourceFiles.end() || m_sourceFiles.size() >= maxFiles)
        return firstFileSource + std::min(index, static_cast<std::uint32_t>(m_sourceFiles.size() - 1));
    m_sourceFiles.push_back(file);
    return firstFileSource + index;
}

const Input *Evaluator::descriptorInput(std::string_view path, const Run &run) const
{
    if (const auto process = m_processInputs.find(path); process != m_processInputs.end())
        return &process->second;
    if (path == "/dev/stdin")
        return stdinOf(run);
    const bool process = path.starts_with("/proc/") && path.contains("/fd/");
    if (process || path.starts_with("/dev/fd/")) {
        const std::string_view number = path.substr(path.rfind('/') + 1);
        if (number == "0")
            return stdinOf(run);
        const auto open = m_descriptors.find(number);
        return open != m_descriptors.end() ? &open->second : nullptr;
    }
    return nullptr;
}

Input Evaluator::fileInput(const Value &file)
{
    if (const auto written = m_files.find(absolute(file.text)); file.known() && written != m_files.end()) {
        Input input{.text = written->second.text, .producers = {}};
        if (written->second.writer != noSource)
            input.producers.push_back(written->second.writer);
        return input;
    }
    if (file.text == "/dev/null")
        return {};
    // Terminals and what is connected already are no files.
    if (file.text.starts_with("/dev/"))
        return {.text = {Gapped::unknown()}, .producers = {}};
    const std::uint32_t source = fileSource(file);
    return {.text = {Gapped::unknown(source)}, .producers = {}, .file = source};
}

void Evaluator::runFoundFiles(const Field &pattern, std::uint32_t invocation, const Run &run,
                              std::optional<Dialect> dialect)
{
    note(DynamicReason::Script, pattern.value.span, pattern.value.text);
    Value whole = pattern.value;
    const auto start = static_cast<std::uint32_t>(absolute("x").size() - 1);
    if (!whole.text.starts_with('/')) {
        whole.text.insert(0, absolute("x"), 0, start);
        for (std::uint32_t &glob : whole.globs)
            glob += start;
    }
    std::vector<std::string> found;
    for (const auto &[path, written] : m_files) {
        if (spend(path.size() + 20) && patternCanBe(whole, path))
            found.push_back(path);
    }
    for (const std::string &path : found)
        runFile(Field::fromGapped(Gapped(path), pattern.value.span), invocation, run, dialect);
}

void Evaluator::runFile(const Field &file, std::uint32_t invocation, const Run &run, std::optional<Dialect> dialect)
{
    if (file.value.isPattern() && file.value.known()) {
        runFoundFiles(file, invocation, run, dialect);
        return;
    }
    const auto written = m_files.find(fileKey(file.value));
    if (written == m_files.end()) {
        note(DynamicReason::Script, file.value.span, file.value.text);
        return;
    }
    addFlow(written->second.writer, invocation, true, false);
    if (!written->second.certain)
        note(DynamicReason::Script, file.value.span, file.value.text);
    const Choices texts = written->second.text;
    std::vector<Gapped> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].gapped());
    for (const Gapped &text : texts) {
        if (!text.known() && text.text.empty()) {
            note(DynamicReason::Script, file.value.span, file.value.text);
            continue;
        }
        const std::string_view head = std::string_view(text.text).substr(0, text.text.find('\n'));
        if (head.starts_with("#!") && head.find("sh") == std::string_view::npos) {
            std::string_view name = head.substr(head.find_last_of("/ ") + 1);
            const ProgramInfo *info = programInfo(name);
            if (info != nullptr && info->interpreter != nullptr)
                code(info->interpreter->language, Field::fromGapped(text, file.value.span), invocation, run);
            continue;
        }
        if (!dialect && head.starts_with("#!"))
            dialect = head.find("bash") != std::string_view::npos ? Dialect::Bash : Dialect::Sh;
        inChildShell(dialect ? dialect : std::optional(m_dialect), run, args,
                     [&] { runText(text, m_dialect, file.value.span); });
    }
}

} // namespace portcullis::shell
