// SPDX-License-Identifier: Apache-2.0

// Parameters: bash manual, 3.5.3; POSIX 2.6.2.

#include "runner/shell/arrays.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace portcullis::shell {

struct Evaluator::Expansion {
    std::vector<Gapped> elements;
    bool set = true;
    bool list = false; ///< $@, $*, ${a[@]}, ${a[*]}
    bool joined = false; ///< … with * inside quotes
    bool openEnded = false;
    bool unset = false; ///< nothing ever set it
    std::vector<std::string> keys; ///< of elements that do not stand at 0, 1, 2 …
};

namespace {

bool isListName(std::string_view name)
{
    return name == "@" || name == "*";
}

} // namespace

std::vector<Evaluator::Expansion> Evaluator::resolve(const Parameter &parameter, Span span)
{
    std::vector<Expansion> result;
    if (isListName(parameter.name)) {
        for (const Positional &alternative : *m_state.positional) {
            Expansion &value = result.emplace_back();
            value.elements = alternative.values;
            value.set = !alternative.values.empty() || alternative.openEnded;
            value.list = true;
            value.joined = parameter.name == "*";
            value.openEnded = alternative.openEnded;
            if (alternative.openEnded)
                value.elements.push_back(Gapped::unknown());
        }
        return result;
    }
    bool unset = false;
    const bool whole = parameter.subscripted && parameter.subscript.pieces.size() == 1
        && isListName(parameter.subscript.pieces.front().text);
    for (Datum &datum : lookup(parameter.name, &unset)) {
        Expansion &value = result.emplace_back();
        value.set = datum.set;
        value.list = whole;
        value.joined = whole && parameter.subscript.pieces.front().text == "*";
        value.unset = unset && !datum.set;
        value.openEnded = datum.open;
        if (datum.array && !whole && !parameter.subscripted) {
            const Gapped *first = firstElement(datum);
            datum.elements = first != nullptr ? std::vector<Gapped>{*first} : std::vector<Gapped>();
        }
        value.elements = std::move(datum.elements);
        if (whole)
            value.keys = std::move(datum.keys);
        if (datum.open && whole)
            value.elements.push_back(Gapped::unknown());
        const bool other = datum.open && !parameter.subscripted && !whole
            && (value.elements.empty() || value.elements.front().known());
        value.set = value.set && (!value.elements.empty() || !datum.array);
        if (other)
            result.emplace_back().elements.push_back(Gapped::unknown());
    }
    gatewayVariable(parameter.name, span, result);
    if (parameter.subscripted && !whole)
        subscriptOf(parameter, span, result);
    const Variable *variable = m_variables.find(referent(parameter.name).value_or(parameter.name), m_level);
    if (whole && variable != nullptr && variable->associative)
        anyOrder(result);
    return result;
}

void Evaluator::gatewayVariable(std::string_view name, Span span, std::vector<Expansion> &values)
{
    Value variable;
    variable.text = "$" + referent(name).value_or(std::string(name));
    variable.span = span;
    const std::string_view real = std::string_view(variable.text).substr(1);
    const auto setHere = [&](const Variable *known) {
        return known != nullptr && std::ranges::any_of(known->choices, &Datum::set);
    };
    if (!real.starts_with("GOCLAW_") || setHere(m_variables.find(real, m_level)) || m_context.variables.contains(real))
        return;
    std::erase_if(values, [](const Expansion &value) {
        return value.elements == std::vector{Gapped::unknown()}; // says less of the same
    });
    values.emplace_back().elements.push_back(Gapped::unknown(fileSource(variable)));
}

/// What stands for elements that are not known.
static Gapped anyUnknown(const std::vector<Gapped> &elements)
{
    const auto found = std::ranges::find_if(elements, [](const Gapped &each) { return !each.known(); });
    return found != elements.end() ? *found : Gapped::unknown();
}

void Evaluator::anyOrder(std::vector<Expansion> &values)
{
    // Elements of associative arrays come in an order of the shell's own: any may be the first.
    std::vector<Expansion> result;
    for (Expansion &value : values) {
        for (std::size_t i = 0; i < std::max<std::size_t>(value.elements.size(), 1); ++i) {
            if (result.size() >= maxChoices) {
                result.back().elements.assign(1, Gapped::unknown());
                break;
            }
            result.push_back(value);
            if (!value.elements.empty())
                std::ranges::rotate(value.elements, value.elements.begin() + 1);
        }
    }
    values = std::move(result);
}

void Evaluator::subscriptOf(const Parameter &parameter, Span span, std::vector<Expansion> &values)
{
    const Choices subscripts = expandText(parameter.subscript, WordUse::Single);
    const Variable *variable = m_variables.find(referent(parameter.name).value_or(parameter.name), m_level);
    const bool associative = variable != nullptr && variable->associative;
    for (const Gapped &subscript : subscripts)
        evaluateKey(subscript, span, associative);
    std::vector<Expansion> result;
    const std::vector<Datum> data = lookup(parameter.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (const Gapped &subscript : subscripts) {
            if (values[i].openEnded && result.size() < maxChoices)
                result.emplace_back().elements.push_back(anyUnknown(values[i].elements));
            Subscript at{.text = subscript, .number = {}, .associative = associative};
            if (!associative)
                at.number = arithmetic(subscript, span);
            if (!associative && !at.number)
                mayLeave();
            std::size_t place = 0;
            const Element where = i < data.size() ? findElement(data[i], at, place) : Element::Unknown;
            if (where == Element::Missing && values[i].openEnded)
                continue;
            if (where != Element::Unknown) {
                Expansion one = values[i];
                one.set = where == Element::Found && place < values[i].elements.size();
                one.elements.assign(one.set ? 1 : 0, one.set ? values[i].elements[place] : Gapped());
                result.push_back(std::move(one));
                continue;
            }
            for (const Gapped &element : values[i].elements) {
                if (result.size() >= maxChoices)
                    break;
                Expansion one = values[i];
                one.elements = {element};
                result.push_back(std::move(one));
            }
        }
    }
    if (result.empty())
        result.emplace_back().set = false;
    values = std::move(result);
}

void Evaluator::indirection(const Parameter &parameter, Span span, std::vector<Expansion> &values)
{
    if (parameter.subscripted && !values.empty() && values.front().list) {
        for (Expansion &value : values)
            value.elements = {Gapped::unknown()};
        const std::vector<Datum> data = lookup(parameter.name);
        for (std::size_t i = 0; i < data.size() && i < values.size(); ++i) {
            values[i].elements.clear();
            for (const std::string &key : keysOf(data[i]))
                values[i].elements.emplace_back(key);
            if (data[i].open)
                values[i].elements.push_back(Gapped::unknown());
        }
        return;
    }
    if (const Variable *named = m_variables.find(parameter.name, m_level);
        named != nullptr && named->reference && !parameter.subscripted) { // the name itself
        const auto target = referent(parameter.name);
        values.assign(1, {.elements = {target ? Gapped(*target) : Gapped::unknown()}, .keys = {}});
        return;
    }
    std::vector<Expansion> result;
    for (const Expansion &value : values) {
        if (!value.set || value.elements.empty()) {
            if (detail::isName(parameter.name)) // a parameter like 1 is spared
                mayLeave();
            result.push_back({.elements = {Gapped::unknown()}, .keys = {}});
            continue;
        }
        const Gapped &name = value.elements.front();
        evaluateHidden(name, span);
        const std::string_view whole = std::string_view(name.text).substr(0, name.text.find('['));
        if (!name.known() || !detail::isName(whole))
            mayLeave();
        if (!name.known()) {
            result.push_back({.elements = {Gapped::unknown()}, .keys = {}});
            continue;
        }
        Parameter target;
        target.name = name.text;
        if (const std::size_t open = name.text.find('['); open != std::string::npos && name.text.ends_with(']')) {
            target.name = name.text.substr(0, open);
            target.subscripted = true;
            Piece key;
            key.text = name.text.substr(open + 1, name.text.size() - open - 2);
            target.subscript.pieces.push_back(std::move(key));
        }
        std::ranges::move(resolve(target, span), std::back_inserter(result));
    }
    if (result.empty())
        result.emplace_back().set = false;
    values = std::move(result);
}

/// `${!prefix*}` and `${!prefix@}`
static bool listsNames(const Parameter &parameter)
{
    const auto &operand = parameter.operand.pieces;
    const bool star = parameter.op.empty() && operand.size() == 1 && operand.front().text == "*";
    return parameter.indirect && !parameter.subscripted && (star || (parameter.op == "@" && operand.empty()));
}

std::vector<Draft> Evaluator::namesWith(const Parameter &parameter, bool quoted)
{
    std::set<std::string_view> names;
    const auto add = [&](std::string_view name) {
        if (name.starts_with(parameter.name))
            names.insert(name);
    };
    for (const auto &[name, variable] : m_variables.all())
        add(name);
    for (const auto &[name, value] : m_context.variables)
        add(name);
    for (const std::string_view name : namesOfTheShell())
        add(name);
    const auto listed = [&] {
        Draft draft;
        draft.quoted = quoted && !names.empty();
        draft.bare = !quoted;
        for (const std::string_view name : names) {
            spend(name.size() + 30);
            if (name != *names.begin() && quoted && parameter.op.empty())
                draft.add(separators().substr(0, 1), Mark::Quoted);
            else if (name != *names.begin())
                draft.addBreak();
            draft.add(name, quoted ? Mark::Quoted : Mark::Expanded);
        }
        return draft;
    };
    std::vector<Draft> result{listed()};
    // An environment that nobody has cleared has the gateway's variables too.
    const std::size_t known = names.size();
    add("GOCLAW_GATEWAY_TOKEN");
    if (names.size() > known)
        result.push_back(listed());
    return result;
}

void Evaluator::parameter(const Piece &piece, WordUse use, std::vector<Draft> &drafts)
{
    const Parameter &parameter = *piece.parameter;
    const Span span = map(piece.span);
    if (m_dialect == Dialect::Sh
        && ((parameter.op.empty() && !parameter.operand.pieces.empty()) || parameter.name.empty())) {
        mayLeave();
        if (m_documents == 0)
            m_state.ended = ShellState::Ended::Exit; // "bad substitution" ends the shell
        return;
    }
    if (listsNames(parameter)) {
        drafts = product(drafts, namesWith(parameter, piece.quoted));
        return;
    }
    std::vector<Expansion> values = resolve(parameter, span);
    if (m_unsetEnds && std::ranges::any_of(values, [](const Expansion &value) { return !value.set; }))
        mayEnd();
    for (const Expansion &value : values) {
        spend(value.elements.size() * 8);
        for (const Gapped &element : value.elements)
            spend(element.text.size() * 2);
    }
    if (parameter.indirect)
        indirection(parameter, span, values);
    std::vector<Draft> tails;
    for (Expansion &value : values) {
        for (Draft &tail : operate(parameter, std::move(value), piece.quoted, use, span)) {
            if (tails.size() <= maxChoices)
                tails.push_back(std::move(tail));
        }
    }
    drafts = product(drafts, tails);
}

void Evaluator::dropBelow(Expansion &value, std::int64_t from, std::int64_t length)
{
    std::vector<Gapped> kept;
    for (std::size_t i = 0; i < value.elements.size() && static_cast<std::int64_t>(kept.size()) < length; ++i) {
        std::int64_t key = from; // one that is not known may be kept
        if (i < value.keys.size())
            std::from_chars(value.keys[i].data(), value.keys[i].data() + value.keys[i].size(), key);
        if (key >= from)
            kept.push_back(value.elements[i]);
    }
    value.elements = std::move(kept);
}

std::vector<Draft> Evaluator::operate(const Parameter &parameter, Expansion value, bool quoted, WordUse use, Span span)
{
    const std::string &op = parameter.op;
    if (op == "-" || op == ":-" || op == "=" || op == ":=" || op == "?" || op == ":?" || op == "+" || op == ":+")
        return byDefault(parameter, value, quoted, use, span);
    Draft draft;
    draft.quoted = quoted && (!value.list || value.joined || !value.elements.empty());
    draft.bare = !quoted;
    draft.usesUnset = value.unset && !value.list;
    const Mark mark = quoted ? Mark::Quoted : Mark::Expanded;
    if (parameter.length) {
        if (value.list)
            draft.add(value.openEnded ? Gapped::unknown() : Gapped(std::to_string(value.elements.size())), mark);
        else if (value.set && !value.elements.empty() && !value.elements.front().known())
            draft.add(Gapped::unknown(), mark);
        else
            draft.add(std::to_string(value.elements.empty() ? 0 : value.elements.front().text.size()), mark);
        return {draft};
    }
    if (op.empty() && !parameter.operand.pieces.empty())
        mayLeave(); // an operator that is not known here, or none at all
    // Operators of a parameter without a value are not evaluated, but $@ may begin with $0.
    if ((!value.set || value.elements.empty()) && (op != ":" || !isListName(parameter.name)))
        return {draft};
    if (op == ":" && value.list) {
        const auto from = offsetOf(parameter.operand);
        const auto length = parameter.hasSecond ? offsetOf(parameter.second) : std::optional<std::int64_t>(INT32_MAX);
        if (!from || !length || *length < 0)
            mayLeave();
        if (!from || !length || (!value.keys.empty() && *from < 0)) {
            value.elements.assign(1, Gapped::unknown());
        } else if (!value.keys.empty()) {
            dropBelow(value, *from, *length);
        } else {
            // $@ counts from 1, with $0 before it
            std::int64_t start = isListName(parameter.name) ? *from - 1 : *from;
            if (start < 0 && isListName(parameter.name) && *from == 0)
                value.elements.insert(value.elements.begin(), special("0", nullptr).front().elements.front()),
                    start = 0;
            const auto size = static_cast<std::int64_t>(value.elements.size());
            start = std::clamp<std::int64_t>(start < 0 ? start + size : start, 0, size);
            const std::int64_t end = *length >= 0 ? std::min(size, start + *length) : size;
            value.elements = {value.elements.begin() + start, value.elements.begin() + end};
            draft.quoted = quoted && (value.joined || !value.elements.empty());
        }
    } else if (op.empty() && !parameter.operand.pieces.empty()) {
        value.elements.assign(1, Gapped::unknown());
    } else if (!op.empty()) {
        for (Gapped &element : value.elements)
            element = transform(parameter, element, span);
    }
    for (std::size_t i = 0; i < value.elements.size(); ++i) {
        if (i > 0 && value.joined && quoted)
            draft.add(separators().substr(0, 1), mark);
        else if (i > 0)
            draft.addBreak();
        draft.add(value.elements[i], mark);
    }
    return {draft};
}

std::vector<Draft> Evaluator::byDefault(const Parameter &parameter, const Expansion &value, bool quoted, WordUse use,
                                        Span span)
{
    const bool colon = parameter.op.size() == 2;
    const char what = parameter.op.back();
    const bool some = value.set && !value.elements.empty();
    bool mayBeSet = some;
    bool mayBeUnset = !some;
    if (some && colon && value.elements.size() == 1) {
        const Gapped &only = value.elements.front();
        mayBeSet = !only.known() || !only.text.empty();
        mayBeUnset = only.text.empty();
    }
    std::vector<Draft> result;
    if (what == '?' && mayBeUnset)
        mayEnd();
    const bool usesOperand = what == '+' ? mayBeSet : mayBeUnset;
    const bool usesValue = what != '+' && mayBeSet;
    if (usesValue) {
        Parameter plain;
        plain.name = parameter.name;
        result = operate(plain, value, quoted, use, span);
    }
    if (usesOperand) {
        std::vector<Draft> operands =
            drafts(parameter.operand.pieces, use == WordUse::Argument ? WordUse::Single : use);
        for (Draft &draft : operands) {
            if (quoted) {
                std::ranges::replace_if(
                    draft.marks, [](char mark) { return mark != static_cast<char>(Mark::Break); },
                    static_cast<char>(Mark::Quoted));
                draft.quoted = true;
                draft.bare = false;
            } else {
                std::ranges::replace(draft.marks, static_cast<char>(Mark::Literal), static_cast<char>(Mark::Expanded));
                draft.bare = true;
                if (use == WordUse::Argument && draft.text.starts_with('~')
                    && draft.marks[0] == static_cast<char>(Mark::Expanded)) {
                    draft.marks[0] = static_cast<char>(Mark::Literal);
                    tilde(draft, WordUse::Single);
                }
            }
        }
        if (what == '=') {
            Choices values;
            for (const Draft &draft : operands)
                addChoice(values, draft.gapped());
            Gapped target(parameter.name);
            if (parameter.subscripted) {
                const Choices subscripts = expandText(parameter.subscript, WordUse::Single);
                target.append(Gapped("["));
                target.append(subscripts.size() == 1 ? subscripts.front() : Gapped::unknown());
                target.append(Gapped("]"));
            }
            Variable assigned = Variable::of(std::move(values));
            const std::string named = referent(parameter.name).value_or(parameter.name);
            if (const Variable *old = m_variables.find(named, m_level); old != nullptr && !parameter.subscripted) {
                // Where it has a value it keeps it.
                for (const Datum &datum : old->choices) {
                    Variable kept;
                    kept.choices.push_back(datum);
                    const bool empty = datum.elements.size() == 1 && datum.elements.front() == Gapped();
                    if (datum.set && !(colon && empty))
                        assigned.add(kept);
                }
            }
            storeInto(target, std::move(assigned), span);
        }
        if (what != '?' || !mayBeSet)
            std::ranges::move(operands, std::back_inserter(result));
    }
    if (what == '+' && mayBeUnset) {
        Draft &nothing = result.emplace_back();
        nothing.quoted = quoted;
        nothing.bare = !quoted;
    }
    if (result.empty())
        result.emplace_back().quoted = quoted;
    return result;
}

} // namespace portcullis::shell
