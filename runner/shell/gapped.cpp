// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/gapped.h"

#include <algorithm>
#include <ranges>

namespace portcullis::shell {

Gapped Gapped::unknown(std::uint32_t source)
{
    Gapped result;
    result.gaps.push_back({0, source});
    return result;
}

void addGap(std::vector<Gap> &gaps, Gap gap)
{
    constexpr std::size_t most = 4;
    std::size_t here = 0;
    for (std::size_t i = gaps.size(); i > 0 && gaps[i - 1].offset == gap.offset; --i, ++here) {
        if (gaps[i - 1].source == gap.source || here + 1 >= most)
            return;
    }
    gaps.push_back(gap);
}

void Gapped::appendGap(std::uint32_t source)
{
    addGap(gaps, {static_cast<std::uint32_t>(text.size()), source});
}

void Gapped::append(const Gapped &other)
{
    const auto base = static_cast<std::uint32_t>(text.size());
    for (const Gap &gap : other.gaps)
        addGap(gaps, {base + gap.offset, gap.source});
    text += other.text;
    pattern = pattern || other.pattern;
}

void Gapped::chopNewlines()
{
    while (text.ends_with('\n') && (gaps.empty() || gaps.back().offset < text.size()))
        text.pop_back();
}

void addChoice(Choices &choices, Gapped value)
{
    if (std::ranges::find(choices, value) != choices.end())
        return;
    if (choices.size() >= maxChoices)
        value = Gapped::unknown();
    if (choices.size() <= maxChoices)
        choices.push_back(std::move(value));
}

void addChoices(Choices &choices, const Choices &more)
{
    for (const Gapped &value : more)
        addChoice(choices, value);
}

void appendChoices(Choices &choices, const Choices &more)
{
    if (more.size() == 1) {
        for (Gapped &value : choices)
            value.append(more.front());
        return;
    }
    Choices result;
    for (const Gapped &first : choices) {
        for (const Gapped &second : more) {
            Gapped joined = first;
            joined.append(second);
            addChoice(result, std::move(joined));
        }
    }
    choices = std::move(result);
}

Datum unknownArray(std::uint32_t source)
{
    Datum datum;
    datum.array = true;
    datum.open = true;
    datum.elements.push_back(Gapped::unknown(source));
    return datum;
}

Gapped Field::gapped() const
{
    Gapped result(value.text);
    result.pattern = value.isPattern();
    for (std::size_t i = 0; i < value.gaps.size(); ++i)
        result.gaps.push_back({value.gaps[i], i < sources.size() ? sources[i] : noSource});
    return result;
}

Field Field::fromGapped(const Gapped &text, Span span)
{
    Field field;
    field.value.text = text.text;
    field.value.span = span;
    for (const Gap &gap : text.gaps) {
        field.value.gaps.push_back(gap.offset);
        field.sources.push_back(gap.source);
    }
    return field;
}

Field Field::from(std::size_t offset) const
{
    Field rest;
    rest.value.text = value.text.substr(offset);
    rest.value.quotedData = value.quotedData;
    rest.value.span = value.span;
    rest.usesUnset = usesUnset;
    for (std::size_t i = 0; i < value.gaps.size(); ++i) {
        if (value.gaps[i] < offset)
            continue;
        rest.value.gaps.push_back(value.gaps[i] - static_cast<std::uint32_t>(offset));
        rest.sources.push_back(i < sources.size() ? sources[i] : noSource);
    }
    for (const std::uint32_t glob : value.globs) {
        if (glob >= offset)
            rest.value.globs.push_back(glob - static_cast<std::uint32_t>(offset));
    }
    return rest;
}

bool isEndOf(const Value &word, const Value &part)
{
    if (word.span != part.span || !word.text.ends_with(part.text))
        return false;
    const std::size_t from = word.text.size() - part.text.size();
    const auto first = std::ranges::lower_bound(word.gaps, from);
    return std::ranges::equal(std::ranges::subrange(first, word.gaps.end()), part.gaps, {},
                              [from](std::size_t gap) { return gap - from; });
}

} // namespace portcullis::shell
