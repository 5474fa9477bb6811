// SPDX-License-Identifier: Apache-2.0

// Programs that start other programs.

#include "runner/shell/evaluator.h"

#include "runner/shell/option_table.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

namespace portcullis::shell {

namespace {

std::vector<Value> argumentsOf(const Run &run)
{
    std::vector<Value> args;
    args.reserve(run.words.size());
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    return args;
}

bool contains(std::span<const std::string_view> names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

/// The length of a `NAME=` at the start, or 0.
std::size_t assignmentLength(const Value &word)
{
    const std::size_t equals = word.text.find('=');
    if (equals == std::string::npos || equals == 0 || (!word.gaps.empty() && word.gaps.front() <= equals))
        return 0;
    return equals + 1;
}

Gapped valueText(const Value &value)
{
    Gapped text(value.text);
    for (const std::uint32_t gap : value.gaps)
        text.gaps.push_back({gap, noSource});
    return text;
}

/// The items of a text, each with the gaps that stand in it.
Choices itemsOf(const Gapped &text, std::string_view ends)
{
    Choices items;
    for (std::size_t at = 0; at <= text.text.size();) {
        const std::size_t end = std::min(text.text.find_first_of(ends, at), text.text.size());
        Gapped item(text.text.substr(at, end - at));
        for (const Gap &gap : text.gaps) {
            if (gap.offset >= at && gap.offset <= end)
                item.gaps.push_back({gap.offset - static_cast<std::uint32_t>(at), gap.source});
        }
        if (!item.text.empty() || !item.known())
            items.push_back(std::move(item));
        at = end + 1;
    }
    return items;
}

/// What parallel reads is code where it starts the line; elsewhere it is put in quoted, as arguments. Options can hand
/// it to the command's standard input or name another place for it.
bool parallelReadsCode(std::span<const Field> options, std::string_view command)
{
    static constexpr std::array<std::string_view, 9> harmless{"-j", "--jobs", "-k",     "--keep-order", "--bar",
                                                              "-0", "--null", "--halt", "--will-cite"};
    const auto plain = [](const Field &word) {
        const std::string_view text = word.value.text;
        const bool number = text.starts_with("-j") && text.find_first_not_of("0123456789", 2) == std::string_view::npos;
        return word.value.known()
            && (number || std::ranges::contains(harmless, text.substr(0, text.find('=')))
                || text.find_first_not_of("0123456789") == std::string_view::npos);
    };
    return command.empty() || command.starts_with('{') || !std::ranges::all_of(options, plain);
}

} // namespace

void Evaluator::launchWords(Run &run, std::size_t from, std::uint32_t invocation, std::string_view via)
{
    if (from >= run.words.size() || m_stopped)
        return;
    if (m_depth >= m_limits.nesting) {
        beyondLimits(run.span, std::string(via));
        return;
    }
    m_result.invocations[invocation].opens = true;
    Run nested = run;
    nested.words.erase(nested.words.begin(), nested.words.begin() + static_cast<std::ptrdiff_t>(from));
    nested.command = nullptr;
    nested.pending = m_pendingOutputs.size();
    const bool shellWord = via == "command" || via == "builtin";
    nested.noBuiltins = run.noBuiltins || !shellWord;
    nested.noFunctions = true;
    spend(nested.words.size() * 30);
    m_via.emplace_back(via);
    ++m_depth;
    dispatch(std::move(nested));
    --m_depth;
    m_via.pop_back();
}

void Evaluator::launchText(const Gapped &text, Span span, std::uint32_t invocation, const Run &run,
                           std::string_view via, std::optional<Dialect> dialect)
{
    if (text.text.empty() && text.known())
        return;
    m_result.invocations[invocation].opens = true;
    for (const Gap &gap : text.gaps)
        addFlow(gap.source, invocation, true, false);
    if (text.text.find_first_not_of(" \t\n") == std::string::npos) {
        construct(Construct::EvalUnknown, run.span, std::string(via));
        m_unknownRan = true;
        return;
    }
    m_via.emplace_back(via);
    inChildShell(dialect, run, {}, [&] { runText(text, m_dialect, span); });
    m_via.pop_back();
}

OptionTable Evaluator::launcherOptions(const Launcher &launcher)
{
    OptionTable table = optionTable(launcher.name);
    table.spelledWithValue = launcher.textOptions;
    std::ranges::copy(launcher.valueOptions, std::back_inserter(table.spelledWithValue));
    table.stopAtOperand = launcher.kind != Launcher::Kind::OptionsOnly && launcher.kind != Launcher::Kind::Behind;
    return table;
}

std::size_t Evaluator::loaderProgram(const Run &run)
{
    std::size_t from = 1;
    while (from < run.words.size() && run.words[from].value.text.starts_with("--")) {
        const std::string &option = run.words[from].value.text;
        const bool takes = option == "--library-path" || option == "--preload" || option == "--audit"
            || option == "--argv0" || option == "--inhibit-rpath" || option == "--glibc-hwcaps-prepend"
            || option == "--glibc-hwcaps-mask";
        from += takes ? 2 : 1;
    }
    return from;
}

void Evaluator::launch(const Launcher &launcher, Run &run, std::uint32_t invocation)
{
    switch (launcher.kind) {
    case Launcher::Kind::Find:
        launchFind(run, invocation);
        return;
    case Launcher::Kind::Xargs:
        launchXargs(run, invocation);
        return;
    case Launcher::Kind::Parallel:
        launchParallel(run, invocation);
        return;
    case Launcher::Kind::Git:
        launchGit(run, invocation);
        return;
    case Launcher::Kind::Applet:
        launchApplet(run, invocation, launcher.name);
        return;
    case Launcher::Kind::Behind:
        launchBehind(launcher, run, invocation);
        return;
    case Launcher::Kind::Tmux:
        launchTmux(run, invocation);
        return;
    case Launcher::Kind::Screen:
        launchScreen(run, invocation);
        return;
    case Launcher::Kind::CMake:
        launchCMake(run, invocation);
        return;
    case Launcher::Kind::Loader:
        launchWords(run, loaderProgram(run), invocation, launcher.name);
        return;
    case Launcher::Kind::OptionsOnly:
        optionPrograms(launcher, run, invocation);
        return;
    default:
        launchCommand(launcher, run, invocation);
    }
}

void Evaluator::launchCommand(const Launcher &launcher, Run &run, std::uint32_t invocation)
{
    const std::vector<Value> args = argumentsOf(run);
    const OptionTable table = launcherOptions(launcher);
    SplitArguments split = splitArguments(table, args);
    std::size_t at = split.firstOperand;
    if (!launcher.verbs.empty()) {
        if (at >= args.size() || !contains(launcher.verbs, args[at].text))
            return;
        SplitArguments behind = splitArguments(table, std::span(args).subspan(at + 1));
        at += 1 + behind.firstOperand;
        std::ranges::move(behind.options, std::back_inserter(split.options));
    }
    bool idle = false;
    bool asText = false;
    for (const GivenOption &option : split.options) {
        idle = idle || contains(launcher.idleOptions, option.name);
        asText = asText || contains(launcher.textFlags, option.name);
        if (option.value && contains(launcher.textOptions, option.name))
            launchText(valueText(*option.value), option.value->span, invocation, run, launcher.name);
    }
    if (split.unknownWord)
        note(DynamicReason::Option, run.span, std::string(launcher.name));
    if (launcher.name == "env") {
        at = splitString(split, run, at, invocation);
        at += at < args.size() && args[at].text == "-" ? 1 : 0; // as -i; assignments still follow
    }
    at += launcher.skip;
    if (at < args.size() && args[at].text == "--" && launcher.skip > 0)
        ++at;
    at = pastOwnWords(launcher, run, at);
    if (launcher.name == "flock" && at < args.size() && (args[at].text == "-c" || args[at].text == "--command")) {
        if (at + 1 < args.size())
            launchText(run.words[at + 2].gapped(), args[at + 1].span, invocation, run, launcher.name);
        return;
    }
    static constexpr std::array<std::string_view, 4> machines{"x86_64", "i686", "linux64", "aarch64"};
    if (launcher.name == "setarch" && at < args.size() && contains(machines, args[at].text))
        ++at;
    if (launcher.assignments) {
        for (std::size_t length = 0; at < args.size() && (length = assignmentLength(args[at])) > 0; ++at) {
            const Field value = run.words[at + 1].from(length);
            run.assigns.push_back({args[at].text.substr(0, length - 1), value.value, true, args[at].span});
        }
    }
    if (!idle)
        launchFrom(launcher, run, at + 1, asText || launcher.kind == Launcher::Kind::Text, invocation);
}

std::size_t Evaluator::pastOwnWords(const Launcher &launcher, Run &run, std::size_t at)
{
    if (at + 1 >= run.words.size())
        return at;
    Field &word = run.words[at + 1];
    if (launcher.name == "dotenv" && word.value.text == "run")
        return at + 1 + (at + 2 < run.words.size() && run.words[at + 2].value.text == "--" ? 1 : 0);
    // `hatch run ENVIRONMENT:COMMAND`
    if (launcher.name == "hatch" && word.value.text.contains(':'))
        word = word.from(word.value.text.rfind(':') + 1);
    return at;
}

void Evaluator::launchFrom(const Launcher &launcher, Run &run, std::size_t at, bool asText, std::uint32_t invocation)
{
    if (at >= run.words.size())
        return;
    if (launcher.kind == Launcher::Kind::EachText) {
        for (std::size_t i = at; i < run.words.size(); ++i) {
            const std::string &text = run.words[i].value.text;
            const bool scriptName = text.contains(':') && !text.contains(' '); // `npm:watch-*`
            if (!scriptName)
                launchText(run.words[i].gapped(), run.words[i].value.span, invocation, run, launcher.name);
        }
    } else if (asText) {
        Gapped joined;
        for (std::size_t i = at; i < run.words.size(); ++i) {
            if (i > at)
                joined.append(Gapped(" "));
            joined.append(run.words[i].gapped());
        }
        launchText(joined, run.words[at].value.span, invocation, run, launcher.name);
    } else {
        launchWords(run, at, invocation, launcher.name);
    }
}

Gapped Evaluator::environmentValue(const Run &run, std::string_view name) const
{
    for (const Assignment &assign : run.assigns) {
        if (assign.name == name)
            return run.assigns.size() == 1 ? valueText(assign.value) : Gapped::unknown();
    }
    const std::vector<Datum> data = lookup(name);
    const Variable *variable = m_variables.find(name, m_level);
    if (data.size() != 1 || (variable != nullptr && !variable->exported))
        return Gapped::unknown();
    return data.front().set && !data.front().elements.empty() ? data.front().elements.front() : Gapped();
}

std::size_t Evaluator::splitString(const SplitArguments &split, Run &run, std::size_t at, std::uint32_t invocation)
{
    for (const GivenOption &option : split.options) {
        if (!option.value)
            continue;
        if (option.name == "-C" || option.name == "--chdir") {
            note(DynamicReason::Option, option.span, "env");
            continue;
        }
        if (option.name != "-S" && option.name != "--split-string")
            continue;
        // The words of the string come before the other operands. Quotes and escapes are much like the shell's.
        std::vector<Field> words;
        const std::string &text = option.value->text;
        Gapped word;
        char quote = 0;
        bool any = false;
        for (std::size_t i = 0; i <= text.size(); ++i) {
            const char c = i < text.size() ? text[i] : ' ';
            if (quote == 0 && (c == ' ' || c == '\t' || c == '\n' || c == '\v')) {
                if (any)
                    words.push_back(Field::fromGapped(word, option.value->span));
                word = {};
                any = false;
            } else if (c == quote && quote != 0) {
                quote = 0;
            } else if (quote == 0 && (c == '\'' || c == '"')) {
                quote = c;
                any = true;
            } else if (c == '\\' && i + 1 < text.size() && quote != '\'') {
                const char next = text[++i];
                if (next == '_' && quote == 0) {
                    words.push_back(Field::fromGapped(word, option.value->span));
                    word = {};
                } else {
                    word.text += next == 't' ? '\t' : next == 'n' ? '\n' : next == '_' ? ' ' : next;
                }
                any = true;
            } else if (c == '$' && text.substr(i).starts_with("${") && quote != '\'') {
                const std::size_t close = std::min(text.find('}', i), text.size());
                word.append(environmentValue(run, text.substr(i + 2, close - std::min(close, i + 2))));
                i = close;
                any = true;
            } else {
                word.text += c;
                any = true;
            }
        }
        if (!option.value->known())
            note(DynamicReason::Program, option.value->span, "env");
        run.words.insert(run.words.begin() + static_cast<std::ptrdiff_t>(at + 1), words.begin(), words.end());
        std::size_t from = at + 1;
        from += from < run.words.size() && run.words[from].value.text == "-" ? 1 : 0;
        for (std::size_t length = 0; from < run.words.size() && (length = assignmentLength(run.words[from].value)) > 0;
             ++from)
            run.assigns.push_back({run.words[from].value.text.substr(0, length - 1), run.words[from].from(length).value,
                                   true, option.span});
        launchWords(run, from, invocation, "env");
        return run.words.size();
    }
    return at;
}

void Evaluator::launchFind(const Run &run, std::uint32_t invocation)
{
    static constexpr std::array<std::string_view, 8> starters{"-exec", "-execdir", "-ok", "-okdir",
                                                              "-x",    "--exec",   "-X",  "--exec-batch"};
    const bool isFind = m_result.invocations[invocation].name == "find";
    Run bare = run;
    bare.words.clear();
    bare.redirects.clear();
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        if (!contains(isFind ? std::span(starters).first(4) : std::span(starters).subspan(4), run.words[i].value.text))
            continue;
        Run nested = bare;
        nested.words.emplace_back();
        std::size_t end = i + 1;
        for (; end < run.words.size(); ++end) {
            const Field &word = run.words[end];
            if (word.value.text == ";"
                || (isFind && word.value.text == "+" && end > i + 1 && run.words[end - 1].value.text == "{}"))
                break;
            nested.words.push_back(withHole(word, "{}", Gapped::unknown()));
        }
        launchWords(nested, 1, invocation, "find");
        i = end;
    }
}

Field Evaluator::withHole(const Field &word, std::string_view hole, const Gapped &value)
{
    if (hole.empty() || word.value.text.find(hole) == std::string::npos || !word.value.known())
        return word;
    Gapped text;
    std::size_t at = 0;
    std::size_t holes = 0;
    for (std::size_t next = word.value.text.find(hole); next != std::string::npos;
         next = word.value.text.find(hole, next + hole.size()))
        ++holes;
    // Charged before it is built: a short text makes a long result.
    const std::size_t size = word.value.text.size() + holes * value.text.size();
    if (size > m_limits.valueBytes || !spend(size * 4)) {
        beyondLimits(word.value.span, {});
        return Field::fromGapped(Gapped::unknown(), word.value.span);
    }
    for (std::size_t next = 0; (next = word.value.text.find(hole, at)) != std::string::npos; at = next + hole.size()) {
        text.append(Gapped(word.value.text.substr(at, next - at)));
        text.append(value);
    }
    text.append(Gapped(word.value.text.substr(at)));
    return Field::fromGapped(text, word.value.span);
}

void Evaluator::launchXargs(const Run &run, std::uint32_t invocation)
{
    const std::vector<Value> args = argumentsOf(run);
    const SplitArguments split = splitArguments(optionTable("xargs"), args);
    std::string hole;
    bool file = false;
    for (const GivenOption &option : split.options) {
        if (option.name == "-I" || option.name == "-i" || option.name == "--replace")
            hole = option.value && !option.value->text.empty() ? option.value->text : "{}";
        file = file || option.name == "-a" || option.name == "--arg-file";
    }
    if (split.firstOperand >= args.size())
        return;
    const Input *input = stdinOf(run);
    std::uint32_t source = input != nullptr ? input->source() : noSource;
    for (const GivenOption &option : split.options) {
        if (option.value && (option.name == "-a" || option.name == "--arg-file"))
            source = fileSource(*option.value);
    }
    Choices items;
    bool known = input != nullptr && !file && input->text.size() == 1
        && (input->text.front().known() || !input->text.front().text.empty());
    if (known) {
        // Words of the input; with a replacement each line is one.
        items =
            itemsOf(input->text.front(), hole.empty() ? std::string_view(" \t\n\0", 4) : std::string_view("\n\0", 2));
        known = items.size() <= 64;
    }
    if (!known)
        items = {Gapped::unknown(source)};
    Run nested = run;
    nested.words.erase(nested.words.begin() + 1,
                       nested.words.begin() + static_cast<std::ptrdiff_t>(split.firstOperand + 1));
    nested.hasStdin = true;
    nested.stdinText = {};
    if (hole.empty()) {
        for (const Gapped &item : items)
            nested.words.push_back(Field::fromGapped(item, run.span));
        launchWords(nested, 1, invocation, "xargs");
        return;
    }
    const std::vector<Field> template_ = nested.words;
    for (const Gapped &item : items) {
        for (std::size_t i = 1; i < template_.size() && !m_stopped; ++i)
            nested.words[i] = withHole(template_[i], hole, item);
        launchWords(nested, 1, invocation, "xargs");
    }
}

void Evaluator::launchParallel(const Run &run, std::uint32_t invocation)
{
    const std::vector<Value> args = argumentsOf(run);
    const SplitArguments split = splitArguments(optionTable("parallel"), args);
    std::size_t at = split.firstOperand + 1;
    Gapped command;
    for (; at < run.words.size() && !run.words[at].value.text.starts_with(":::"); ++at) {
        if (!command.text.empty() || !command.gaps.empty())
            command.append(Gapped(" "));
        command.append(run.words[at].gapped());
    }
    Choices items;
    for (; at < run.words.size(); ++at) {
        if (!run.words[at].value.text.starts_with(":::"))
            items.push_back(run.words[at].gapped());
    }
    const Input *input = stdinOf(run);
    if (items.empty() && input != nullptr) {
        const std::size_t end = std::min(split.firstOperand + 1, run.words.size());
        const bool asCode = parallelReadsCode(std::span(run.words).subspan(1, end - 1), command.text);
        for (const std::uint32_t producer : input->producers)
            addFlow(producer, invocation, asCode, false);
        for (Gapped text : input->text) {
            for (Gap &gap : text.gaps)
                gap.source = asCode ? gap.source : noSource;
            items.push_back(std::move(text));
        }
    }
    Field line = Field::fromGapped(command, run.span);
    for (const Gapped &item : items) {
        Gapped text = item;
        if (!command.text.empty()) {
            text = withHole(line, "{}", item).gapped();
            if (command.text.find('{') == std::string::npos) {
                text.append(Gapped(" "));
                text.append(item);
            }
        }
        launchText(text, run.span, invocation, run, "parallel");
    }
    if (items.empty())
        launchText(command, run.span, invocation, run, "parallel");
}

} // namespace portcullis::shell
