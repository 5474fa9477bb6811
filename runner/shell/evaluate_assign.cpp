// SPDX-License-Identifier: Apache-2.0

// Variables: what they hold, and texts in them that a shell evaluates later.

#include "runner/shell/arrays.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cstdint>
#include <utility>

namespace portcullis::shell {

namespace {

/// Set by the shell to something that the text does not show.
constexpr std::array<std::string_view, 56> dynamicNames{"BASH_ALIASES",
                                                        "BASH_CMDS",
                                                        "BASH_EXECUTION_STRING",
                                                        "BASH_LOADABLES_PATH",
                                                        "BASH_MONOSECONDS",
                                                        "BASH_TRAPSIG",
                                                        "COMP_CWORD",
                                                        "COMP_KEY",
                                                        "COMP_LINE",
                                                        "COMP_POINT",
                                                        "COMP_TYPE",
                                                        "COMP_WORDBREAKS",
                                                        "COMP_WORDS",
                                                        "READLINE_LINE",
                                                        "READLINE_ARGUMENT",
                                                        "COPROC",
                                                        "BASHOPTS",
                                                        "BASHPID",
                                                        "BASH_ARGC",
                                                        "BASH_ARGV",
                                                        "BASH_COMMAND",
                                                        "BASH_LINENO",
                                                        "BASH_REMATCH",
                                                        "BASH_SOURCE",
                                                        "BASH_SUBSHELL",
                                                        "BASH_VERSINFO",
                                                        "BASH_VERSION",
                                                        "COLUMNS",
                                                        "DIRSTACK",
                                                        "EPOCHREALTIME",
                                                        "EPOCHSECONDS",
                                                        "EUID",
                                                        "FUNCNAME",
                                                        "GROUPS",
                                                        "HISTCMD",
                                                        "HOSTNAME",
                                                        "HOSTTYPE",
                                                        "LINENO",
                                                        "LINES",
                                                        "MACHTYPE",
                                                        "OLDPWD",
                                                        "OPTARG",
                                                        "OPTIND",
                                                        "OSTYPE",
                                                        "PATH",
                                                        "PIPESTATUS",
                                                        "PPID",
                                                        "PS4",
                                                        "RANDOM",
                                                        "SECONDS",
                                                        "SHELLOPTS",
                                                        "SHLVL",
                                                        "SRANDOM",
                                                        "TERM",
                                                        "UID",
                                                        "_"};

Datum scalar(Gapped value)
{
    Datum datum;
    datum.elements.push_back(std::move(value));
    return datum;
}

} // namespace

std::span<const std::string_view> namesOfTheShell()
{
    return dynamicNames;
}

std::vector<Datum> Evaluator::special(std::string_view name, bool *unset) const
{
    const auto number = [&]() -> std::size_t {
        std::size_t value = 0;
        const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), value);
        return error == std::errc() ? value : SIZE_MAX;
    }();
    std::vector<Datum> result;
    const auto add = [&](Datum datum) {
        if (std::ranges::find(result, datum) == result.end())
            result.push_back(std::move(datum));
    };
    for (const Positional &alternative : *m_state.positional) {
        if (name == "0")
            add(scalar(alternative.zero.text.empty() && alternative.zero.known()
                           ? Gapped(m_dialect == Dialect::Bash ? "bash" : "sh")
                           : alternative.zero));
        else if (name == "#")
            add(scalar(alternative.openEnded ? Gapped::unknown() : Gapped(std::to_string(alternative.values.size()))));
        else if (name == "_")
            add(scalar(m_lastArgument));
        else if (std::isdigit(static_cast<unsigned char>(name[0])) == 0)
            add(scalar(Gapped::unknown()));
        else if (number == 0)
            add(scalar(Gapped::unknown())); // $0 in another spelling
        else if (number <= alternative.values.size())
            add(scalar(alternative.values[number - 1]));
        else if (alternative.openEnded)
            add(scalar(Gapped::unknown()));
        else
            add(Datum{.set = false, .elements = {}, .keys = {}});
    }
    if (unset != nullptr)
        *unset = false;
    return result;
}

std::vector<Datum> Evaluator::lookup(std::string_view name, bool *unset) const
{
    if (name.empty()
        || (std::isalpha(static_cast<unsigned char>(name[0])) == 0 && (name[0] != '_' || name.size() == 1)))
        return special(name.empty() ? "?" : name, unset);
    if (unset != nullptr)
        *unset = false;
    if (const Variable *variable = m_variables.find(name, m_level)) {
        if (!variable->reference)
            return variable->choices;
        const auto target = referent(name);
        if (target && !target->contains('['))
            return lookup(*target, unset);
        return {scalar(Gapped::unknown())};
    }
    std::vector<Datum> result;
    if (name == "PWD") {
        for (const auto &cwd : *m_state.cwds)
            result.push_back(scalar(cwd ? Gapped(*cwd) : Gapped::unknown()));
        return result;
    }
    if (const auto given = m_context.variables.find(name); given != m_context.variables.end())
        return {scalar(Gapped(given->second))};
    if (name == "IFS")
        return {scalar(Gapped(" \t\n"))};
    if (m_dialect == Dialect::Bash && (name == "SHELL" || name == "BASH"))
        return {scalar(Gapped("/bin/bash"))};
    if (name == "SHELL")
        return {Datum{.set = false, .elements = {}, .keys = {}}, scalar(Gapped("/bin/sh"))};
    if (std::ranges::find(dynamicNames, name) != dynamicNames.end())
        return {unknownArray()};
    if (unset != nullptr)
        *unset = true;
    return {Datum{.set = false, .elements = {}, .keys = {}}};
}

static bool isLetter(char c)
{
    return std::isalpha(static_cast<unsigned char>(c)) != 0 || static_cast<unsigned char>(c) >= 0x80;
}

/// Makes the values what the attributes of the variable make of them.
static void shape(Variable &variable)
{
    for (Datum &datum : variable.choices) {
        for (Gapped &element : datum.elements) {
            if (variable.fold == '?' && std::ranges::any_of(element.text, isLetter))
                element = Gapped::unknown();
            if (variable.fold == 0 || variable.fold == '?')
                continue;
            for (std::size_t i = 0; i < element.text.size(); ++i) {
                const auto c = static_cast<unsigned char>(element.text[i]);
                const bool upper = variable.fold == 'u' || (variable.fold == 'c' && i == 0);
                element.text[i] = static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
            }
        }
        if (!variable.associative || !datum.array || !datum.keys.empty() || datum.elements.empty())
            continue;
        // Keys and values in turn.
        std::vector<Gapped> values;
        for (std::size_t i = 0; i < datum.elements.size(); ++i) {
            datum.open = datum.open || !datum.elements[i].known() || datum.elements.size() % 2 != 0;
            if (i % 2 == 0)
                datum.keys.push_back(datum.elements[i].text);
            else
                values.push_back(datum.elements[i]);
        }
        values.resize(datum.keys.size());
        datum.elements = std::move(values);
    }
}

void Evaluator::calculate(Variable &value, Span span)
{
    const Variable plain = value.integerDoubt ? value : Variable();
    for (Datum &datum : value.choices) {
        for (Gapped &element : datum.elements) {
            const auto number = arithmetic(element, span);
            if (!number)
                mayLeave();
            element = number ? Gapped(std::to_string(*number)) : Gapped::unknown();
        }
    }
    if (value.integerDoubt)
        value.add(plain);
}

/// Whether bash takes the value for a name to refer to; what is not known shows when it is used.
static bool mayRefer(std::string_view name, const Variable &value, const Variable *old)
{
    const auto refers = [&](const Datum &datum) {
        return !datum.set
            || (!datum.array && datum.elements.size() == 1
                && (!datum.elements.front().known() || isReferable(datum.elements.front().text, name)));
    };
    return std::ranges::all_of(value.choices, refers)
        && (old == nullptr || std::ranges::none_of(old->choices, &Datum::array));
}

/// A single value for the name of an array is that of its element 0; the others stay.
static Variable firstOfArray(const Variable &value, const Variable &old)
{
    Variable result = value;
    result.choices.clear();
    const Subscript zero{.text = Gapped("0"), .number = 0, .associative = old.associative};
    for (const Datum &given : value.choices) {
        for (const Datum &before : old.choices) {
            Variable one;
            one.choices.push_back(given);
            if (before.array && !given.array && given.set && given.elements.size() == 1) {
                one.choices.front() = before;
                setElement(one.choices.front(), zero, given.elements.front());
            }
            one.level = result.level;
            one.integer = result.integer;
            result.add(one);
        }
    }
    return result;
}

void Evaluator::store(std::string_view name, Variable value, Span span, bool exported)
{
    if (name.empty())
        return;
    const Variable *old = m_variables.find(name, m_level);
    const bool given = m_context.variables.contains(name);
    if (old != nullptr && old->reference && !value.reference) {
        if (const auto target = referent(name)) {
            if (!target->contains('[')) {
                store(*target, std::move(value), span, exported);
                return;
            }
            evaluateTarget(Gapped(*target), span);
            storeInto(Gapped(*target), std::move(value), span);
            return;
        }
        if (old->referenceDoubt || std::ranges::any_of(old->choices, &Datum::set)) {
            storeAnywhere(name, value, span);
            return;
        }
        value.reference = true; // it leads nowhere yet
    }
    if (value.reference && !mayRefer(name, value, old)) {
        mayLeave();
        note(DynamicReason::Program, span, std::string(name));
        value.referenceDoubt = true;
    }
    value.exported = exported || m_exportsAll || value.exported || (old != nullptr ? old->exported : given);
    value.integerDoubt = !value.integer && old != nullptr && old->integerDoubt;
    value.integer = value.integer || (old != nullptr && old->integer);
    if (m_dialect == Dialect::Bash && isIntegerOfTheShell(name)) {
        value.integerDoubt = value.integerDoubt || !value.integer; // unless it was unset before
        value.integer = true;
    }
    value.fold = value.fold != 0 || old == nullptr ? value.fold : old->fold;
    value.associative = value.associative || (old != nullptr && old->associative);
    shape(value);
    if (value.integer)
        calculate(value, span);
    old = m_variables.find(name, m_level);
    if (old != nullptr && std::ranges::any_of(old->choices, &Datum::array))
        value = firstOfArray(std::move(value), *old);
    if (old != nullptr && old->fixed) {
        mayLeave();
        value.add(*old);
    }
    value.level = m_level;
    Choices values;
    for (const Datum &datum : value.choices) {
        for (const Gapped &element : datum.elements) {
            spend(element.text.size() * 4 + element.gaps.size() * 8 + 4);
            if (values.size() < maxChoices)
                values.push_back(element);
        }
    }
    const std::size_t recent = m_result.assignments.size() > 64 ? m_result.assignments.size() - 64 : 0;
    for (const Gapped &element : values) {
        const auto same = [&](const Assignment &other) {
            return other.span == span && other.name == name && other.value.text == element.text;
        };
        if (m_repeats > 0
            && std::any_of(m_result.assignments.begin() + static_cast<std::ptrdiff_t>(recent),
                           m_result.assignments.end(), same))
            continue;
        m_result.assignments.push_back(
            {std::string(name), Field::fromGapped(element, span).value, value.exported, span});
    }
    m_expandAliases = m_expandAliases || name == "POSIXLY_CORRECT";
    if (name == "BASH_ALIASES" || name == "BASH_CMDS")
        nameTable(name, value, span);
    m_variables.set(name, std::move(value));
    remark(name, values, span);
}

void Evaluator::remark(std::string_view name, const Choices &values, Span span)
{
    const bool code = name == "PROMPT_COMMAND";
    if (!code && name != "PS0" && name != "PS1" && name != "PS2" && name != "PS4" && name != "BASH_ENV"
        && name != "ENV")
        return;
    ++m_repeats;
    for (const Gapped &value : values) {
        const Subshell copy(*this);
        if (code)
            runText(value, m_dialect, span);
        else
            evaluateExpansions(value, span);
        if (name == "PS4" || name == "BASH_ENV")
            noteUnread(value, span);
        // Run again and again, with what the variables are by then.
        if (value.text.contains("$(") || value.text.contains('`'))
            note(DynamicReason::Program, span, value.text);
    }
    --m_repeats;
}

/// An element of `(…)`; without a subscript it stands behind the one before.
static void addElement(Datum &array, std::optional<Subscript> at, Gapped value)
{
    if (at) {
        setElement(array, *at, std::move(value));
    } else if (array.keys.empty()) {
        array.elements.push_back(std::move(value));
    } else {
        std::int64_t next = 0; // behind the last one that was written, which need not be the last in order
        std::from_chars(array.keys.back().data(), array.keys.back().data() + array.keys.back().size(), next);
        setElement(array, {.text = Gapped(std::to_string(next + 1)), .number = next + 1}, std::move(value));
    }
}

void Evaluator::addField(Datum &array, const Field &field, bool associative)
{
    Gapped value = field.gapped();
    const std::size_t close = value.text.starts_with('[') ? value.text.find("]=") : std::string::npos;
    if (close == std::string::npos || !value.known()) {
        if (close != std::string::npos && !associative && value.gaps.front().offset <= close)
            noteUnread(value, field.value.span);
        addElement(array, {}, std::move(value));
        return;
    }
    Subscript at{.text = Gapped(value.text.substr(1, close - 1)), .number = {}, .associative = associative};
    evaluateKey(at.text, field.value.span, associative);
    if (!associative)
        at.number = arithmetic(at.text, field.value.span);
    if (!associative && !at.number)
        mayLeave();
    value.text.erase(0, close + 2);
    addElement(array, std::move(at), std::move(value));
}

Variable Evaluator::valueOf(const Assign &assign, bool associative)
{
    if (!assign.array)
        return Variable::of(expandText(assign.value, WordUse::Assignment));
    Variable variable;
    std::vector<Datum> &arrays = variable.choices;
    arrays.emplace_back().array = true;
    bool tooMany = false;
    for (const Word &word : assign.elements) {
        Lines lines(1);
        expandArgument(word, lines); // words of which there may be none, one or another move all that follow
        tooMany = tooMany || arrays.size() * lines.size() > maxChoices;
        const std::size_t heads = arrays.size();
        for (std::size_t i = 1; !tooMany && i < lines.size(); ++i) {
            for (std::size_t head = 0; head < heads; ++head) {
                const Datum start = arrays[head]; // growing may move what a reference would name
                Datum &copy = arrays.emplace_back(start);
                for (const Field &field : lines[i])
                    addField(copy, field, associative);
            }
        }
        for (std::size_t head = 0; head < heads; ++head) {
            for (const Field &field : lines.front())
                addField(arrays[head], field, associative);
        }
    }
    if (tooMany)
        arrays.assign(1, unknownArray());
    return variable;
}

/// `+=` of an integer.
static Gapped added(const Gapped &value)
{
    Gapped sum("+(");
    sum.append(value);
    sum.append(Gapped(")"));
    return sum;
}

void Evaluator::assign(const Assign &assign, bool exported)
{
    if (m_stopped)
        return;
    const auto target = referent(assign.name);
    const std::string name = target && !target->contains('[') ? *target : assign.name;
    const Variable *old = m_variables.find(name, m_level);
    assignTo(name, assign, valueOf(assign, old != nullptr && old->associative), exported);
}

void Evaluator::assignTo(const std::string &name, const Assign &assign, Variable value, bool exported)
{
    const Span span = map(assign.span);
    const Variable *old = m_variables.find(name, m_level);
    if (assign.subscripted) {
        const Choices subscripts = expandText(assign.subscript, WordUse::Single);
        for (const Gapped &subscript : subscripts)
            evaluateKey(subscript, span, old != nullptr && old->associative);
        if (assign.array)
            mayLeave();
        if (assign.append)
            value = Variable::of({Gapped::unknown()});
        storeElement(name, subscripts, value, span, exported);
        return;
    }
    if (assign.append) {
        std::vector<Datum> before = lookup(name);
        Variable joined;
        for (const Datum &head : before) {
            for (const Datum &tail : value.choices) {
                if (joined.choices.size() > maxChoices)
                    break;
                Datum sum = head;
                sum.set = true;
                if (tail.array)
                    appendElements(sum, tail, old != nullptr && old->associative);
                else if (sum.elements.empty())
                    sum.elements = tail.elements;
                else if (head.array && firstElement(head) != &head.elements.front())
                    sum = unknownArray();
                else if (!tail.elements.empty())
                    sum.elements.front().append(old == nullptr || !old->integer ? tail.elements.front()
                                                    : old->integerDoubt         ? Gapped::unknown()
                                                                                : added(tail.elements.front()));
                for (Gapped &element : sum.elements) {
                    if (element.text.size() > m_limits.valueBytes || !spend(element.text.size()))
                        element = Gapped::unknown();
                }
                joined.choices.push_back(std::move(sum));
            }
        }
        value = std::move(joined);
    }
    store(name, std::move(value), span, exported);
}

} // namespace portcullis::shell
