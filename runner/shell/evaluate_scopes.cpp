// SPDX-License-Identifier: Apache-2.0

// Which variable a name means: locals of functions under way, assignments before a command, references. Bash manual,
// 3.3 and 3.4; POSIX shells have locals alone.

#include "runner/shell/evaluator.h"
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

namespace {

bool isCalled(const std::pair<std::string, Variable> &entry, std::string_view name)
{
    return entry.first == name;
}

} // namespace

bool isReferable(std::string_view target, std::string_view name)
{
    const std::string_view whole = target.substr(0, target.find('['));
    return target != name && detail::isName(whole)
        && (whole.size() == target.size() || (target.ends_with(']') && target.size() > whole.size() + 2));
}

std::optional<std::string> Evaluator::referent(std::string_view name) const
{
    constexpr int longestChain = 8; // of bash
    std::string at(name);
    for (int i = 0; i <= longestChain; ++i) {
        const Variable *variable = m_variables.find(at, m_level);
        if (variable == nullptr || !variable->reference)
            return at;
        const Datum &target = variable->choices.front();
        if (variable->referenceDoubt || variable->choices.size() != 1 || !target.set || target.elements.size() != 1
            || !target.elements.front().known() || !isReferable(target.elements.front().text, at))
            return std::nullopt;
        at = target.elements.front().text;
        if (at.contains('['))
            return at;
    }
    return std::nullopt;
}

void Evaluator::storeAnywhere(std::string_view name, const Variable &value, Span span)
{
    note(DynamicReason::Program, span, std::string(name));
    mayLeave();
    Variable plain = value;
    plain.reference = false;
    const std::vector<Datum> targets = m_variables.edit(name).choices;
    for (const Datum &target : targets) {
        if (target.elements.size() == 1 && target.elements.front().known()
            && detail::isName(target.elements.front().text))
            m_variables.edit(target.elements.front().text).add(plain);
    }
    Variable &own = m_variables.edit(name);
    own.add(plain);
    own.referenceDoubt = true;
}

void Evaluator::uncover(const std::string &name, Variable value)
{
    if (m_uncovered.contains(name))
        value.add(m_variables.edit(name));
    m_variables.set(name, std::move(value));
}

void Evaluator::makeLocal(std::string_view name, bool inherits)
{
    auto &frame = m_locals.back();
    const auto called = [&](const auto &entry) { return isCalled(entry, name); };
    spend(frame.size() / 4 + m_temporary.size() / 4 + 1);
    if (std::ranges::any_of(frame, called))
        return;
    const Variable &old = frame.emplace_back(name, m_variables.edit(name)).second;
    if (m_dialect != Dialect::Bash || old.fixed)
        return; // dash keeps the value
    Variable fresh = inherits ? old : Variable::unset();
    fresh.referenceDoubt = fresh.reference;
    fresh.exported = old.exported;
    // So does bash for what stands before the call.
    if (m_localsInherit || std::ranges::any_of(m_temporary, called))
        fresh.add(old);
    fresh.level = m_level;
    m_variables.set(name, std::move(fresh));
}

std::vector<Variable *> Evaluator::coveredBy(std::string_view name)
{
    std::vector<Variable *> covered;
    const auto add = [&](auto &entries) {
        for (auto &[called, value] : entries) {
            if (called == name)
                covered.push_back(&value);
        }
    };
    add(m_temporary);
    for (auto &frame : m_locals)
        add(frame);
    spend(m_temporary.size() + m_locals.size() * 4);
    return covered;
}

void Evaluator::unsetVariable(const std::string &name)
{
    const auto called = [&](const auto &entry) { return isCalled(entry, name); };
    Variable variable = Variable::unset();
    if (const Variable *old = m_variables.find(name, m_level); old != nullptr && old->fixed)
        variable.add(*old);
    const bool own = !m_locals.empty() && !m_uncovered.contains(name) && std::ranges::any_of(m_locals.back(), called)
        && std::ranges::none_of(m_temporary, called);
    if (m_dialect == Dialect::Bash && !own) {
        for (const Variable *each : coveredBy(name)) {
            variable.add(*each);
            m_uncovered.insert(name);
        }
    }
    variable.level = m_level;
    m_variables.set(name, std::move(variable));
}

void Evaluator::inGlobalScope(const std::string &name, const std::function<void()> &body)
{
    const std::vector<Variable *> before = coveredBy(name);
    if (m_dialect != Dialect::Bash || before.empty()) {
        body();
        return;
    }
    Variable shown = m_variables.edit(name);
    Variable outside = *before.front();
    for (const Variable *each : before)
        outside.add(*each);
    m_variables.set(name, std::move(outside));
    body();
    const Variable written = m_variables.edit(name);
    for (Variable *each : coveredBy(name)) // functions that it called may have moved them
        each->add(written);
    if (m_uncovered.contains(name))
        shown.add(written);
    m_variables.set(name, std::move(shown));
}

} // namespace portcullis::shell
