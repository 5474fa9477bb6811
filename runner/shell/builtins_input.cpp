// SPDX-License-Identifier: Apache-2.0

// Builtins that read standard input into variables: bash manual, 4.2; POSIX read.

#include "runner/shell/builtin_options.h"
#include "runner/shell/evaluator.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

namespace {

std::string singleQuoted(std::string_view text)
{
    std::string out = "'";
    for (const char c : text)
        out += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return out + "'";
}

std::vector<std::string_view> splitLines(std::string_view text, char end)
{
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t at = std::min(text.find(end), text.size());
        lines.push_back(text.substr(0, at));
        text.remove_prefix(std::min(at + 1, text.size()));
    }
    return lines;
}

/// What ends a line for `-d`; nothing when it cannot be told.
std::optional<char> lineEnd(const BuiltinOptions &options)
{
    if (!options.has('d'))
        return '\n';
    const Field *given = options.value('d');
    if (given == nullptr || !given->value.known())
        return std::nullopt;
    return given->value.text.empty() ? '\0' : given->value.text.front();
}

/// The rest of a line from its field `which` on, as the last variable of `read` gets it.
Gapped restOfLine(std::string_view line, const std::vector<Field> &fields, std::size_t which,
                  std::string_view separators)
{
    if (which >= fields.size())
        return {};
    if (which + 1 == fields.size() && which > 0)
        return fields[which].gapped();
    if (which > 0) {
        Gapped joined = fields[which].gapped();
        for (std::size_t i = which + 1; i < fields.size(); ++i) {
            joined.append(Gapped(" "));
            joined.append(fields[i].gapped());
        }
        const bool same = line.contains(joined.text) && separators == " \t\n";
        return same ? joined : Gapped::unknown();
    }
    const auto blank = [&](char c) { return (c == ' ' || c == '\t' || c == '\n') && separators.contains(c); };
    while (!line.empty() && blank(line.front()))
        line.remove_prefix(1);
    while (!line.empty() && blank(line.back()))
        line.remove_suffix(1);
    // One other separator behind the last field goes too.
    if (fields.size() == 1)
        return fields.front().gapped();
    return Gapped(std::string(line));
}

} // namespace

const Input *Evaluator::readsFrom(const Run &run, const Field *descriptor) const
{
    if (descriptor != nullptr) {
        const auto open = m_descriptors.find(descriptor->value.text);
        if (open != m_descriptors.end())
            return &open->second;
    }
    return stdinOf(run);
}

void Evaluator::readBuiltin(const Run &run)
{
    const BuiltinOptions options = builtinOptions(run.words, "ersE", "adinNptu");
    const Input *input = readsFrom(run, options.value('u'));
    const std::optional<char> end = lineEnd(options);
    // Lines of a known input, as alternatives: the loop around it may read any of them.
    std::vector<std::string_view> texts;
    std::vector<std::vector<Field>> lines;
    const bool exact =
        end && !options.unsure && !options.has('n') && !options.has('N') && !options.has('t') && !options.has('i');
    if (exact && input != nullptr && input->text.size() == 1 && input->text.front().known()
        && (options.has('r') || !input->text.front().text.contains('\\')))
        texts = splitLines(input->text.front().text, *end);
    if (texts.size() > maxChoices)
        texts.clear();
    const std::string ifs = separators();
    for (const std::string_view text : texts) {
        Draft draft;
        draft.add(text, Mark::Expanded);
        splitFields(draft, ifs, run.span, lines.emplace_back());
    }
    const Gapped unknown = Gapped::unknown(input != nullptr ? input->source() : noSource);
    const auto valueAt = [&](std::size_t which, bool last) {
        Choices values;
        for (std::size_t i = 0; i < lines.size(); ++i) {
            Gapped value;
            if (last)
                value = restOfLine(texts[i], lines[i], which, ifs);
            else if (which < lines[i].size())
                value = lines[i][which].gapped();
            value.pattern = false;
            addChoice(values, std::move(value));
        }
        return lines.empty() ? Choices{unknown} : values;
    };
    if (const Field *array = options.value('a')) {
        Variable variable;
        for (const auto &line : lines) {
            Datum &datum = variable.choices.emplace_back();
            datum.array = true;
            for (const Field &field : line)
                datum.elements.push_back(field.gapped());
        }
        if (lines.empty())
            variable.choices.push_back(unknownArray(input != nullptr ? input->source() : noSource));
        storeInto(array->gapped(), std::move(variable), array->value.span);
        return;
    }
    if (options.operand >= run.words.size())
        store("REPLY", Variable::of(valueAt(0, true)), run.span, false);
    for (std::size_t i = options.operand; i < run.words.size(); ++i) {
        const Field &word = run.words[i];
        evaluateTarget(word.gapped(), word.value.span);
        storeInto(word.gapped(), Variable::of(valueAt(i - options.operand, i + 1 == run.words.size())),
                  word.value.span);
    }
}

void Evaluator::mapfileBuiltin(const Run &run)
{
    const BuiltinOptions options = builtinOptions(run.words, "t", "duCcnOs");
    const Input *input = readsFrom(run, options.value('u'));
    const std::optional<char> end = lineEnd(options);
    const bool known = end && input != nullptr && input->text.size() == 1 && input->text.front().known();
    std::vector<std::string_view> lines =
        known ? splitLines(input->text.front().text, *end) : std::vector<std::string_view>{};
    std::string name = "MAPFILE";
    if (options.operand < run.words.size()) {
        const Field &word = run.words[options.operand];
        evaluateTarget(word.gapped(), word.value.span);
        name = word.value.text;
    }
    Variable variable;
    if (known && !options.unsure && !options.has('n') && !options.has('O') && !options.has('s')) {
        Datum &datum = variable.choices.emplace_back();
        datum.array = true;
        for (const std::string_view line : lines) {
            if (!spend(line.size() + 100))
                break;
            datum.elements.emplace_back(std::string(line));
        }
    } else {
        variable.choices.push_back(unknownArray(input != nullptr ? input->source() : noSource));
    }
    if (const Field *callback = options.value('C')) {
        // It is called with an index and the line.
        constexpr std::size_t mostLines = 16;
        const bool all = known && lines.size() <= mostLines;
        lines.resize(std::clamp(lines.size(), std::size_t{1}, mostLines));
        ++m_repeats;
        for (const std::string_view line : lines) {
            Gapped text = callback->gapped();
            text.append(Gapped(" 0 "));
            text.append(all ? Gapped(singleQuoted(line)) : Gapped::unknown());
            runText(text, m_dialect, callback->value.span);
        }
        --m_repeats;
    }
    storeInto(Gapped(name), std::move(variable), run.span);
}

} // namespace portcullis::shell
