// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/variables.h"

#include <algorithm>
#include <set>
#include <utility>

namespace portcullis::shell {

Variable Variable::of(Choices values)
{
    Variable variable;
    for (Gapped &value : values) {
        Datum datum;
        datum.elements.push_back(std::move(value));
        variable.choices.push_back(std::move(datum));
    }
    return variable;
}

Variable Variable::unset()
{
    Variable variable;
    Datum datum;
    datum.set = false;
    variable.choices.push_back(std::move(datum));
    return variable;
}

void Variable::add(const Variable &other)
{
    exported = exported || other.exported;
    integerDoubt = integerDoubt || other.integerDoubt || integer != other.integer;
    integer = integer || other.integer;
    referenceDoubt = referenceDoubt || other.referenceDoubt || reference != other.reference;
    reference = reference || other.reference;
    fixed = fixed || other.fixed;
    associative = associative || other.associative;
    if (fold != other.fold)
        fold = '?';
    level = std::min(level, other.level);
    for (const Datum &datum : other.choices) {
        if (std::ranges::find(choices, datum) != choices.end())
            continue;
        if (choices.size() < maxChoices) {
            choices.push_back(datum);
        } else if (choices.size() == maxChoices) {
            Datum unknown;
            unknown.elements.push_back(Gapped::unknown());
            choices.push_back(std::move(unknown));
        }
    }
}

static void addTo(Variables::Delta &values, std::string_view name, const Variable &value)
{
    const auto [at, fresh] = values.try_emplace(std::string(name), value);
    if (!fresh)
        at->second.add(value);
}

const Variable *Variables::find(std::string_view name, std::uint32_t level) const
{
    const auto found = m_values.find(name);
    if (found == m_values.end())
        return nullptr;
    const Variable &variable = found->second;
    return variable.level < level && !variable.exported ? nullptr : &variable;
}

void Variables::remember(std::string_view name)
{
    const auto found = m_values.find(name);
    if (found != m_values.end() && m_inMind)
        addTo(m_everHeld, name, found->second);
    if (m_marks == 0)
        return;
    if (found == m_values.end())
        m_journal.push_back({std::string(name), std::nullopt});
    else
        m_journal.push_back({std::string(name), found->second});
}

Variable &Variables::edit(std::string_view name)
{
    remember(name);
    const auto found = m_values.find(name);
    return found != m_values.end() ? found->second : m_values.emplace(std::string(name), original(name)).first->second;
}

Variable Variables::original(std::string_view name) const
{
    const auto given = m_environment.find(name);
    if (given == m_environment.end())
        return Variable::unset();
    Variable variable = Variable::of({Gapped(given->second)});
    variable.exported = true;
    return variable;
}

void Variables::set(std::string_view name, Variable value)
{
    const auto found = m_values.find(name);
    if (found != m_values.end() && m_inMind)
        addTo(m_everHeld, name, found->second);
    if (found == m_values.end()) {
        if (m_marks != 0)
            m_journal.push_back({std::string(name), std::nullopt});
        m_values.emplace(std::string(name), std::move(value));
        return;
    }
    if (m_marks != 0)
        m_journal.push_back({std::string(name), std::exchange(found->second, std::move(value))});
    else
        found->second = std::move(value);
}

std::size_t Variables::mark()
{
    ++m_marks;
    for (Leavable &each : m_leavables)
        each.marks.push_back(each.told);
    return m_journal.size();
}

Variables::Delta Variables::take(std::size_t mark)
{
    Delta delta;
    while (m_journal.size() > mark) {
        Entry entry = std::move(m_journal.back());
        m_journal.pop_back();
        const auto current = m_values.find(entry.name);
        if (current != m_values.end() && m_inMind)
            addTo(m_everHeld, entry.name, current->second);
        if (current != m_values.end())
            delta.try_emplace(entry.name, std::move(current->second));
        if (entry.old)
            m_values.insert_or_assign(std::move(entry.name), std::move(*entry.old));
        else if (current != m_values.end())
            m_values.erase(current);
    }
    undoneTo(mark);
    return delta;
}

void Variables::undoneTo(std::size_t mark)
{
    --m_marks;
    for (Leavable &each : m_leavables) {
        each.told = each.marks.back();
        each.marks.pop_back();
        if (each.first)
            each.first = std::min(*each.first, mark);
    }
}

void Variables::weaken(std::size_t mark)
{
    for (std::size_t i = m_journal.size(); i > mark; --i) {
        const Entry &entry = m_journal[i - 1];
        const auto current = m_values.find(entry.name);
        if (current == m_values.end())
            continue;
        current->second.add(entry.old ? *entry.old : original(entry.name));
    }
    keep();
}

void Variables::keep()
{
    --m_marks;
    for (Leavable &each : m_leavables)
        each.marks.pop_back();
    if (m_marks == 0)
        m_journal.clear();
}

std::size_t Variables::beginLeavable()
{
    const std::size_t at = mark();
    m_leavables.push_back({.mark = at, .told = at, .first = {}, .left = {}, .marks = {}});
    return m_leavables.size() - 1;
}

void Variables::leave(std::size_t number, const std::vector<std::pair<std::string, Variable>> &restored)
{
    Leavable &left = m_leavables[number];
    std::set<std::string_view> names;
    for (std::size_t i = left.told; i < m_journal.size(); ++i)
        names.insert(m_journal[i].name);
    for (const std::string_view name : names) {
        bool other = false;
        for (const auto &[restoredName, value] : restored) {
            other = other || restoredName == name;
            if (restoredName == name)
                addTo(left.left, name, value);
        }
        if (const auto current = m_values.find(name); current != m_values.end() && !other)
            addTo(left.left, name, current->second);
    }
    left.told = m_journal.size();
    left.first = std::min(left.first.value_or(m_journal.size()), m_journal.size());
}

void Variables::endLeavable()
{
    const Leavable left = std::move(m_leavables.back());
    m_leavables.pop_back();
    if (left.first) {
        std::set<std::string, std::less<>> seen;
        for (std::size_t i = left.mark; i < m_journal.size(); ++i) {
            // Only its first write shows what it was before, and after that place it may be left with that.
            if (seen.insert(m_journal[i].name).second && i >= *left.first)
                m_values[m_journal[i].name].add(m_journal[i].old ? *m_journal[i].old : original(m_journal[i].name));
        }
        for (const auto &[name, value] : left.left)
            edit(name).add(value);
    }
    keep();
}

std::vector<std::string> Variables::writtenSince(std::size_t mark) const
{
    std::set<std::string> names;
    for (std::size_t i = mark; i < m_journal.size(); ++i)
        names.insert(m_journal[i].name);
    return {names.begin(), names.end()};
}

void Variables::join(std::vector<Delta> branches, bool none)
{
    const std::size_t needed = branches.size() + (none ? 1 : 0);
    std::map<std::string, std::pair<Variable, std::size_t>, std::less<>> joined;
    for (Delta &branch : branches) {
        for (auto &[name, value] : branch) {
            const auto [at, fresh] = joined.try_emplace(name);
            if (fresh)
                at->second.first = std::move(value);
            else
                at->second.first.add(value);
            ++at->second.second;
        }
    }
    for (auto &[name, entry] : joined) {
        if (entry.second < needed)
            entry.first.add(edit(name));
        set(name, std::move(entry.first));
    }
}

} // namespace portcullis::shell
