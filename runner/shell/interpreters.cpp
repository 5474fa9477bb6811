// SPDX-License-Identifier: Apache-2.0

// Code in other languages: where it stands, and the processes that literal calls in it start.

#include "runner/shell/evaluator.h"

#include "runner/shell/foreign_code.h"
#include "runner/shell/foreign_files.h"
#include "runner/shell/make_goals.h"
#include "runner/shell/option_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

namespace {

/// Modules of Python that run a program file among their arguments.
constexpr std::array<std::string_view, 5> scriptModules{"trace", "cProfile", "profile", "pdb", "coverage"};

/// python -m timeit: the arguments that are texts of a program, also the one of -s.
std::vector<Value> codeArguments(const std::vector<Value> &args)
{
    std::vector<Value> texts;
    std::ranges::copy_if(args, std::back_inserter(texts), [](const Value &arg) { return arg.text.contains('('); });
    return texts;
}

/// While a program is read: the folders that its options add to those in which it looks for modules.
class LoadFolders
{
public:
    LoadFolders(std::vector<std::string> &folders, const SplitArguments &split)
        : m_folders(folders), m_outer(std::exchange(folders, {}))
    {
        for (const GivenOption &option : split.options) {
            if (option.value && option.name == "-I")
                m_folders.push_back(option.value->text);
        }
    }
    ~LoadFolders() { m_folders = std::move(m_outer); }
    LoadFolders(const LoadFolders &) = delete;
    LoadFolders &operator=(const LoadFolders &) = delete;

private:
    std::vector<std::string> &m_folders;
    std::vector<std::string> m_outer;
};

} // namespace

void Evaluator::interpret(const Interpreter &interpreter, Run &run, std::uint32_t invocation)
{
    std::vector<Value> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    OptionTable table = optionTable(interpreter.name);
    table.spelledWithValue = interpreter.codeOptions;
    std::ranges::copy(interpreter.scriptOptions, std::back_inserter(table.spelledWithValue));
    const SplitArguments split = splitArguments(table, args);
    const LoadFolders folders(m_loadFolders, split);
    if (interpreter.language == "ruby")
        rubyTool(run, invocation);
    else if (interpreter.language == "make")
        makeVariables(split, run, invocation);
    const auto has = [](const std::vector<std::string_view> &names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    bool given = false;
    for (const GivenOption &option : split.options) {
        if (!option.value)
            continue;
        // perlrun(1): what -M and -F are given is put into the text of the program.
        if (interpreter.language == "perl" && (option.name == "-M" || option.name == "-m" || option.name == "-F")
            && option.value->text.find_first_of(";`") != std::string::npos)
            code("perl", fieldOf(*option.value, run), invocation, run);
        if (has(interpreter.moduleOptions, option.name)
            && !loadModule(interpreter.language, {option.value->text, interpreter.language == "node"}, invocation, run)
            && !isOwnModule(interpreter.language, option.value->text))
            note(DynamicReason::Script, option.value->span, option.value->text);
        if (has(interpreter.codeOptions, option.name)) {
            given = true;
            code(interpreter.language, fieldOf(*option.value, run), invocation, run);
            if (interpreter.name == "ipython")
                shellLines(*option.value, invocation, run);
        } else if (has(interpreter.scriptOptions, option.name)) {
            given = true;
            const std::string &module = option.value->text;
            const bool python = interpreter.language == "python" && option.name == "-m";
            if (python && module.starts_with("pip"))
                launchModule(*option.value, args, invocation, run);
            else if (python && (module == "code" || module == "asyncio"))
                codeInput(interpreter, invocation, run, true);
            else if (python && module == "timeit")
                for (const Value &text : codeArguments(args))
                    code(interpreter.language, fieldOf(text, run), invocation, run);
            else if (python && std::ranges::contains(scriptModules, module))
                shownScripts(interpreter, args, invocation, run);
            else if (!python)
                scriptFile(interpreter, *option.value, invocation, run);
            else
                pythonModule(*option.value, invocation, run);
        }
    }
    // ex(1): behind -e the option -s takes no value, so that -c stands behind it.
    for (std::size_t i = 1; interpreter.language == "vim" && i + 1 < args.size(); ++i) {
        if (args[i].text == "-c" && args[i - 1].text.starts_with('-') && args[i - 1].text.ends_with('s'))
            code("vim", fieldOf(args[i + 1], run), invocation, run);
    }
    for (const Value &arg : args) {
        if (interpreter.language == "vim" && arg.text.starts_with('+'))
            code("vim", fieldOf(arg, run).from(1), invocation, run);
        else if (interpreter.language == "ed" && arg.text.starts_with('!')) // ed(1): the output of a command
            launchText(fieldOf(arg, run).from(1).gapped(), arg.span, invocation, run, "ed");
    }
    if (given && interpreter.language != "make")
        return;
    if (split.unknownWord)
        note(DynamicReason::Option, run.span, std::string(interpreter.name));
    if (operandCode(interpreter, split, invocation, run))
        return;
    if (!interpreter.verbs.empty() && !split.operands.empty()) // `deno task start`
        note(DynamicReason::Script, split.operands.front().span, split.operands.front().text);
    const bool dash =
        !split.operands.empty() && (split.operands.front().text == "-" || split.operands.front().text == "/dev/stdin");
    if (!split.operands.empty() && !dash && interpreter.operand == Interpreter::Operand::Script) {
        scriptOperand(interpreter, split.operands.front(), invocation, run);
        if (interpreter.language == "python" && split.operands.front().text.ends_with("manage.py"))
            djangoShell(interpreter, split, invocation, run);
    } else if (interpreter.stdinCode || dash) {
        codeInput(interpreter, invocation, run, interpreter.operand == Interpreter::Operand::Script);
    }
}

bool Evaluator::operandCode(const Interpreter &interpreter, const SplitArguments &split, std::uint32_t invocation,
                            const Run &run)
{
    if (split.operands.empty())
        return false;
    const Value &first = split.operands.front();
    if (std::ranges::contains(interpreter.verbs, first.text)) {
        if (split.operands.size() > 1)
            code(interpreter.language, fieldOf(split.operands[1], run), invocation, run);
        return true;
    }
    if (interpreter.operand != Interpreter::Operand::Code || first.text == "-" || first.text == "/dev/stdin")
        return false;
    Given given;
    for (const GivenOption &option : split.options) {
        const std::size_t equals = option.value ? option.value->text.find('=') : std::string::npos;
        if ((option.name == "-v" || option.name == "--assign") && equals != std::string::npos)
            given.emplace_back(option.value->text.substr(0, equals), option.value->text.substr(equals + 1));
    }
    for (const Value &operand : std::span(split.operands).subspan(1)) { // awk(1): an assignment among the files
        if (const std::size_t equals = operand.text.find('='); equals != std::string::npos && equals > 0)
            given.emplace_back(operand.text.substr(0, equals), operand.text.substr(equals + 1));
    }
    code(interpreter.language, fieldOf(first, run), invocation, run, given);
    return true;
}

void Evaluator::djangoShell(const Interpreter &interpreter, const SplitArguments &split, std::uint32_t invocation,
                            const Run &run)
{
    const std::vector<Value> &words = split.operands;
    if (words.size() < 2 || !words[1].text.starts_with("shell"))
        return;
    for (std::size_t i = 2; i + 1 < words.size(); ++i) {
        if (words[i].text == "-c" || words[i].text == "--command")
            code(interpreter.language, fieldOf(words[i + 1], run), invocation, run);
    }
    codeInput(interpreter, invocation, run, false);
}

void Evaluator::shellLines(const Value &text, std::uint32_t invocation, const Run &run)
{
    const Field all = fieldOf(text, run);
    const std::string &bytes = all.value.text;
    for (std::size_t at = 0; at < bytes.size();) {
        const std::size_t end = std::min(bytes.find('\n', at), bytes.size());
        const std::size_t mark = std::min(bytes.find_first_not_of(" \t!", at), end);
        if (std::string_view(bytes).substr(at, mark - at).contains('!')) {
            Gapped line = all.from(mark).gapped();
            line.text.resize(end - mark);
            std::erase_if(line.gaps, [&](const Gap &gap) { return gap.offset > line.text.size(); });
            launchText(line, text.span, invocation, run, "ipython");
        }
        at = end + 1;
    }
}

void Evaluator::rubyTool(Run &run, std::uint32_t invocation)
{
    // `ruby -run -e rm -- -r x`: the programs of the library un
    static constexpr std::array<std::string_view, 9> tools{"cp",    "ln",      "mv",    "rm",   "mkdir",
                                                           "rmdir", "install", "chmod", "touch"};
    const auto is = [](std::string_view text) { return [text](const Field &word) { return word.value.text == text; }; };
    const auto option = std::ranges::find_if(run.words, is("-e"));
    if (std::ranges::none_of(run.words, is("-run")) || run.words.end() - option < 2
        || !std::ranges::contains(tools, (option + 1)->value.text))
        return;
    Run nested = run;
    nested.words.assign(option + 1, run.words.end());
    if (nested.words.size() > 1 && nested.words[1].value.text == "--")
        nested.words.erase(nested.words.begin() + 1);
    launchWords(nested, 0, invocation, "ruby");
}

void Evaluator::makeVariables(const SplitArguments &split, const Run &run, std::uint32_t invocation)
{
    // Variables that make's own rules, and most people's, run as a program
    static constexpr std::array<std::string_view, 24> programs{
        "AR",  "AS",    "CC",   "CXX",     "CPP",  "FC",     "LD",      "LEX",  "YACC",   "RM",  "STRIP", "RANLIB",
        "TEX", "SHELL", "SUDO", "INSTALL", "MAKE", "PYTHON", "PYTHON3", "NODE", "DOCKER", "CMD", "RUN",   "EXEC"};
    for (const Value &operand : split.operands) {
        const std::size_t equals = operand.text.find('=');
        if (equals == std::string::npos || equals == 0)
            continue;
        const std::string_view name =
            std::string_view(operand.text).substr(0, operand.text.find_last_not_of(":+?!", equals - 1) + 1);
        const Field value = fieldOf(operand, run).from(equals + 1);
        if (operand.text.contains("(shell ") || operand.text.contains("{shell "))
            code("make", fieldOf(operand, run), invocation, run);
        if (operand.text[equals - 1] == '!' || std::ranges::contains(programs, name) || name.ends_with("_CMD")
            || name.ends_with("_COMMAND"))
            launchText(value.gapped(), operand.span, invocation, run, "make");
    }
}

void Evaluator::shownScripts(const Interpreter &interpreter, const std::vector<Value> &args, std::uint32_t invocation,
                             const Run &run)
{
    for (const Value &arg : args) {
        if (m_processInputs.contains(arg.text) || (arg.known() && m_files.contains(absolute(arg.text))))
            scriptOperand(interpreter, arg, invocation, run);
    }
    note(DynamicReason::Script, run.span, std::string(interpreter.name));
}

void Evaluator::scriptFile(const Interpreter &interpreter, const Value &file, std::uint32_t invocation, const Run &run)
{
    static constexpr std::array<std::string_view, 4> inputs{"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"};
    if (file.known() && std::ranges::find(inputs, file.text) != inputs.end())
        codeInput(interpreter, invocation, run, true);
    else
        scriptOperand(interpreter, file, invocation, run);
}

Field Evaluator::fieldOf(const Value &value, const Run &run)
{
    // They are asked for in turn, so the search goes on where the last one ended.
    for (std::size_t i = 0; i < run.words.size(); ++i) {
        const std::size_t at = (m_nextField + i) % run.words.size();
        const Field &word = run.words[at];
        if (!isEndOf(word.value, value))
            continue;
        m_nextField = at;
        return word.from(word.value.text.size() - value.text.size());
    }
    Gapped text(value.text);
    for (const std::uint32_t gap : value.gaps)
        text.gaps.push_back({gap, noSource});
    return Field::fromGapped(text, value.span);
}

void Evaluator::launchModule(const Value &module, const std::vector<Value> &args, std::uint32_t invocation, Run &run)
{
    // `python -m pip install x` is pip's command line.
    Run nested = run;
    const auto isModule = [&](const Value &arg) { return isEndOf(arg, module); };
    const auto alone =
        std::ranges::find_if(args, [&](const Value &arg) { return isModule(arg) && arg.text == module.text; });
    const auto found = alone != args.end() ? alone : std::ranges::find_if(args, isModule); // `-mpip`
    const auto at = static_cast<std::size_t>(found - args.begin());
    nested.words.erase(nested.words.begin() + 1,
                       nested.words.begin() + static_cast<std::ptrdiff_t>(std::min(at + 2, nested.words.size())));
    nested.words.front() = fieldOf(module, run);
    launchWords(nested, 0, invocation, "python");
}

void Evaluator::pythonModule(const Value &module, std::uint32_t invocation, const Run &run)
{
    ownFiles(module.text, run, invocation);
    if (!loadModule("python", {module.text, false}, invocation, run))
        note(DynamicReason::Script, module.span, module.text);
}

void Evaluator::scriptOperand(const Interpreter &interpreter, const Value &operand, std::uint32_t invocation,
                              const Run &run)
{
    const Field file = fieldOf(operand, run);
    std::optional<Input> content;
    if (const Input *input = descriptorInput(operand.text, run))
        content = *input;
    else if (const auto written = m_files.find(fileKey(operand)); written != m_files.end())
        content = Input{written->second.text, {written->second.writer}};
    if (!content) {
        // `python3 folder`, `node name`
        if (!operand.known() || !loadModule(interpreter.language, {operand.text, true}, invocation, run))
            note(DynamicReason::Script, operand.span, operand.text);
        return;
    }
    for (const std::uint32_t producer : content->producers)
        addFlow(producer, invocation, true, false);
    for (const Gapped &text : content->text) {
        if (text.text.empty())
            note(DynamicReason::Script, operand.span, operand.text);
        else
            code(interpreter.language,
                 Field::fromGapped(interpreter.language == "make" ? neededRules(text, run) : text, operand.span),
                 invocation, run);
    }
}

void Evaluator::codeInput(const Interpreter &interpreter, std::uint32_t invocation, const Run &run, bool language)
{
    const Input *input = stdinOf(run);
    if (input == nullptr)
        return;
    const Input content = *input;
    for (const std::uint32_t producer : content.producers)
        addFlow(producer, invocation, language, false);
    for (const Gapped &text : content.text) {
        if (!text.text.empty())
            code(interpreter.language, Field::fromGapped(text, run.span), invocation, run);
        else if (!text.known() && language && !(run.stdinFile && content.producers.empty()))
            construct(Construct::EvalUnknown, run.span, std::string(interpreter.name));
        else if (!text.known() && language)
            note(DynamicReason::Script, run.span, std::string(interpreter.name));
    }
}

void Evaluator::code(std::string_view language, const Field &text, std::uint32_t invocation, const Run &run,
                     const Given &given)
{
    for (const std::uint32_t source : text.sources)
        addFlow(source, invocation, true, false);
    if (text.value.text.empty() && !text.value.known()) {
        construct(Construct::EvalUnknown, run.span, std::string(language));
        return;
    }
    if (!spend(text.value.text.size() * 2 + 20))
        return;
    const auto same = [&](const EmbeddedCode &other) {
        return other.invocation == invocation && other.text.text == text.value.text;
    };
    if (m_repeats > 0 && m_result.code.size() < 256 && std::ranges::any_of(m_result.code, same))
        return;
    m_result.code.push_back({std::string(language), text.value, invocation, text.value.span});
    if (loadsOtherCode(language, text.value.text))
        note(DynamicReason::Script, text.value.span, std::string(language));
    loadedFiles(language, text.value.text, invocation, run);
    for (const std::string &file : savedDownloads(language, text.value.text))
        wroteFile(file, {Gapped::unknown()}, invocation);
    std::vector<ProcessStart> starts = processStarts(language, text.value.text, given);
    if (starts.empty())
        return;
    if (starts.size() >= mostStarts)
        beyondLimits(text.value.span, std::string(language));
    const bool outer = std::exchange(m_fromInterpreter, true);
    for (ProcessStart &each : starts)
        startProcess(language, each, text, invocation, run);
    m_fromInterpreter = outer;
}

} // namespace portcullis::shell
