// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

void Evaluator::forLoop(const Command &command)
{
    std::vector<Gapped> values;
    bool open = false; // may have other members, or none
    if (command.hasWords) {
        for (const Word &word : command.words) {
            Lines lines(1);
            expandArgument(word, lines);
            open = open || lines.size() > 1;
            for (const auto &line : lines) {
                for (const Field &field : line)
                    values.push_back(field.gapped());
            }
        }
    } else {
        open = m_state.positional->size() > 1;
        for (const Positional &alternative : *m_state.positional) {
            values.insert(values.end(), alternative.values.begin(), alternative.values.end());
            open = open || alternative.openEnded;
        }
        if (std::ranges::any_of(*m_state.positional, &Positional::openEnded))
            values.push_back(Gapped::unknown());
    }
    for (const Gapped &value : values)
        open = open || !value.known() || value.pattern;
    if (values.empty())
        return;
    const std::size_t mark = m_variables.mark();
    ++m_repeats;
    constexpr std::size_t single = 64;
    for (std::size_t i = 0; i < values.size() && !m_stopped && m_state.ended == ShellState::Ended::No;) {
        Choices choices;
        const std::size_t count = i < single && command.kind == Command::Kind::For ? 1 : maxChoices;
        for (std::size_t j = 0; j < count && i < values.size(); ++j)
            addChoice(choices, std::move(values[i++]));
        Variable value = Variable::of(std::move(choices));
        const Variable *named = m_variables.find(command.name, m_level);
        if (command.kind == Command::Kind::For && named != nullptr && named->reference) {
            if (named->referenceDoubt)
                note(DynamicReason::Program, map(command.span), command.name);
            value.reference = true; // each word is another name that it leads to
        }
        store(command.name, std::move(value), map(command.span), false);
        const Leavable round(*this, Leavable::Kind::Round);
        script(*command.bodies.front());
    }
    --m_repeats;
    if (open)
        m_variables.weaken(mark);
    else
        m_variables.keep();
}

void Evaluator::laterRounds(const std::vector<Positional> &first, const std::function<void()> &body)
{
    // Every round may start with fewer of the parameters; some at a time, because alternatives are few.
    constexpr std::size_t mostRounds = 64;
    std::vector<Positional> rest;
    for (const Positional &alternative : first) {
        Positional left = alternative;
        while (!left.values.empty() && rest.size() < mostRounds && spend(left.values.size() * 20)) {
            left.values.erase(left.values.begin());
            rest.push_back(left);
        }
        if (!left.values.empty())
            rest.push_back({.zero = left.zero, .values = {}, .openEnded = true});
    }
    const auto after = m_state.positional;
    for (std::size_t i = 0; i < rest.size() && !m_stopped; i += maxChoices) {
        const auto end = rest.begin() + static_cast<std::ptrdiff_t>(std::min(rest.size(), i + maxChoices));
        m_state.positional =
            std::make_shared<const std::vector<Positional>>(rest.begin() + static_cast<std::ptrdiff_t>(i), end);
        const ShellState before = m_state;
        const std::size_t mark = m_variables.mark();
        body();
        m_variables.weaken(mark);
        m_state = BranchSet::joined(m_state, before);
    }
    // And so may what comes after the loop.
    m_state.positional = after;
    ShellState fewer = m_state;
    fewer.positional = std::make_shared<const std::vector<Positional>>(std::move(rest));
    m_state = BranchSet::joined(m_state, fewer);
}

void Evaluator::repeatBody(const std::function<void()> &each)
{
    const auto body = [&] {
        const Leavable round(*this, Leavable::Kind::Round);
        each();
    };
    const ShellState before = m_state;
    ++m_repeats;
    ++m_conditional;
    const std::size_t mark = m_variables.mark();
    body();
    const std::vector<std::string> written = m_variables.writtenSince(mark);
    m_variables.weaken(mark);
    m_state = BranchSet::joined(m_state, before);
    const bool shifts = *m_state.positional != *before.positional;
    if (shifts)
        laterRounds(*before.positional, body);
    if (!written.empty() || m_state.cwds != before.cwds || shifts) {
        for (const std::string &name : written)
            m_variables.edit(name).add(Variable::of({Gapped::unknown()}));
        const std::size_t second = m_variables.mark();
        const ShellState again = m_state;
        body();
        m_variables.weaken(second);
        m_state = BranchSet::joined(m_state, again);
    }
    --m_conditional;
    --m_repeats;
}

} // namespace portcullis::shell
