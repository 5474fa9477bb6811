// SPDX-License-Identifier: Apache-2.0

// `declare` and its like. Bash manual, 4.2; POSIX export and readonly.

#include "runner/shell/arrays.h"
#include "runner/shell/evaluator.h"

#include <algorithm>
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

bool subscriptedAt(std::string_view text, std::size_t end)
{
    return end < text.size() && text[end] == '[';
}

} // namespace

Attributes Evaluator::attributesOf(const Run &run, std::string_view name, std::size_t &from) const
{
    Attributes set;
    set.exported = name == "export";
    set.fixed = name == "readonly";
    set.local = name == "local" || !m_locals.empty();
    for (; from < run.words.size() && isOption(run.words[from]); ++from) {
        const std::string &option = run.words[from].value.text;
        if (option == "--") {
            ++from;
            break;
        }
        const bool takes = option[0] == '+' || (name == "export" && option.contains('n'));
        const auto has = [&](char letter) { return !takes && option.contains(letter); };
        set.exported = (set.exported && !takes) || has('x');
        set.integer = set.integer || has('i');
        set.reference = set.reference || has('n');
        set.fixed = set.fixed || has('r');
        set.array = set.array || has('a');
        set.associative = set.associative || has('A');
        set.functions = set.functions || option.contains('f');
        set.global = set.global || has('g');
        set.inherits = set.inherits || has('I');
        for (const char letter : {'l', 'u', 'c'}) {
            if (option.contains(letter))
                set.fold = set.fold != 0 || takes ? '?' : letter;
        }
        if (takes)
            set.taken += option[0] == '+' ? option.substr(1) : "x";
    }
    set.local = set.local && !set.global && name != "export" && name != "readonly";
    return set;
}

void Evaluator::declareBuiltin(const Run &run, std::string_view name)
{
    std::size_t from = 1;
    const Attributes set = attributesOf(run, name, from);
    for (; from < run.words.size(); ++from) {
        const Field &word = run.words[from];
        if (set.functions) {
            declareFunction(word.value.text, set);
            continue;
        }
        // `declare` takes a subscript in the name, `export` and `readonly` do not.
        const bool unread = !word.value.known() && word.value.gaps.front() <= word.value.text.find('=');
        if (unread && (name == "declare" || name == "local"))
            noteUnread(word.gapped(), word.value.span);
        declareOne(word, set);
    }
    if (run.command != nullptr) {
        for (const auto &[index, each] : run.command->assignArgs)
            declareArray(each, set);
    }
}

void Evaluator::declareFunction(const std::string &name, const Attributes &attributes)
{
    const auto found = m_functions.find(name);
    if (found == m_functions.end())
        return;
    for (Function &function : found->second)
        function.exported = function.exported || attributes.exported;
    if (attributes.fixed)
        m_fixedFunctions.insert(name);
}

void Evaluator::declareArray(const Assign &assign, const Attributes &attributes)
{
    const std::string &written = assign.name;
    const bool fresh = attributes.local && !m_locals.empty()
        && std::ranges::none_of(m_locals.back(), [&](const auto &entry) { return entry.first == written; });
    const Variable *old = fresh ? nullptr : m_variables.find(referent(written).value_or(written), m_level);
    Variable value = valueOf(assign, attributes.associative || (old != nullptr && old->associative));
    const auto declare = [&] {
        if (attributes.local && !m_locals.empty())
            makeLocal(written, attributes.inherits);
        const auto target = referent(written);
        const std::string name = target && !target->contains('[') ? *target : written;
        Attributes before = attributes;
        before.fixed = false;
        attribute(name, before);
        assignTo(name, assign, std::move(value), attributes.exported);
        attribute(name, attributes);
    };
    if (attributes.global)
        inGlobalScope(written, declare);
    else
        declare();
}

void Evaluator::attribute(std::string_view name, const Attributes &attributes)
{
    if (!attributes.fixed && !attributes.associative && attributes.fold == 0)
        return;
    Variable &variable = m_variables.edit(name);
    variable.fixed = variable.fixed || attributes.fixed;
    variable.associative = variable.associative || attributes.associative;
    variable.fold = attributes.fold != 0 ? attributes.fold : variable.fold;
}

void Evaluator::declareOne(const Field &word, const Attributes &attributes)
{
    const Gapped text = word.gapped();
    const std::size_t end = nameEnd(text.text);
    if (end == 0 || (!text.gaps.empty() && text.gaps.front().offset < end))
        return;
    std::string name = text.text.substr(0, end);
    if (attributes.global) {
        Attributes here = attributes;
        here.global = false;
        inGlobalScope(name, [&] { declareOne(word, here); });
        return;
    }
    const std::size_t equals = text.text.find('=');
    if (subscriptedAt(text.text, end))
        evaluateTarget(Gapped(text.text.substr(0, equals)), word.value.span);
    if (attributes.local && !m_locals.empty())
        makeLocal(name, attributes.inherits);
    // All but the attribute itself is done to what a reference leads to.
    if (!attributes.reference && !attributes.taken.contains('n')) {
        const auto target = referent(name);
        name = target && !target->contains('[') ? *target : name;
    }
    if (equals == std::string::npos || !attributes.taken.empty())
        takeAttributes(name, attributes);
    if (equals == std::string::npos)
        declareAttributes(name, word.value.span, attributes);
    else
        declareValue(word, name, end, attributes);
}

void Evaluator::takeAttributes(std::string_view name, const Attributes &attributes)
{
    Variable &variable = m_variables.edit(name);
    if (attributes.taken.contains('i'))
        variable.integerDoubt = variable.integerDoubt || variable.integer;
    if (attributes.taken.contains('x') && variable.exported)
        variable.add(Variable::unset()); // as a program started from here finds it
    if (attributes.taken.contains('n') && variable.reference) {
        if (variable.referenceDoubt)
            variable.add(Variable::of({Gapped::unknown()}));
        variable.reference = false;
        variable.referenceDoubt = false;
    }
}

void Evaluator::declareAttributes(std::string_view name, Span span, const Attributes &attributes)
{
    Variable &variable = m_variables.edit(name);
    const bool news = attributes.exported && !variable.exported;
    variable.exported = variable.exported || attributes.exported;
    variable.integerDoubt = variable.integerDoubt && !attributes.integer;
    variable.integer = variable.integer || attributes.integer;
    variable.level = m_level;
    if (attributes.reference && !variable.reference) {
        const auto refers = [&](const Datum &datum) {
            return !datum.set
                || (!datum.array && datum.elements.size() == 1 && isReferable(datum.elements.front().text, name));
        };
        variable.reference = true;
        variable.referenceDoubt = !std::ranges::all_of(variable.choices, refers);
        if (variable.referenceDoubt)
            note(DynamicReason::Program, span, std::string(name)); // bash refuses it
    }
    attribute(name, attributes);
    if (!news)
        return;
    for (const Datum &datum : m_variables.edit(name).choices) {
        for (const Gapped &element : datum.elements)
            m_result.assignments.push_back({std::string(name), Field::fromGapped(element, span).value, true, span});
    }
}

void Evaluator::declareValue(const Field &word, const std::string &name, std::size_t end, const Attributes &attributes)
{
    const Gapped text = word.gapped();
    const std::size_t equals = text.text.find('=');
    const bool subscripted = subscriptedAt(text.text, end);
    const bool append = equals > 0 && text.text[equals - 1] == '+';
    const Variable *before = m_variables.find(name, m_level);
    const bool arrays = attributes.array || attributes.associative;
    const bool list = arrays || (before != nullptr && before->choices.front().array);
    if (list && !subscripted && text.text.compare(equals + 1, 1, "(") == 0) {
        // The value is a list of its own: declare -a 'x=(…)'
        attribute(name, attributes);
        runText(text, m_dialect, word.value.span);
        return;
    }
    Gapped value = word.from(equals + 1).gapped();
    Variable variable = Variable::of({});
    if (append) {
        for (const Datum &datum : lookup(name)) {
            Gapped joined = datum.elements.empty() ? Gapped() : datum.elements.front();
            joined.append(value);
            variable.choices.push_back(Datum{.elements = {std::move(joined)}, .keys = {}});
        }
    } else {
        variable.choices.push_back(Datum{.elements = {std::move(value)}, .keys = {}});
    }
    if (arrays && !subscripted) {
        for (Datum &datum : variable.choices) {
            datum.array = true;
            datum.open = !datum.elements.front().known();
        }
    }
    if (append && subscripted)
        variable = Variable::of({Gapped::unknown()});
    if (attributes.reference) // evaluated when it is used
        evaluateTarget(variable.choices.front().elements.front(), word.value.span);
    variable.integer = attributes.integer;
    variable.reference = attributes.reference;
    variable.fold = attributes.fold;
    if (subscripted)
        storeInto(Gapped(text.text.substr(0, append ? equals - 1 : equals)), std::move(variable), word.value.span);
    else
        store(name, std::move(variable), word.value.span, attributes.exported);
    attribute(name, attributes);
}

} // namespace portcullis::shell
