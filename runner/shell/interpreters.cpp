// SPDX-License-Identifier: Apache-2.0

// Code in other languages: where it stands, and the processes that literal calls in it start.

#include "runner/shell/evaluator.h"

#include "runner/shell/foreign_code.h"
#include "runner/shell/option_table.h"

#include <algorithm>
#include <array>
#include <utility>

namespace portcullis::shell {

void Evaluator::interpret(const Interpreter &interpreter, Run &run, std::uint32_t invocation)
{
    std::vector<Value> args;
    for (std::size_t i = 1; i < run.words.size(); ++i)
        args.push_back(run.words[i].value);
    const SplitArguments split = splitArguments(optionTable(interpreter.name), args);
    const auto has = [](const std::vector<std::string_view> &names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    };
    bool given = false;
    for (const GivenOption &option : split.options) {
        if (!option.value)
            continue;
        if (has(interpreter.codeOptions, option.name)) {
            given = true;
            code(interpreter.language, fieldOf(*option.value, run), invocation, run);
        } else if (has(interpreter.scriptOptions, option.name)) {
            given = true;
            const bool pip =
                interpreter.language == "python" && option.name == "-m" && option.value->text.starts_with("pip");
            if (pip)
                launchModule(*option.value, args, invocation, run);
            else if (option.name == "-f" || option.name.starts_with("--file") || option.name == "--makefile")
                scriptFile(interpreter, *option.value, invocation, run);
            else
                note(DynamicReason::Script, option.value->span, option.value->text);
        }
    }
    for (const Value &arg : args) {
        if (interpreter.language == "vim" && arg.text.starts_with('+'))
            code("vim", fieldOf(arg, run).from(1), invocation, run);
    }
    if (given && interpreter.language != "make")
        return;
    if (split.unknownWord)
        note(DynamicReason::Option, run.span, std::string(interpreter.name));
    const bool dash =
        !split.operands.empty() && (split.operands.front().text == "-" || split.operands.front().text == "/dev/stdin");
    if (!split.operands.empty() && !dash && interpreter.operand == Interpreter::Operand::Code) {
        code(interpreter.language, fieldOf(split.operands.front(), run), invocation, run);
    } else if (!split.operands.empty() && !dash && interpreter.operand == Interpreter::Operand::Script) {
        scriptOperand(interpreter, split.operands.front(), invocation, run);
    } else if (interpreter.stdinCode || dash) {
        codeInput(interpreter, invocation, run, interpreter.operand == Interpreter::Operand::Script);
    }
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
    for (const Field &word : run.words) {
        if (word.value.span == value.span && word.value.text.ends_with(value.text))
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
    std::size_t at = 0;
    while (at < args.size() && args[at].span != module.span)
        ++at;
    nested.words.erase(nested.words.begin() + 1,
                       nested.words.begin() + static_cast<std::ptrdiff_t>(std::min(at + 2, nested.words.size())));
    nested.words.front() = fieldOf(module, run);
    launchWords(nested, 0, invocation, "python");
}

void Evaluator::scriptOperand(const Interpreter &interpreter, const Value &operand, std::uint32_t invocation,
                              const Run &run)
{
    const Field file = fieldOf(operand, run);
    std::optional<Input> content;
    if (const auto process = m_processInputs.find(operand.text); process != m_processInputs.end())
        content = process->second;
    else if (const auto written = m_files.find(absolute(operand.text)); operand.known() && written != m_files.end())
        content = Input{written->second.text, {written->second.writer}};
    if (!content) {
        note(DynamicReason::Script, operand.span, operand.text);
        return;
    }
    for (const std::uint32_t producer : content->producers)
        addFlow(producer, invocation, true, false);
    for (const Gapped &text : content->text) {
        if (text.text.empty())
            note(DynamicReason::Script, operand.span, operand.text);
        else
            code(interpreter.language, Field::fromGapped(text, operand.span), invocation, run);
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

void Evaluator::code(std::string_view language, const Field &text, std::uint32_t invocation, const Run &run)
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
    const std::vector<ProcessStart> starts = processStarts(language, text.value.text);
    if (starts.empty())
        return;
    const bool outer = std::exchange(m_fromInterpreter, true);
    const Input unknown{{Gapped::unknown()}, {}};
    for (const ProcessStart &each : starts) {
        if (each.unknownInput)
            construct(Construct::EvalUnknown, text.value.span, std::string(language));
        const Input *outerInput = m_input;
        if (language == "awk")
            m_input = &unknown;
        Run nested;
        nested.span = run.span;
        nested.noBuiltins = true;
        nested.pending = m_pendingOutputs.size();
        nested.assigns = run.assigns;
        if (each.words.empty()) {
            if (!each.text.text.empty())
                launchText(each.text, text.value.span, invocation, nested, language);
        } else {
            nested.words.emplace_back();
            for (const std::string &word : each.words)
                nested.words.push_back(Field::fromGapped(Gapped(word), text.value.span));
            launchWords(nested, 1, invocation, language);
        }
        m_input = outerInput;
    }
    m_fromInterpreter = outer;
}

} // namespace portcullis::shell
