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
            if (!run.words[2].value.text.contains('['))
                storeInto(run.words[2].gapped(), Variable::of({Gapped::unknown()}), run.span);
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
        if (run.words[0].value.text == "wait") {
            const BuiltinOptions options = builtinOptions(run.words, "fn", "p");
            if (const Field *number = options.value('p'))
                storeInto(number->gapped(), Variable::of({Gapped::unknown()}), run.span);
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

void Evaluator::testBuiltin(const Run &run)
{
    // test -v and the subscripts of bash evaluate their operand; so do numeric comparisons of some shells.
    for (std::size_t i = 1; i + 1 < run.words.size(); ++i) {
        if (run.words[i].value.text == "-v" || run.words[i].value.text == "-R")
            evaluateTarget(run.words[i + 1].gapped(), run.words[i + 1].value.span);
    }
}

void Evaluator::unsetElement(const Field &word, const std::string &name)
{
    const Variable *old = m_variables.find(name, m_level);
    if (old == nullptr || old->fixed)
        return;
    const std::string &text = word.value.text;
    const std::size_t bracket = text.find('[');
    const std::string inside = text.substr(bracket + 1, text.size() - bracket - 2);
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
}

void Evaluator::unsetOne(const Field &word, bool reference)
{
    noteUnread(word.gapped(), word.value.span);
    if (word.value.text.contains('['))
        evaluateTarget(word.gapped(), word.value.span);
    const std::string name = word.value.text.substr(0, word.value.text.find('['));
    if (reference) {
        const Variable *old = m_variables.find(name, m_level);
        if (old == nullptr || !old->reference)
            return; // `unset -n` leaves other variables alone
        if (old->referenceDoubt)
            note(DynamicReason::Program, word.value.span, name);
        unsetVariable(name);
        return;
    }
    const auto target = referent(name);
    if (!target) {
        note(DynamicReason::Program, word.value.span, name);
        return;
    }
    const bool toElement = target->contains('[');
    const bool element = word.value.text.contains('[');
    if (element && (m_dialect == Dialect::Sh || !word.value.text.ends_with(']') || toElement))
        return; // no name: nothing happens
    if (element)
        unsetElement(word, *target);
    else if (toElement)
        unsetElement(Field::fromGapped(Gapped(*target), word.value.span), target->substr(0, target->find('[')));
    else
        unsetVariable(*target);
}

void Evaluator::unsetBuiltin(const Run &run)
{
    const BuiltinOptions given = builtinOptions(run.words, "fnv", {});
    for (std::size_t i = given.operand; i < run.words.size(); ++i) {
        const Field &word = run.words[i];
        if (!given.has('f'))
            unsetOne(word, given.has('n'));
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
    storeInto(name.gapped(), Variable::of({text ? *text : Gapped::unknown(invocation)}), run.span);
}

} // namespace portcullis::shell
