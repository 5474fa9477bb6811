// SPDX-License-Identifier: Apache-2.0

// Other names that a text gives to programs: `hash -p`, copies of and links to a program; and commands that completion
// and options with a conventional name start.

#include "runner/shell/evaluator.h"
#include "runner/shell/stretches.h"

#include <algorithm>
#include <array>

namespace portcullis::shell {

namespace {

bool isProgramFile(std::string_view path)
{
    static constexpr std::array<std::string_view, 6> folders{"/bin/",      "/sbin/",          "/usr/bin/",
                                                             "/usr/sbin/", "/usr/local/bin/", "/usr/local/sbin/"};
    return std::ranges::any_of(folders, [&](std::string_view folder) {
        return path.starts_with(folder) && path.size() > folder.size() && !path.substr(folder.size()).contains('/');
    });
}

} // namespace

void Evaluator::callProgram(std::string_view name, const Value &program)
{
    if (!program.known() || program.isPattern() || name.empty())
        return;
    std::string path = absolute(program.text);
    if (const auto other = m_calledPrograms.find(path); other != m_calledPrograms.end())
        path = other->second;
    constexpr std::size_t mostNames = 64;
    const bool wellKnown = programInfo(std::string_view(path).substr(path.rfind('/') + 1)) != nullptr;
    // What a plain name is made to mean is a program, wherever it lies.
    if (!isProgramFile(path) && !wellKnown && name.contains('/'))
        return;
    if (m_calledPrograms.size() >= mostNames)
        beyondLimits(program.span, std::string(name));
    else
        m_calledPrograms.insert_or_assign(std::string(name), std::move(path));
}

const std::string *Evaluator::calledProgram(const Run &run) const
{
    const Value &word = run.words.front().value;
    if (m_calledPrograms.empty() || !word.known() || word.isPattern())
        return nullptr;
    const bool path = word.text.contains('/');
    const auto exact = m_calledPrograms.find(path ? absolute(word.text) : word.text);
    if (exact != m_calledPrograms.end())
        return exact->second == word.text ? nullptr : &exact->second;
    if (path || programInfo(word.text) != nullptr)
        return nullptr;
    // A copy in some directory of the search path.
    const auto copy = std::ranges::find_if(m_calledPrograms, [&](const auto &each) {
        return each.first.ends_with(word.text) && each.first.size() > word.text.size()
            && each.first[each.first.size() - word.text.size() - 1] == '/';
    });
    return copy == m_calledPrograms.end() ? nullptr : &copy->second;
}

void Evaluator::nameTable(std::string_view name, const Variable &value, Span span)
{
    for (const Datum &datum : value.choices) {
        for (std::size_t i = 0; i < datum.keys.size() && i < datum.elements.size(); ++i) {
            if (name == "BASH_ALIASES")
                addAlias(datum.keys[i], datum.elements[i]);
            else
                callProgram(datum.keys[i], Field::fromGapped(datum.elements[i], span).value);
        }
    }
}

void Evaluator::hashBuiltin(const Run &run)
{
    for (std::size_t i = 1; i + 2 < run.words.size(); ++i) {
        if (run.words[i].value.text == "-p")
            callProgram(run.words[i + 2].value.text, run.words[i + 1].value);
    }
}

void Evaluator::inSubshell(const Field &text, std::string_view via)
{
    const Subshell copy(*this);
    ++m_repeats;
    m_via.emplace_back(via);
    runText(text.gapped(), m_dialect, text.value.span);
    m_via.pop_back();
    --m_repeats;
}

void Evaluator::completeBuiltin(const Run &run)
{
    if (run.words.size() == 2)
        m_unknownRan = true;
    for (std::size_t i = 1; i + 1 < run.words.size(); ++i) {
        const std::string &option = run.words[i].value.text;
        const Field &value = run.words[i + 1];
        if (option == "-F" && m_functions.contains(value.value.text))
            perhaps([&] { callFunction(value.value.text, {}, false); });
        else if (option == "-C" || option == "-F")
            inSubshell(value, run.words.front().value.text);
        else if (option == "-W")
            evaluateExpansions(value.gapped(), value.value.span);
    }
}

void Evaluator::namedCommandOptions(const Run &run, std::uint32_t invocation)
{
    // Nobody gives these options to anything but a command.
    static constexpr std::array<std::string_view, 10> names{
        "--exec",      "--command",  "--cmd",      "--run",     "--shell-command",
        "--on-change", "--exec-cmd", "--post-cmd", "--pre-cmd", "--run-command"};
    for (std::size_t i = 1; i < run.words.size(); ++i) {
        const Value &word = run.words[i].value;
        const std::size_t equals = word.text.find('=');
        if (!std::ranges::contains(names, std::string_view(word.text).substr(0, equals)))
            continue;
        const Field &value = run.words[std::min(i + 1, run.words.size() - 1)];
        if (equals != std::string::npos)
            launchText(run.words[i].from(equals + 1).gapped(), word.span, invocation, run,
                       run.words.front().value.text);
        else if (i + 1 < run.words.size() && value.value.text.contains(' '))
            launchText(value.gapped(), value.value.span, invocation, run, run.words.front().value.text);
    }
}

} // namespace portcullis::shell
