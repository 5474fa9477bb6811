// SPDX-License-Identifier: Apache-2.0

// Values for elements of arrays.

#include "runner/shell/arrays.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

namespace {

/// What a builtin is given as the name of a variable.
enum class Target { Name, Element, Bad, Unknown };

Target targetOf(const Gapped &target, Dialect dialect)
{
    const std::string_view text = target.text;
    const std::size_t open = std::min(text.find('['), text.size());
    if (!target.known() && target.gaps.front().offset <= open)
        return Target::Unknown;
    if (!detail::isName(text.substr(0, open)) || (open < text.size() && dialect == Dialect::Sh))
        return Target::Bad;
    if (open == text.size())
        return Target::Name;
    if (!text.ends_with(']') || (text.size() == open + 2 && target.known()))
        return Target::Bad;
    // Which of several brackets ends it depends on quotes and expansions inside.
    int depth = 0;
    for (const char c : text.substr(open + 1, text.size() - open - 2)) {
        depth += c == '[' ? 1 : c == ']' ? -1 : 0;
        if (depth < 0)
            return Target::Unknown;
    }
    return Target::Element;
}

} // namespace

bool Evaluator::storeInto(const Gapped &target, Variable value, Span span)
{
    const std::size_t open = std::min(target.text.find('['), target.text.size());
    const std::string name = target.text.substr(0, open);
    switch (targetOf(target, m_dialect)) {
    case Target::Bad:
        return false;
    case Target::Unknown:
        note(DynamicReason::Program, span, target.text);
        return true;
    case Target::Name:
        store(name, std::move(value), span, false);
        return true;
    case Target::Element:
        break;
    }
    std::string inside = target.text.substr(open + 1, target.text.size() - open - 2);
    const bool plain = target.known() && inside.find_first_of("$`'\"\\") == std::string::npos;
    storeElement(name, {plain ? Gapped(std::move(inside)) : Gapped::unknown()}, value, span, false);
    return true;
}

void Evaluator::storeElement(std::string_view name, const Choices &subscripts, const Variable &value, Span span,
                             bool exported)
{
    const Variable *old = m_variables.find(name, m_level);
    if (old != nullptr && old->reference) {
        const auto target = referent(name);
        if (target && !target->contains('['))
            storeElement(*target, subscripts, value, span, exported);
        else
            storeAnywhere(name, value, span);
        return;
    }
    const Gapped element = value.choices.size() == 1 && value.choices.front().elements.size() == 1
        ? value.choices.front().elements.front()
        : Gapped::unknown();
    Variable whole = old != nullptr ? *old : Variable::unset();
    Subscript at;
    at.associative = whole.associative || name == "BASH_ALIASES" || name == "BASH_CMDS";
    at.text = subscripts.size() == 1 ? subscripts.front() : Gapped::unknown();
    if (!at.associative)
        at.number = arithmetic(at.text, span);
    bool refused = at.associative ? at.text.text.empty() || !at.text.known() : !at.number;
    for (const Datum &datum : whole.choices)
        refused = refused || (!at.associative && *at.number < 0 && -*at.number > nextIndex(datum));
    if (refused)
        mayLeave();
    for (Datum &datum : whole.choices) {
        if (spend(datum.elements.size() + 20))
            setElement(datum, at, element);
    }
    if (refused && old != nullptr)
        whole.add(Variable(*old));
    else if (refused)
        whole.add(m_variables.original(name));
    store(name, std::move(whole), span, exported);
}

} // namespace portcullis::shell
