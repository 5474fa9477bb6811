// SPDX-License-Identifier: Apache-2.0

// Values for elements of arrays.

#include "runner/shell/arrays.h"
#include "runner/shell/evaluator.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace portcullis::shell {

void Evaluator::storeInto(const Gapped &target, Variable value, Span span)
{
    std::size_t end = 0;
    while (end < target.text.size()
           && (std::isalnum(static_cast<unsigned char>(target.text[end])) != 0 || target.text[end] == '_'))
        ++end;
    const std::string name = target.text.substr(0, end);
    if (end >= target.text.size() || target.text[end] != '[') {
        store(name, std::move(value), span, false);
        return;
    }
    std::string inside = target.text.substr(end + 1);
    if (inside.ends_with(']'))
        inside.pop_back();
    const bool plain = target.known() && inside.find_first_of("$`'\"\\") == std::string::npos;
    storeElement(name, {plain ? Gapped(std::move(inside)) : Gapped::unknown()}, value, span, false);
}

void Evaluator::storeElement(std::string_view name, const Choices &subscripts, const Variable &value, Span span,
                             bool exported)
{
    const Variable *old = m_variables.find(name, m_level);
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
