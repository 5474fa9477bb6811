// SPDX-License-Identifier: Apache-2.0

// Builtins that set variables.

#include "runner/shell/arrays.h"
#include "runner/shell/builtin_options.h"
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
            evaluateTarget(run.words[2].gapped(), run.words[2].value.span);
            store(run.words[2].value.text, Variable::of({Gapped::unknown()}), run.span, false);
            // One of the words, or what stands behind the letter in it.
            Choices arguments;
            for (std::size_t i = 3; i < run.words.size(); ++i) {
                const bool glued = isOption(run.words[i]) && run.words[i].value.text.size() > 2;
                addChoice(arguments, glued ? run.words[i].from(2).gapped() : run.words[i].gapped());
            }
            for (const Positional &given : *m_state.positional) {
                for (const Gapped &word : run.words.size() > 3 ? std::vector<Gapped>{} : given.values)
                    addChoice(arguments, word.text.starts_with('-') ? Gapped::unknown() : word);
            }
            addChoice(arguments, Gapped::unknown());
            store("OPTARG", Variable::of(std::move(arguments)), run.span, false);
        }
        break;
    case Builtin::Hash:
        hashBuiltin(run);
        break;
    case Builtin::Complete:
        completeBuiltin(run);
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
                evaluateTarget(Gapped(word.value.text), word.value.span); // wait -p 'a[$(…)]'
        }
        if (run.words[0].value.text == "break" || run.words[0].value.text == "continue")
            mayBreak();
        if (run.words[0].value.text == "enable" && run.words.size() > 2 && isOption(run.words[1])) {
            for (std::size_t i = 2; i < run.words.size(); ++i)
                m_disabledBuiltins.insert(run.words[i].value.text);
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
    Attributes set;
    set.exported = name == "export";
    set.fixed = name == "readonly";
    set.local = name == "local" || !m_locals.empty();
    bool functions = false;
    std::size_t from = 1;
    for (; from < run.words.size() && isOption(run.words[from]); ++from) {
        const std::string &option = run.words[from].value.text;
        if (option == "--") {
            ++from;
            break;
        }
        const auto has = [&](char letter) { return option.contains(letter); };
        set.exported = set.exported || has('x');
        set.integer = set.integer || has('i');
        set.reference = set.reference || (has('n') && name != "export");
        set.fixed = set.fixed || has('r');
        set.array = set.array || has('a');
        set.associative = set.associative || has('A');
        functions = functions || has('f');
        set.local = set.local && !has('g');
        for (const char letter : {'l', 'u', 'c'}) {
            if (has(letter))
                set.fold = set.fold != 0 || option[0] == '+' ? '?' : letter;
        }
    }
    if (name == "export" || name == "readonly")
        set.local = false;
    for (; from < run.words.size(); ++from) {
        const Field &word = run.words[from];
        if (functions) {
            if (const auto found = m_functions.find(word.value.text); found != m_functions.end()) {
                for (Function &function : found->second)
                    function.exported = function.exported || set.exported;
            }
            continue;
        }
        // `declare` takes a subscript in the name, `export` and `readonly` do not.
        const bool unread = !word.value.known() && word.value.gaps.front() <= word.value.text.find('=');
        if (unread && (name == "declare" || name == "local"))
            noteUnread(word.gapped(), word.value.span);
        declareOne(word, set);
    }
    if (run.command != nullptr) {
        for (const auto &[index, each] : run.command->assignArgs) {
            Attributes before = set;
            before.fixed = false;
            attribute(each.name, before);
            assign(each, set.exported, set.local);
            attribute(each.name, set);
        }
    }
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
    const auto &[exported, local, integer, reference, fixed, array, associative, fold] = attributes;
    const Gapped text = word.gapped();
    const std::size_t end = nameEnd(text.text);
    if (end == 0)
        return;
    if (!text.gaps.empty() && text.gaps.front().offset < end)
        return;
    const std::string name = text.text.substr(0, end);
    std::size_t equals = text.text.find('=');
    if (text.text[std::min(end, text.text.size() - 1)] == '[')
        evaluateTarget(Gapped(text.text.substr(0, equals)), word.value.span);
    if (local && !m_locals.empty())
        makeLocal(name);
    if (equals == std::string::npos) {
        Variable &variable = m_variables.edit(name);
        const bool news = exported && !variable.exported;
        variable.exported = variable.exported || exported;
        variable.integerDoubt = variable.integerDoubt && !integer;
        variable.integer = variable.integer || integer;
        variable.reference = variable.reference || reference;
        variable.level = m_level;
        attribute(name, attributes);
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
    const Variable *before = m_variables.find(name, m_level);
    const bool list = array || associative || (before != nullptr && before->choices.front().array);
    if (list && text.text[end] != '[' && text.text.compare(equals + 1, 1, "(") == 0) {
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
    if ((array || associative) && text.text[end] != '[') {
        for (Datum &datum : variable.choices) {
            datum.array = true;
            datum.open = !datum.elements.front().known();
        }
    }
    if (reference) // evaluated when it is used
        evaluateTarget(variable.choices.front().elements.front(), word.value.span);
    variable.integer = integer;
    variable.reference = reference;
    variable.fold = fold;
    if (text.text[std::min(end, text.text.size() - 1)] == '[')
        storeInto(Gapped(text.text.substr(0, equals)), std::move(variable), word.value.span);
    else
        store(name, std::move(variable), word.value.span, exported);
    attribute(name, attributes);
}

void Evaluator::testBuiltin(const Run &run)
{
    // test -v and the subscripts of bash evaluate their operand; so do numeric comparisons of some shells.
    for (std::size_t i = 1; i + 1 < run.words.size(); ++i) {
        if (run.words[i].value.text == "-v" || run.words[i].value.text == "-R")
            evaluateTarget(run.words[i + 1].gapped(), run.words[i + 1].value.span);
    }
}

std::string Evaluator::referredName(const std::string &name) const
{
    const Variable *variable = m_variables.find(name, m_level);
    if (variable == nullptr || !variable->reference || variable->choices.front().elements.size() != 1)
        return name;
    const std::string &target = variable->choices.front().elements.front().text;
    return target.empty() || target.contains('[') ? name : target;
}

void Evaluator::unsetBuiltin(const Run &run)
{
    const BuiltinOptions given = builtinOptions(run.words, "fnv", {});
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        if (isOption(run.words[i]))
            continue;
        const Field &word = run.words[i];
        noteUnread(word.gapped(), word.value.span);
        if (const std::size_t bracket = word.value.text.find('['); bracket != std::string::npos) {
            evaluateTarget(word.gapped(), word.value.span);
            const std::string name = referredName(word.value.text.substr(0, bracket));
            const Variable *old = m_variables.find(name, m_level);
            if (old == nullptr || old->fixed)
                continue;
            std::string inside = word.value.text.substr(bracket + 1);
            if (inside.ends_with(']'))
                inside.pop_back();
            const bool plain = word.value.known() && inside.find_first_of("$`'\"\\") == std::string::npos;
            Subscript at;
            at.associative = old->associative;
            at.text = plain ? Gapped(inside) : Gapped::unknown();
            if (!at.associative && inside != "@" && inside != "*")
                at.number = arithmetic(at.text, word.value.span);
            Variable less = *old;
            bool sure = true;
            for (Datum &datum : less.choices)
                sure = spend(datum.elements.size() + 20) && eraseElement(datum, at) && sure;
            if (!sure) { // any element may be gone, or all of them
                less.add(Variable::unset());
                less.add(Variable::of({Gapped::unknown()}));
            }
            m_variables.set(name, std::move(less));
            continue;
        }
        if (!given.has('f')) {
            Variable variable = Variable::unset();
            const std::string name = referredName(word.value.text);
            if (const Variable *old = m_variables.find(name, m_level); old != nullptr && old->fixed)
                variable.add(*old);
            variable.level = m_level;
            m_variables.set(name, std::move(variable));
        }
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
    const auto text = printfOutput(std::span(run.words).subspan(glued ? 2 : 3), m_dialect);
    evaluateTarget(name.gapped(), name.value.span);
    if (name.value.known())
        storeInto(name.gapped(), Variable::of({text ? *text : Gapped::unknown(invocation)}), run.span);
}

} // namespace portcullis::shell
