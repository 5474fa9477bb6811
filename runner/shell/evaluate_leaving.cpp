// SPDX-License-Identifier: Apache-2.0

// Errors that end more than one command: of expansions, of assignments, of options like `set -u`. Bash leaves the line
// and goes on with the next one of the text (of `eval`, `source` and `trap` too), a plain shell ends. Where one may
// happen the evaluator goes on as if it did not, and what follows the line holds both ways. So it is with `return`,
// `break` and `continue`. Bash manual, 3.7.1 and 4.4;
// POSIX 2.8.1.

#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

Leavable::Leavable(Evaluator &evaluator, Kind kind)
    : m_evaluator(evaluator)
    , m_kind(kind)
    , m_outer(std::exchange(evaluator.m_leavable, this))
    , m_sink(evaluator.m_sink)
    , m_functions(evaluator.m_locals.size())
    , m_temporary(evaluator.m_temporary.size())
{
    if (m_kind != Kind::Process)
        m_number = evaluator.m_variables.beginLeavable();
}

Leavable::~Leavable()
{
    m_evaluator.m_leavable = m_outer;
    if (m_left && m_sink != nullptr)
        addChoices(m_sink->text, m_texts);
    if (m_kind == Kind::Process)
        return;
    m_evaluator.m_variables.endLeavable();
    if (!m_left)
        return;
    m_evaluator.m_state = BranchSet::joined(m_evaluator.m_state, *m_state);
    m_evaluator.m_lastArgument = Gapped::unknown();
    for (std::size_t i = m_definitions; i < m_evaluator.m_definitions.size(); ++i) {
        for (Function &function : m_evaluator.m_functions[m_evaluator.m_definitions[i]])
            function.certain = false;
    }
}

void Leavable::leave()
{
    if (m_sink != nullptr) {
        m_evaluator.spend(m_sink->text.size() * 8);
        addChoices(m_texts, m_sink->text);
    }
    const std::size_t definitions = m_evaluator.m_definitions.size();
    m_definitions = m_left ? std::min(m_definitions, definitions) : definitions;
    m_left = true;
    if (m_kind != Kind::Process)
        tellValues();
}

Leavable *Leavable::innermost(Kind kind)
{
    Leavable *found = this;
    while (found != nullptr && found->m_kind != kind)
        found = found->m_kind == Kind::Process ? nullptr : found->m_outer;
    return found;
}

void Leavable::tellValues()
{
    // Functions around are left, with their variables and parameters.
    std::vector<std::pair<std::string, Variable>> restored;
    for (std::size_t i = m_temporary; i < m_evaluator.m_temporary.size(); ++i)
        restored.push_back(m_evaluator.m_temporary[i]);
    for (std::size_t i = m_functions; i < m_evaluator.m_locals.size(); ++i)
        restored.insert(restored.end(), m_evaluator.m_locals[i].begin(), m_evaluator.m_locals[i].end());
    m_evaluator.spend(20 + restored.size() * 10);
    for (auto &[name, value] : restored) {
        if (m_evaluator.m_uncovered.contains(name))
            value.add(m_evaluator.m_variables.edit(name));
    }
    m_evaluator.m_variables.leave(m_number, restored);
    ShellState state = m_evaluator.m_state;
    state.ended = ShellState::Ended::No;
    if (m_evaluator.m_callers.size() > m_functions)
        state.positional = m_evaluator.m_callers[m_functions];
    m_state = m_state ? BranchSet::joined(*m_state, state) : std::move(state);
}

void Evaluator::mayLeave()
{
    Leavable *line = m_leavable != nullptr ? m_leavable->innermost(Leavable::Kind::Line) : nullptr;
    if (line != nullptr && m_dialect == Dialect::Bash)
        line->leave();
    mayEnd(); // a copy of the shell ends, whatever text it runs
}

void Evaluator::mayEnd()
{
    if (Leavable *process = m_leavable != nullptr ? m_leavable->innermost(Leavable::Kind::Process) : nullptr)
        process->leave();
}

void Evaluator::mayReturn()
{
    if (Leavable *function = m_leavable != nullptr ? m_leavable->innermost(Leavable::Kind::Function) : nullptr)
        function->leave();
}

void Evaluator::mayBreak()
{
    // Their number may be any.
    for (Leavable *each = m_leavable; each != nullptr; each = each->outer()) {
        if (each->kind() == Leavable::Kind::Process || each->kind() == Leavable::Kind::Function)
            break;
        if (each->kind() == Leavable::Kind::Round)
            each->leave();
    }
}

bool Evaluator::mayHaveLeft() const
{
    for (const Leavable *each = m_leavable; each != nullptr; each = each->outer()) {
        if (each->left())
            return true;
    }
    return false;
}

void Evaluator::wholeText(const Script &script)
{
    const std::span<const AndOr> all = script.lists;
    for (std::size_t i = 0; i < all.size() && !m_stopped && m_state.ended == ShellState::Ended::No;) {
        std::size_t end = i + 1;
        while (end < all.size() && all[end].unit == all[i].unit)
            ++end;
        m_lineAliases = m_aliases;
        std::optional<Leavable> line;
        if (m_dialect == Dialect::Bash)
            line.emplace(*this, Leavable::Kind::Line);
        lists(script.span, all.subspan(i, end - i));
        i = end;
    }
}

} // namespace portcullis::shell
