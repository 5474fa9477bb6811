// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>

namespace portcullis::shell {

namespace {

/// What stands for more alternatives than are kept.
void addOverflow(std::vector<std::optional<std::string>> &cwds)
{
    cwds.back() = std::nullopt;
}

void addOverflow(std::vector<Positional> &alternatives)
{
    alternatives.back().values.clear();
    alternatives.back().openEnded = true;
}

template <class T>
std::shared_ptr<const std::vector<T>> joinedAlternatives(const std::shared_ptr<const std::vector<T>> &a,
                                                         const std::shared_ptr<const std::vector<T>> &b)
{
    if (a == b || *a == *b)
        return a;
    auto result = std::make_shared<std::vector<T>>(*a);
    for (const T &value : *b) {
        if (std::ranges::find(*result, value) != result->end())
            continue;
        if (result->size() < maxChoices)
            result->push_back(value);
        else
            addOverflow(*result);
    }
    return result;
}

void doubtDefinitions(std::map<std::string, std::vector<Function>, std::less<>> &functions,
                      const std::vector<std::string> &names, std::size_t from)
{
    for (std::size_t i = from; i < names.size(); ++i) {
        if (const auto found = functions.find(names[i]); found != functions.end()) {
            for (Function &function : found->second)
                function.certain = false;
        }
    }
}

} // namespace

Subshell::Subshell(Evaluator &evaluator)
    : m_evaluator(evaluator)
    , m_leavable(evaluator, Leavable::Kind::Process)
    , m_mark(evaluator.m_variables.mark())
    , m_definitions(evaluator.m_definitions.size())
    , m_state(evaluator.m_state)
    , m_aliases(evaluator.m_aliases)
{
}

Subshell::~Subshell()
{
    m_evaluator.m_aliases = m_aliases;
    m_evaluator.m_variables.take(m_mark);
    m_evaluator.m_state = m_state;
    doubtDefinitions(m_evaluator.m_functions, m_evaluator.m_definitions, m_definitions);
    m_evaluator.m_definitions.resize(m_definitions);
}

BranchSet::BranchSet(Evaluator &evaluator)
    : m_evaluator(evaluator), m_base(evaluator.m_state), m_definitions(evaluator.m_definitions.size())
{
    if (evaluator.m_sink != nullptr)
        m_baseText = evaluator.m_sink->text;
    ++evaluator.m_conditional;
}

void BranchSet::begin()
{
    m_evaluator.m_state = m_base;
    if (m_evaluator.m_sink != nullptr)
        m_evaluator.m_sink->text = m_baseText;
    m_mark = m_evaluator.m_variables.mark();
}

void BranchSet::end()
{
    Variables::Delta delta = m_evaluator.m_variables.take(m_mark);
    if (m_evaluator.m_sink != nullptr)
        addChoices(m_texts, m_evaluator.m_sink->text);
    if (m_evaluator.m_state.ended == ShellState::Ended::No)
        m_deltas.push_back(std::move(delta));
    m_states.push_back(m_evaluator.m_state);
}

void BranchSet::finish(bool none)
{
    if (none || m_states.empty()) {
        m_states.push_back(m_base);
        if (m_evaluator.m_sink != nullptr)
            addChoices(m_texts, m_baseText);
    }
    ShellState state = m_states.front();
    for (std::size_t i = 1; i < m_states.size(); ++i)
        state = joined(state, m_states[i]);
    m_evaluator.m_state = state;
    m_evaluator.m_lastArgument = Gapped::unknown();
    m_evaluator.m_variables.join(std::move(m_deltas), none);
    if (m_evaluator.m_sink != nullptr)
        m_evaluator.m_sink->text = std::move(m_texts);
    doubtDefinitions(m_evaluator.m_functions, m_evaluator.m_definitions, m_definitions);
    --m_evaluator.m_conditional;
}

ShellState BranchSet::joined(const ShellState &a, const ShellState &b)
{
    if (a.ended != ShellState::Ended::No)
        return b;
    if (b.ended != ShellState::Ended::No)
        return a;
    return {joinedAlternatives(a.cwds, b.cwds), joinedAlternatives(a.positional, b.positional), ShellState::Ended::No};
}

} // namespace portcullis::shell
