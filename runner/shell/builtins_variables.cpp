// SPDX-License-Identifier: Apache-2.0

// Builtins that set variables.

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace portcullis::shell {

namespace {

bool isOption(const Field &word)
{
    return word.value.text.size() > 1 && (word.value.text[0] == '-' || word.value.text[0] == '+');
}

/// The end of a name (with a subscript) at the start of a text, or 0.
std::size_t nameEnd(std::string_view text)
{
    std::size_t end = 0;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
        ++end;
    if (end == 0 || std::isdigit(static_cast<unsigned char>(text[0])) != 0)
        return 0;
    return end;
}

std::string singleQuoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::vector<std::string_view> splitLines(std::string_view text)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        lines.push_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace

void Evaluator::variableBuiltin(Builtin which, Run &run, std::uint32_t invocation)
{
    switch (which) {
    case Builtin::Declare:
        declareBuiltin(run, "declare");
        break;
    case Builtin::Local:
        declareBuiltin(run, "local");
        break;
    case Builtin::Export:
        declareBuiltin(run, "export");
        break;
    case Builtin::Readonly:
        declareBuiltin(run, "readonly");
        break;
    case Builtin::Unset:
        unsetBuiltin(run);
        break;
    case Builtin::Read:
        readBuiltin(run);
        break;
    case Builtin::Mapfile:
        mapfileBuiltin(run);
        break;
    case Builtin::Getopts:
        if (run.words.size() > 2) {
            evaluateHidden(run.words[2].gapped(), run.words[2].value.span);
            store(run.words[2].value.text, Variable::of({Gapped::unknown()}), run.span, false);
        }
        break;
    case Builtin::Hash:
        hashBuiltin(run);
        break;
    case Builtin::Complete:
        completeBuiltin(run, invocation);
        break;
    case Builtin::Let:
        for (std::size_t i = 1; i < run.words.size(); ++i)
            (void)arithmetic(run.words[i].gapped(), run.words[i].value.span);
        break;
    case Builtin::Test:
        testBuiltin(run);
        break;
    case Builtin::Printf:
        printfBuiltin(run, invocation);
        break;
    case Builtin::Other:
        for (const Field &word : run.words) {
            if (word.value.text.find('[') != std::string::npos)
                evaluateHidden(word.gapped(), word.value.span); // wait -p 'a[$(…)]'
        }
        if (run.words.size() == 2 && (run.words[0].value.text == "complete" || run.words[0].value.text == "bind"))
            m_unknownRan = true;
        break;
    default:
        break;
    }
}

void Evaluator::declareBuiltin(const Run &run, std::string_view name)
{
    bool exported = name == "export";
    bool local = name == "local" || !m_locals.empty();
    bool integer = false;
    bool reference = false;
    bool functions = false;
    std::size_t from = 1;
    for (; from < run.words.size() && isOption(run.words[from]); ++from) {
        const std::string &option = run.words[from].value.text;
        if (option == "--") {
            ++from;
            break;
        }
        exported = exported || option.find('x') != std::string::npos;
        integer = integer || option.find('i') != std::string::npos;
        reference = reference || option.find('n') != std::string::npos;
        functions = functions || option.find('f') != std::string::npos;
        local = local && option.find('g') == std::string::npos;
    }
    if (name == "export" || name == "readonly")
        local = false;
    for (; from < run.words.size(); ++from) {
        const Field &word = run.words[from];
        if (functions) {
            if (const auto found = m_functions.find(word.value.text); found != m_functions.end()) {
                for (Function &function : found->second)
                    function.exported = function.exported || exported;
            }
            continue;
        }
        declareOne(word, exported, local, integer, reference);
    }
    if (run.command != nullptr) {
        for (const auto &[index, each] : run.command->assignArgs)
            assign(each, exported, local);
    }
}

void Evaluator::declareOne(const Field &word, bool exported, bool local, bool integer, bool reference)
{
    const Gapped text = word.gapped();
    const std::size_t end = nameEnd(text.text);
    if (end == 0)
        return;
    if (!text.gaps.empty() && text.gaps.front().offset < end)
        return;
    const std::string name = text.text.substr(0, end);
    std::size_t equals = text.text.find('=');
    if (text.text[std::min(end, text.text.size() - 1)] == '[')
        evaluateHidden(Gapped(text.text.substr(0, equals)), word.value.span);
    if (local && !m_locals.empty())
        m_locals.back().emplace_back(name, m_variables.edit(name));
    if (equals == std::string::npos) {
        Variable &variable = m_variables.edit(name);
        const bool news = exported && !variable.exported;
        variable.exported = variable.exported || exported;
        variable.integer = variable.integer || integer;
        variable.reference = variable.reference || reference;
        variable.level = m_level;
        if (!news)
            return;
        for (const Datum &datum : variable.choices) {
            for (const Gapped &element : datum.elements)
                m_result.assignments.push_back(
                    {name, Field::fromGapped(element, word.value.span).value, true, word.value.span});
        }
        return;
    }
    const bool append = equals > 0 && text.text[equals - 1] == '+';
    Gapped value = word.from(equals + 1).gapped();
    Variable variable = Variable::of({});
    if (append) {
        for (const Datum &datum : lookup(name)) {
            Gapped joined = datum.elements.empty() ? Gapped() : datum.elements.front();
            joined.append(value);
            variable.choices.push_back(Datum{.elements = {std::move(joined)}, .keys = {}});
        }
    } else {
        const Variable *old = m_variables.find(name, m_level);
        if (integer || (old != nullptr && old->integer)) {
            const auto number = arithmetic(value, word.value.span);
            value = number ? Gapped(std::to_string(*number)) : Gapped::unknown();
        }
        variable.choices.push_back(Datum{.elements = {std::move(value)}, .keys = {}});
    }
    variable.integer = integer;
    variable.reference = reference;
    store(name, std::move(variable), word.value.span, exported);
}

void Evaluator::readBuiltin(const Run &run)
{
    std::vector<std::size_t> names;
    bool array = false;
    std::string descriptor;
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const std::string &word = run.words[i].value.text;
        if (isOption(run.words[i]) && names.empty()) {
            array = array || word.find('a') != std::string::npos;
            if (word.size() == 2 && std::string_view("dinNptu").find(word[1]) != std::string_view::npos)
                ++i;
            if (word[1] == 'u' && i < run.words.size())
                descriptor = word.size() > 2 ? word.substr(2) : run.words[i].value.text;
            continue;
        }
        names.push_back(i);
    }
    // Lines of a known input, as alternatives: the loop around it may read any of them.
    std::vector<std::vector<Field>> lines;
    bool known = false;
    const auto open = m_descriptors.find(descriptor);
    const Input *input = open != m_descriptors.end() ? &open->second : stdinOf(run);
    if (input != nullptr && input->text.size() == 1 && input->text.front().known() && !array) {
        const auto texts = splitLines(input->text.front().text);
        known = !texts.empty() && texts.size() <= maxChoices;
        for (std::size_t i = 0; known && i < texts.size(); ++i) {
            Draft draft;
            draft.add(texts[i], Mark::Expanded);
            splitFields(draft, separators(), run.span, lines.emplace_back());
        }
    }
    const auto valueAt = [&](std::size_t which, bool last) {
        Choices values;
        for (const auto &line : lines) {
            Gapped value;
            for (std::size_t i = which; i < line.size() && (last || i == which); ++i) {
                if (i > which)
                    value.append(Gapped(" "));
                value.append(line[i].gapped());
            }
            value.pattern = false;
            addChoice(values, std::move(value));
        }
        return known ? values : Choices{Gapped::unknown(input != nullptr ? input->source() : noSource)};
    };
    if (names.empty())
        store("REPLY", Variable::of(valueAt(0, true)), run.span, false);
    for (std::size_t i = 0; i < names.size(); ++i) {
        const Field &word = run.words[names[i]];
        evaluateHidden(word.gapped(), word.value.span);
        store(word.value.text.substr(0, nameEnd(word.value.text)), Variable::of(valueAt(i, i + 1 == names.size())),
              word.value.span, false);
    }
}

void Evaluator::mapfileBuiltin(const Run &run)
{
    std::string name = "MAPFILE";
    const Input *input = stdinOf(run);
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const std::string &word = run.words[i].value.text;
        if (word == "-C" && i + 1 < run.words.size()) {
            // It is called with an index and the line.
            const bool known = input != nullptr && input->text.size() == 1 && input->text.front().known();
            constexpr std::size_t mostLines = 16;
            std::vector<std::string_view> lines =
                known ? splitLines(input->text.front().text) : std::vector<std::string_view>{};
            lines.resize(std::clamp(lines.size(), std::size_t{1}, mostLines));
            ++m_repeats;
            for (const std::string_view line : lines) {
                Gapped callback = run.words[i + 1].gapped();
                callback.append(Gapped(" 0 "));
                callback.append(known ? Gapped(singleQuoted(line)) : Gapped::unknown());
                runText(callback, m_dialect, run.words[i + 1].value.span);
            }
            --m_repeats;
        }
        if (isOption(run.words[i])) {
            i += word.size() == 2 && word != "-t" ? 1 : 0;
            if (word == "-u" && i < run.words.size()) {
                if (const auto open = m_descriptors.find(run.words[i].value.text); open != m_descriptors.end())
                    input = &open->second;
            }
            continue;
        }
        evaluateHidden(run.words[i].gapped(), run.words[i].value.span);
        name = word;
    }
    Variable variable;
    Datum &datum = variable.choices.emplace_back();
    datum.array = true;
    if (input != nullptr && input->text.size() == 1 && input->text.front().known()) {
        for (const std::string_view line : splitLines(input->text.front().text))
            datum.elements.emplace_back(std::string(line));
    } else {
        datum.elements.push_back(Gapped::unknown(input != nullptr ? input->source() : noSource));
    }
    store(name, std::move(variable), run.span, false);
}

void Evaluator::testBuiltin(const Run &run)
{
    // test -v and the subscripts of bash evaluate their operand; so do numeric comparisons of some shells.
    for (std::size_t i = 1; i + 1 < run.words.size(); ++i) {
        if (run.words[i].value.text == "-v" || run.words[i].value.text == "-R")
            evaluateHidden(run.words[i + 1].gapped(), run.words[i + 1].value.span);
    }
}

void Evaluator::unsetBuiltin(const Run &run)
{
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        if (isOption(run.words[i]))
            continue;
        const Field &word = run.words[i];
        if (word.value.text.find('[') != std::string::npos) {
            evaluateHidden(word.gapped(), word.value.span);
            continue;
        }
        Variable variable = Variable::unset();
        variable.level = m_level;
        m_variables.set(word.value.text, std::move(variable));
        if (const auto found = m_functions.find(word.value.text); found != m_functions.end()) {
            for (Function &function : found->second)
                function.certain = false;
        }
    }
}

void Evaluator::printfBuiltin(const Run &run, std::uint32_t invocation)
{
    if (run.words.size() < 4 || !run.words[1].value.text.starts_with("-v"))
        return;
    const bool glued = run.words[1].value.text.size() > 2;
    const Field name = glued ? run.words[1].from(2) : run.words[2];
    const auto text = printfOutput(std::span(run.words).subspan(glued ? 2 : 3));
    evaluateHidden(name.gapped(), name.value.span);
    if (name.value.known())
        store(name.value.text.substr(0, nameEnd(name.value.text)),
              Variable::of({text ? *text : Gapped::unknown(invocation)}), run.span, false);
}

} // namespace portcullis::shell
