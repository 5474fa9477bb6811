// SPDX-License-Identifier: Apache-2.0

// Builtins that read standard input into variables: bash manual, 4.2; POSIX read.

#include "runner/shell/builtin_options.h"
#include "runner/shell/evaluator.h"
#include "runner/shell/shell_reader.h"

#include <algorithm>
#include <charconv>
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

/// A decimal number; nothing when it cannot be told.
std::optional<std::size_t> countOf(const Field *given)
{
    if (given == nullptr || !given->value.known() || given->value.text.empty())
        return std::nullopt;
    const std::string &text = given->value.text;
    std::size_t count = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(count) : std::nullopt;
}

/// One line as `read` takes it: bytes behind a backslash stand for themselves and do not separate fields.
Draft lineWithEscapes(std::string_view &text, char end)
{
    Draft line;
    std::size_t i = 0;
    for (; i < text.size() && text[i] != end; ++i) {
        const bool escape = text[i] == '\\' && i + 1 < text.size();
        i += escape ? 1 : 0;
        if (!escape || text[i] != '\n')
            line.add(text.substr(i, 1), escape ? Mark::Quoted : Mark::Expanded);
    }
    text.remove_prefix(std::min(i + 1, text.size()));
    return line;
}

/// Parts of at most `size` bytes.
std::vector<std::string_view> splitSizes(std::string_view text, std::size_t size)
{
    std::vector<std::string_view> parts;
    for (; !text.empty(); text.remove_prefix(std::min(size, text.size())))
        parts.push_back(text.substr(0, size));
    return parts;
}

/// The rest of a line from its field `which` on, as the last variable of `read` gets it.
Gapped restOfLine(const Draft &line, const std::vector<Field> &fields, std::size_t which, std::string_view separators)
{
    if (which >= fields.size())
        return {};
    // One separator behind the last field goes too.
    if (which + 1 == fields.size())
        return fields[which].gapped();
    const auto blank = [&](std::size_t i) {
        const char c = line.text[i];
        return line.mark(i) == Mark::Expanded && (c == ' ' || c == '\t' || c == '\n') && separators.contains(c);
    };
    if (which > 0) {
        Gapped joined = fields[which].gapped();
        for (std::size_t i = which + 1; i < fields.size(); ++i) {
            joined.append(Gapped(" "));
            joined.append(fields[i].gapped());
        }
        const bool same = line.text.contains(joined.text) && separators == " \t\n";
        return same ? joined : Gapped::unknown();
    }
    std::size_t start = 0;
    std::size_t end = line.text.size();
    while (start < end && blank(start))
        ++start;
    while (end > start && blank(end - 1))
        --end;
    return Gapped(line.text.substr(start, end - start));
}

/// What tells where one `read` stops and the next begins.
std::string mannerOf(const BuiltinOptions &options)
{
    std::string manner;
    for (const char letter : {'d', 'n', 'N', 'r'}) {
        const Field *value = options.value(letter);
        if (options.has(letter))
            manner += letter + (value != nullptr ? value->value.text : std::string()) + '\n';
    }
    return manner;
}

/// What `read` may find, as alternatives: the loop around it may come to any of these. Nothing when it cannot be told.
std::vector<Draft> linesOf(std::string_view text, const BuiltinOptions &options)
{
    const auto end = lineEnd(options);
    const bool sized = options.has('n') || options.has('N');
    const auto size = countOf(options.value(options.has('N') ? 'N' : 'n'));
    const auto seconds = countOf(options.value('t'));
    const bool ascii = std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
    const bool escapes = !options.has('r') && text.contains('\\');
    if (!end || options.unsure || options.has('i') || (options.has('t') && (!seconds || *seconds == 0))
        || (sized && (!size || *size == 0 || !ascii || escapes)))
        return {};
    std::vector<Draft> lines;
    const auto add = [&](std::string_view part, Mark mark) { lines.emplace_back().add(part, mark); };
    if (options.has('N')) {
        for (const std::string_view part : splitSizes(text, *size))
            add(part, Mark::Quoted);
    } else if (escapes) {
        while (!text.empty() && lines.size() <= maxChoices)
            lines.push_back(lineWithEscapes(text, *end));
    } else {
        for (const std::string_view line : splitLines(text, *end)) {
            for (const std::string_view part : sized ? splitSizes(line, *size) : std::vector{line})
                add(part, Mark::Expanded);
        }
    }
    return lines;
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
    std::vector<Draft> texts;
    std::vector<std::vector<Field>> lines;
    if (input != nullptr && input->text.size() == 1 && input->text.front().known()
        && spend(input->text.front().text.size() * 2))
        texts = linesOf(input->text.front().text, options);
    // After a read of another kind a line starts anywhere.
    const std::string manner = mannerOf(options);
    const auto before = input != nullptr ? m_readAs.try_emplace(input, manner).first : m_readAs.end();
    if (texts.size() > maxChoices || (input != nullptr && before->second != manner))
        texts.clear();
    const std::vector<std::string> possible = separatorChoices();
    if (possible.size() > 1)
        texts.clear();
    const std::string &ifs = possible.front();
    for (const Draft &text : texts)
        splitFields(text, ifs, run.span, lines.emplace_back());
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
        storeArray(array->gapped(), std::move(variable), array->value.span);
        return;
    }
    if (options.operand >= run.words.size())
        store("REPLY", Variable::of(valueAt(0, true)), run.span, false);
    for (std::size_t i = options.operand; i < run.words.size(); ++i) {
        const Field &word = run.words[i];
        evaluateTarget(word.gapped(), word.value.span);
        // At a word that is no name it stops.
        if (!storeInto(word.gapped(), Variable::of(valueAt(i - options.operand, i + 1 == run.words.size())),
                       word.value.span))
            return;
    }
}

void Evaluator::storeArray(const Gapped &target, Variable value, Span span)
{
    if (target.known() && !detail::isName(target.text))
        return; // no element and nothing else can be an array
    const auto name = target.known() ? referent(target.text) : std::nullopt;
    const Variable *old = name ? m_variables.find(*name, m_level) : nullptr;
    if (!name || name->contains('[') || (old != nullptr && old->associative))
        note(DynamicReason::Program, span, target.text); // which may be refused
    else
        store(*name, std::move(value), span, false);
}

void Evaluator::mapfileBuiltin(const Run &run)
{
    const BuiltinOptions options = builtinOptions(run.words, "t", "duCcnOs");
    const Input *input = readsFrom(run, options.value('u'));
    const std::optional<char> end = lineEnd(options);
    const bool known = end && input != nullptr && input->text.size() == 1 && input->text.front().known();
    const std::size_t skipped = options.has('s') ? countOf(options.value('s')).value_or(0) : 0;
    const std::size_t most = options.has('n') ? countOf(options.value('n')).value_or(0) : 0;
    std::vector<std::string_view> lines =
        known ? splitLines(input->text.front().text, *end) : std::vector<std::string_view>{};
    lines.erase(lines.begin(), lines.begin() + static_cast<std::ptrdiff_t>(std::min(skipped, lines.size())));
    if (most > 0 && lines.size() > most)
        lines.resize(most);
    Gapped name("MAPFILE");
    if (options.operand < run.words.size()) {
        const Field &word = run.words[options.operand];
        evaluateTarget(word.gapped(), word.value.span);
        name = word.gapped();
    }
    Variable variable;
    const auto counted = [&](char letter) { return !options.has(letter) || countOf(options.value(letter)); };
    if (known && !options.unsure && counted('n') && counted('s') && counted('O')) {
        const auto origin = static_cast<std::int64_t>(countOf(options.value('O')).value_or(0));
        Datum &datum = variable.choices.emplace_back();
        datum.array = true;
        datum.open = options.has('O'); // what was there stays
        for (const std::string_view line : lines) {
            if (!spend(line.size() + 100))
                break;
            datum.elements.emplace_back(std::string(line));
            if (origin > 0)
                datum.keys.push_back(std::to_string(origin + static_cast<std::int64_t>(datum.keys.size())));
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
    storeArray(name, std::move(variable), run.span);
}

} // namespace portcullis::shell
