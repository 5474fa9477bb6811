// SPDX-License-Identifier: Apache-2.0

// Parameters: bash manual, 3.5.3; POSIX 2.6.2.

#include "runner/shell/evaluator.h"

#include <algorithm>
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
        if (datum.array && !whole && !parameter.subscripted && datum.elements.size() > 1)
            datum.elements.resize(1);
        value.elements = std::move(datum.elements);
        if (datum.open && whole)
            value.elements.push_back(Gapped::unknown());
        const bool other = datum.open && !parameter.subscripted && !whole && value.elements.front().known();
        value.set = value.set && (!value.elements.empty() || !datum.array);
        if (other)
            result.emplace_back().elements.push_back(Gapped::unknown());
    }
    if (parameter.subscripted && !whole)
        subscriptOf(parameter, span, result);
    return result;
}

void Evaluator::subscriptOf(const Parameter &parameter, Span span, std::vector<Expansion> &values)
{
    const Choices subscripts = expandText(parameter.subscript, WordUse::Single);
    for (const Gapped &subscript : subscripts)
        evaluateHidden(subscript, span);
    std::vector<Expansion> result;
    const std::vector<Datum> data = lookup(parameter.name);
    for (std::size_t i = 0; i < values.size(); ++i) {
        for (const Gapped &subscript : subscripts) {
            if (values[i].openEnded && result.size() < maxChoices)
                result.emplace_back().elements.push_back(Gapped::unknown());
            std::optional<std::size_t> at;
            const auto &keys = i < data.size() ? data[i].keys : std::vector<std::string>{};
            if (const auto key = std::ranges::find(keys, subscript.text); subscript.known() && key != keys.end())
                at = static_cast<std::size_t>(key - keys.begin());
            else if (const auto number = arithmetic(subscript, span); number && keys.empty())
                at = *number >= 0 ? static_cast<std::size_t>(*number)
                                  : values[i].elements.size() + static_cast<std::size_t>(*number);
            if (at && *at >= values[i].elements.size() && values[i].openEnded)
                continue;
            if (at) {
                Expansion one = values[i];
                one.set = *at < values[i].elements.size();
                one.elements.assign(one.set ? 1 : 0, one.set ? values[i].elements[*at] : Gapped());
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
        values.assign(1, Expansion{.elements = {Gapped::unknown()}});
        return;
    }
    std::vector<Expansion> result;
    for (const Expansion &value : values) {
        if (!value.set || value.elements.empty())
            continue;
        const Gapped &name = value.elements.front();
        evaluateHidden(name, span);
        if (!name.known()) {
            result.push_back({.elements = {Gapped::unknown()}});
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
    return {draft};
}

void Evaluator::parameter(const Piece &piece, WordUse use, std::vector<Draft> &drafts)
{
    const Parameter &parameter = *piece.parameter;
    const Span span = map(piece.span);
    if (m_dialect == Dialect::Sh
        && ((parameter.op.empty() && !parameter.operand.pieces.empty()) || parameter.name.empty())) {
        m_state.ended = ShellState::Ended::Exit; // "bad substitution" ends the shell
        return;
    }
    if (listsNames(parameter)) {
        drafts = product(drafts, namesWith(parameter, piece.quoted));
        return;
    }
    std::vector<Expansion> values = resolve(parameter, span);
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
    if (!value.set || value.elements.empty())
        return {draft}; // operators of a parameter without a value are not evaluated
    if (op == ":" && value.list) {
        const auto from = offsetOf(parameter.operand);
        const auto length = parameter.hasSecond ? offsetOf(parameter.second) : std::optional<std::int64_t>(INT32_MAX);
        if (!from || !length) {
            value.elements.assign(1, Gapped::unknown());
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
        }
    } else if (op.empty() && !parameter.operand.pieces.empty()) {
        value.elements.assign(1, Gapped::unknown()); // an operator that is not known here, or none at all
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
            storeInto(Gapped(parameter.name + (parameter.subscripted ? "[" : "")), Variable::of(std::move(values)),
                      span);
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

Gapped Evaluator::transform(const Parameter &parameter, const Gapped &value, Span span)
{
    const std::string &op = parameter.op;
    if (!spend(value.text.size() + 8))
        return Gapped::unknown();
    if (op == "@") {
        const Choices letters = expandText(parameter.operand, WordUse::Single);
        const std::string &letter = letters.front().text;
        if (letter == "P") {
            evaluateExpansions(value, span);
            return value.text.find_first_of("$`\\") == std::string::npos ? value : Gapped::unknown();
        }
        if (letter == "U" || letter == "L" || letter == "u") {
            Gapped result = value;
            for (std::size_t i = 0; i < result.text.size() && (letter != "u" || i == 0); ++i) {
                const auto c = static_cast<unsigned char>(result.text[i]);
                result.text[i] = static_cast<char>(letter == "L" ? std::tolower(c) : std::toupper(c));
            }
            return result;
        }
        if (letter == "Q" && value.text.find_first_of("'\n\t\x01") == std::string::npos) {
            Gapped result("'");
            result.append(value);
            result.append(Gapped("'"));
            return result;
        }
        return letter == "E" && value.text.find('\\') == std::string::npos ? value : Gapped::unknown();
    }
    if (op == ":") {
        const auto from = offsetOf(parameter.operand);
        const auto length = parameter.hasSecond ? offsetOf(parameter.second) : std::optional<std::int64_t>(INT32_MAX);
        if (!from || !length || !value.known())
            return Gapped::unknown();
        const auto size = static_cast<std::int64_t>(value.text.size());
        const std::int64_t start = std::clamp<std::int64_t>(*from < 0 ? *from + size : *from, 0, size);
        const std::int64_t end = *length < 0 ? size + *length : std::min(size, start + *length);
        return end < start
            ? Gapped()
            : Gapped(value.text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
    }
    if (op.starts_with('^') || op.starts_with(',') || op.starts_with('~'))
        return changeCase(value, parameter);
    const auto pattern = patternOf(parameter.operand);
    if (op.starts_with('/')) {
        const Choices with = parameter.hasSecond ? expandText(parameter.second, WordUse::Single) : Choices{Gapped()};
        // `&` in it is what was found, unless it was quoted or the shell is an old one.
        const bool plain = with.size() == 1 && !with.front().text.contains('&');
        return pattern && plain ? replace(value, *pattern, with.front(), op, span) : Gapped::unknown();
    }
    return pattern ? trim(value, *pattern, op) : Gapped::unknown();
}

std::optional<std::int64_t> Evaluator::offsetOf(const Word &word)
{
    const Choices values = expandText(word, WordUse::Single);
    return values.size() == 1 ? arithmetic(values.front(), map(word.span)) : std::nullopt;
}

std::optional<Pattern> Evaluator::patternOf(const Word &word)
{
    const std::vector<Draft> alternatives = drafts(word.pieces, WordUse::Pattern);
    if (alternatives.size() != 1 || !alternatives.front().gaps.empty())
        return std::nullopt;
    Pattern pattern;
    const Draft &draft = alternatives.front();
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    if (m_anyCase && std::ranges::any_of(draft.text, letter))
        return std::nullopt;
    for (std::size_t i = 0; i < draft.text.size(); ++i) {
        // An extended pattern, when the shell takes them.
        if (draft.mark(i) != Mark::Quoted && i + 1 < draft.text.size() && draft.text[i + 1] == '('
            && std::string_view("?*+@!").contains(draft.text[i]))
            return std::nullopt;
        pattern.add(draft.text[i], draft.mark(i) == Mark::Quoted);
    }
    return pattern;
}

Gapped Evaluator::trim(const Gapped &value, const Pattern &pattern, std::string_view op)
{
    if (!value.known())
        return Gapped::unknown();
    const std::string_view text = value.text;
    const bool prefix = op[0] == '#';
    const bool longest = op.size() == 2;
    std::int64_t steps = 200'000;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const std::size_t length = longest ? text.size() - i : i;
        const std::string_view part = prefix ? text.substr(0, length) : text.substr(text.size() - length);
        const auto hit = matches(pattern, part, steps);
        spend(part.size() / 8 + 1);
        if (!hit)
            return Gapped::unknown();
        if (*hit)
            return Gapped(std::string(prefix ? text.substr(length) : text.substr(0, text.size() - length)));
    }
    return value;
}

Gapped Evaluator::replace(const Gapped &value, const Pattern &pattern, const Gapped &with, std::string_view op,
                          Span span)
{
    if (pattern.text.empty()) {
        // It is found at the end that is asked for, and nowhere else.
        Gapped result = op == "/#" ? with : value;
        if (op == "/#" || op == "/%")
            result.append(op == "/#" ? value : with);
        return result;
    }
    if (!value.known())
        return Gapped::unknown();
    const std::string_view text = value.text;
    std::int64_t steps = 200'000;
    Gapped result;
    std::size_t at = 0;
    bool done = false;
    const bool literal = pattern.isLiteral();
    while (at < text.size()) {
        std::size_t hit = 0;
        const bool here = !done && (op != "/#" || at == 0);
        if (here && literal) {
            hit = text.substr(at).starts_with(pattern.text) ? pattern.text.size() : 0;
            --steps;
        }
        for (std::size_t length = here && !literal ? text.size() - at : 0; length > 0; --length) {
            if (matches(pattern, text.substr(at, length), steps).value_or(false)) {
                hit = length;
                break;
            }
        }
        if (steps < 0 || !spend(1))
            return Gapped::unknown();
        if (hit == 0 || (op == "/%" && at + hit != text.size())) {
            result.text += text[at++];
            continue;
        }
        // Charged before it is built: a short text makes a long result.
        if (result.text.size() + with.text.size() > m_limits.valueBytes || !spend(with.text.size() * 4)) {
            beyondLimits(span, {});
            return Gapped::unknown();
        }
        result.append(with);
        at += hit;
        done = op != "//";
    }
    return result;
}

Gapped Evaluator::changeCase(const Gapped &value, const Parameter &parameter)
{
    Gapped result = value;
    const bool all = parameter.op.size() == 2;
    const char change = parameter.op[0]; // `~` turns the case
    std::optional<Pattern> pattern;
    if (!parameter.operand.pieces.empty()) {
        pattern = patternOf(parameter.operand);
        if (!pattern)
            return Gapped::unknown();
    }
    for (std::size_t i = 0; i < result.text.size() && (all || i == 0); ++i) {
        std::int64_t steps = 1000;
        if (pattern && !pattern->text.empty()
            && !matches(*pattern, std::string_view(result.text).substr(i, 1), steps).value_or(true))
            continue;
        const auto c = static_cast<unsigned char>(result.text[i]);
        const bool upper = change == '^' || (change == '~' && std::islower(c) != 0);
        result.text[i] = static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
    }
    return result;
}

} // namespace portcullis::shell
