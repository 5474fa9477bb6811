// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/writers.h"

#include "runner/rules/data_words.h"
#include "runner/rules/line_writes.h"
#include "runner/rules/open_text.h"
#include "runner/rules/unpacked_files.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <ranges>
#include <string>

namespace portcullis::rules {

namespace {

using shell::Invocation;
using shell::SplitArguments;
using shell::Value;

// Sources times targets stays small: no everyday command copies more at once.
constexpr std::size_t maxSources = 64;

Value joined(const Value &front, std::string_view between, const Value &back)
{
    Value out = front;
    out.text += between;
    const auto shift = static_cast<std::uint32_t>(out.text.size());
    out.text += back.text;
    const auto shifted = [shift](std::uint32_t at) { return at + shift; };
    std::ranges::transform(back.gaps, std::back_inserter(out.gaps), shifted);
    std::ranges::transform(back.globs, std::back_inserter(out.globs), shifted);
    return out;
}

Value unknownName()
{
    Value name;
    name.gaps.push_back(0);
    return name;
}

/// Whether a lone source may be copied into `target` rather than to it: a plain relative name and one with an extension
/// are hardly folders.
bool mayBeFolder(const Value &target)
{
    const std::string_view text = target.text;
    if (!target.known() || text.ends_with('/') || text.ends_with('.'))
        return true;
    const std::size_t base = text.rfind('/') + 1;
    const std::size_t dot = text.rfind('.');
    return text.starts_with('/') && (dot == std::string_view::npos || dot <= base);
}

/// The last component; empty where there is none.
Value lastPart(const Value &path)
{
    const std::size_t end = path.text.find_last_not_of('/');
    const std::size_t from = end == std::string::npos ? 0 : path.text.find_last_of('/', end) + 1;
    const bool openEnd = !path.gaps.empty() && path.gaps.back() >= path.text.size();
    return slice(path, from, openEnd || end == std::string::npos ? path.text.size() : end + 1);
}

/// How many words of a list such as `clone|worktree add` the operands begin with; nothing where none fits.
std::optional<std::size_t> subcommandWords(std::string_view subcommands, std::span<const Value> operands)
{
    if (subcommands.empty())
        return 0;
    for (const auto entry : std::views::split(subcommands, '|')) {
        std::size_t words = 0;
        bool fits = true;
        for (const auto word : std::views::split(entry, ' ')) {
            fits = fits && words < operands.size() && operands[words].known()
                && operands[words].text == std::string_view(word);
            ++words;
        }
        if (fits)
            return words;
    }
    return std::nullopt;
}

/// The words that one way of writing names.
class Writing
{
public:
    Writing(const Writer &writer, const Invocation &invocation, const SplitArguments &split,
            std::span<const Value> operands)
        : m_writer(writer), m_invocation(invocation), m_split(split), m_operands(operands)
    {
    }

    void collect(std::vector<Value> &words)
    {
        if (m_operands.size() < m_writer.leastOperands || givesOption(m_split, m_writer.never))
            return;
        fromOptions(words);
        for (const shell::Assignment &assignment : m_invocation.assigns) {
            if (listsOption(m_writer.variables, assignment.name))
                words.push_back(joined(assignment.value, "/", unknownName()));
        }
        const bool asked = m_writer.onlyWith.empty() || givesOption(m_split, m_writer.onlyWith);
        if (asked && !givesOption(m_split, m_writer.notWith))
            fromOperands(words);
    }

private:
    void fromOptions(std::vector<Value> &words) const
    {
        const Value *base = nullptr;
        for (const shell::GivenOption &option : m_split.options) {
            if (option.value && listsOption(m_writer.base, option.name))
                base = &*option.value;
        }
        for (const shell::GivenOption &option : m_split.options) {
            if (!option.value)
                continue;
            const Value &value = *option.value;
            if (listsOption(m_writer.options, option.name))
                words.push_back(base && !value.text.starts_with('/') ? joined(*base, "/", value) : value);
            if (listsOption(m_writer.options, option.name) && m_writer.operands == WriterOperands::Into)
                inside(value, m_operands, words);
            if (listsOption(m_writer.folders, option.name))
                words.push_back(joined(value, "/", unknownName()));
            if (listsOption(m_writer.prefixes, option.name))
                words.push_back(joined(value, "", unknownName()));
        }
    }

    void fromOperands(std::vector<Value> &words) const
    {
        switch (m_writer.operands) {
        case WriterOperands::None:
            break;
        case WriterOperands::First:
            if (!m_operands.empty())
                words.push_back(m_operands.front());
            break;
        case WriterOperands::All:
            words.insert(words.end(), m_operands.begin(), m_operands.end());
            break;
        case WriterOperands::Last:
        case WriterOperands::Into:
            if (m_operands.size() < 2)
                break;
            words.push_back(m_operands.back());
            if (m_writer.operands == WriterOperands::Into && (m_operands.size() > 2 || mayBeFolder(m_operands.back())))
                inside(m_operands.back(), m_operands.first(m_operands.size() - 1), words);
            break;
        }
        const std::size_t prefix = m_writer.operandPrefix.size();
        for (const Value &operand : m_operands) {
            if (prefix > 0 && operand.text.starts_with(m_writer.operandPrefix))
                words.push_back(slice(operand, prefix, operand.text.size()));
        }
    }

    /// `cp a b DIR` also writes DIR/a and DIR/b.
    static void inside(const Value &folder, std::span<const Value> sources, std::vector<Value> &words)
    {
        for (const Value &source : sources.first(std::min(sources.size(), maxSources))) {
            const Value name = lastPart(source);
            if (!name.text.empty() || !name.known())
                words.push_back(joined(folder, "/", name));
        }
    }

    const Writer &m_writer;
    const Invocation &m_invocation;
    const SplitArguments &m_split;
    std::span<const Value> m_operands;
};

} // namespace

std::vector<Value> writtenWords(const Invocation &invocation, const SplitArguments &split)
{
    std::vector<Value> words;
    for (const Writer &writer : writersOf(invocation.name)) {
        if (const auto skipped = subcommandWords(writer.subcommands, split.operands))
            Writing(writer, invocation, split, std::span(split.operands).subspan(*skipped)).collect(words);
    }
    std::ranges::move(unpackedFiles(invocation, split), std::back_inserter(words));
    if (invocation.name == "sqlite3")
        std::ranges::move(databaseWrites(invocation, split), std::back_inserter(words));
    std::erase_if(words, [](const Value &word) { return word.text.empty() && word.known(); });
    return words;
}

std::vector<Value> writtenWords(const Invocation &invocation)
{
    const bool known =
        !writersOf(invocation.name).empty() || isUnpacker(invocation.name) || invocation.name == "sqlite3";
    return known ? writtenWords(invocation, splitAsProgram(invocation.name, invocation.args)) : std::vector<Value>();
}

} // namespace portcullis::rules
