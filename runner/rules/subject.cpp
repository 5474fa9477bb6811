// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/subject.h"

#include "runner/rules/code_names.h"
#include "runner/rules/code_writes.h"
#include "runner/rules/data_words.h"
#include "runner/rules/sed_script.h"
#include "runner/rules/writers.h"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace portcullis::rules {

namespace {

/// What rules of kind code look at.
std::string ruleText(const shell::EmbeddedCode &code)
{
    std::string text = shownText(code.text);
    if (code.language == "sed")
        return sedCommands(text);
    if (const std::string full = withFullNames(code.language, text); !full.empty())
        text += '\n' + full;
    return text;
}

} // namespace

Whole::Whole(const shell::Evaluation &evaluation_, std::string_view raw_, const GlobSet &paths_)
    : evaluation(evaluation_)
    , raw(raw_)
    , paths(paths_)
    , flowsByFrom(evaluation_.flows.size())
    , flowsByTo(evaluation_.flows.size())
    , fileFlowsByTo(evaluation_.fileFlows.size())
    , codeByInvocation(evaluation_.code.size())
    , links(shell::madeLinks(evaluation_))
    , inFlow(evaluation_.invocations.size(), false)
{
    for (const shell::Flow &flow : evaluation.flows) {
        inFlow[flow.from] = true;
        inFlow[flow.to] = true;
    }
    for (const shell::FileFlow &flow : evaluation.fileFlows)
        inFlow[flow.to] = true;
    std::iota(flowsByFrom.begin(), flowsByFrom.end(), 0U);
    std::iota(flowsByTo.begin(), flowsByTo.end(), 0U);
    std::iota(fileFlowsByTo.begin(), fileFlowsByTo.end(), 0U);
    std::iota(codeByInvocation.begin(), codeByInvocation.end(), 0U);
    std::ranges::stable_sort(flowsByFrom, {}, [&](std::uint32_t at) { return evaluation.flows[at].from; });
    std::ranges::stable_sort(flowsByTo, {}, [&](std::uint32_t at) { return evaluation.flows[at].to; });
    std::ranges::stable_sort(fileFlowsByTo, {}, [&](std::uint32_t at) { return evaluation.fileFlows[at].to; });
    std::ranges::transform(evaluation.code, std::back_inserter(codeTexts), ruleText);
    std::ranges::stable_sort(codeByInvocation, {}, [&](std::uint32_t at) { return evaluation.code[at].invocation; });
}

std::span<const std::uint32_t> Whole::codeOf(std::uint32_t invocation) const
{
    return std::ranges::equal_range(codeByInvocation, invocation, {},
                                    [&](std::uint32_t at) { return evaluation.code[at].invocation; });
}

const Whole::Options &Whole::optionsOf(std::string_view program, std::span<const std::string> valueOptions) const
{
    const auto [entry, added] = options.try_emplace({std::string(program), valueOptions.data()});
    Options &known = entry->second;
    if (!added)
        return known;
    known.table = programOptions(program);
    const shell::OptionTable *inner = subcommandOptions(program);
    known.own = std::ranges::all_of(valueOptions, [&](const std::string &option) {
        return takesValue(known.table, option) && (!inner || takesValue(*inner, option));
    });
    addValueOptions(known.table, std::vector<std::string_view>(valueOptions.begin(), valueOptions.end()),
                    known.letters);
    return known;
}

Subject::Subject(const Whole &whole) : m_whole(whole) { }

Subject::Subject(const Whole &whole, std::uint32_t invocation)
    : m_whole(whole), m_invocation(&whole.evaluation.invocations[invocation]), m_index(invocation)
{
}

std::span<const shell::Value> Subject::args() const
{
    return m_invocation ? std::span<const shell::Value>(m_invocation->args) : std::span<const shell::Value>();
}

std::span<const shell::Assignment> Subject::assigns() const
{
    return m_invocation ? m_invocation->assigns : m_whole.evaluation.assignments;
}

const shell::SplitArguments &Subject::split(std::string_view program, std::span<const std::string> valueOptions)
{
    const bool itself = !m_invocation || program == m_invocation->name;
    const Whole::Options *options = valueOptions.empty() ? nullptr : &m_whole.optionsOf(program, valueOptions);
    if (itself && (!options || options->own)) {
        if (!m_split)
            m_split = splitAsProgram(program, args());
        return *m_split;
    }
    const shell::OptionTable &table = options ? options->table : programOptions(program);
    m_special = splitWith(program, table, valueOptions, args());
    return *m_special;
}

const std::vector<Subject::NamedPath> &Subject::paths()
{
    if (m_paths)
        return *m_paths;
    const Links links = m_invocation ? linksFor(*m_invocation, m_whole.links) : Links{m_whole.links};
    m_files = m_invocation ? mentionedFiles(*m_invocation, split(m_invocation->name, {}), links)
                           : redirectedFiles(m_whole.evaluation.redirections, std::nullopt, links);
    if (m_invocation) {
        for (const std::uint32_t at : m_whole.codeOf(m_index))
            std::ranges::move(writtenFiles(filesWrittenBy(m_whole.evaluation.code[at]), m_invocation->cwd, links),
                              std::back_inserter(*m_files));
    }
    for (FileMention &file : *m_files)
        file.own = liesBelow(file.path, m_whole.evaluation.cwd);
    m_paths.emplace();
    for (const FileMention &file : *m_files) {
        const bool unknown = file.path.open && file.path.open->cells == std::vector<OpenText::Cell>{OpenText::gap};
        if (unknown || (file.path.open && m_whole.overBudget())) {
            m_unknownFiles.push_back(file);
            continue;
        }
        if (!file.path.open) {
            for (const GlobSet::Id id : m_whole.paths.match(file.path.plain))
                m_paths->push_back({id, Match::Yes, &file});
            continue;
        }
        for (const auto &[id, match] : m_whole.paths.match(*file.path.open, m_whole.progress))
            m_paths->push_back({id, match, &file});
    }
    return *m_paths;
}

const std::vector<FileMention> &Subject::unknownFiles()
{
    static_cast<void>(paths()); // fills both lists
    return m_unknownFiles;
}

Needs Subject::available()
{
    Needs out = m_invocation ? needs::invocation : Needs{0};
    if (!assigns().empty())
        out |= needs::assigns;
    if (m_invocation && !m_whole.codeOf(m_index).empty())
        out |= needs::code;
    if (m_invocation && m_whole.inFlow[m_index])
        out |= needs::flows;
    if (!paths().empty() || !m_unknownFiles.empty())
        out |= needs::paths;
    return out;
}

const shell::Value &Subject::line()
{
    if (m_line)
        return *m_line;
    m_line.emplace();
    for (const shell::Value &arg : args()) {
        if (&arg != args().data())
            m_line->text += ' ';
        for (const std::uint32_t gap : arg.gaps)
            m_line->gaps.push_back(gap + static_cast<std::uint32_t>(m_line->text.size()));
        m_line->text += arg.text;
    }
    return *m_line;
}

} // namespace portcullis::rules
