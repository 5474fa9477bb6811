// SPDX-License-Identifier: Apache-2.0

// Operators that make another text of a parameter's value: bash manual, 3.5.3.

#include "runner/shell/evaluator.h"

#include <algorithm>
#include <utility>

namespace portcullis::shell {

/// Some part of a value that is not known, made by the same programs.
static Gapped unknownPart(const Gapped &value)
{
    Gapped part;
    for (const Gap &gap : value.gaps)
        part.appendGap(gap.source);
    return part.known() ? Gapped::unknown() : part;
}

Gapped Evaluator::transform(const Parameter &parameter, const Gapped &value, Span span)
{
    const std::string &op = parameter.op;
    if (!spend(value.text.size() + 8))
        return Gapped::unknown();
    if (op == "@") {
        const Choices letters = expandText(parameter.operand, WordUse::Single);
        const std::string &letter = letters.front().text;
        if (letters.size() > 1 || letter.size() != 1 || !std::string_view("UuLQEPAKak").contains(letter))
            mayLeave();
        if (letter == "P") {
            noteUnread(value, span);
            evaluateExpansions(value, span);
            return value.text.find_first_of("$`\\") == std::string::npos ? value : Gapped::unknown();
        }
        if (letter == "U" || letter == "L" || letter == "u") {
            Gapped result = value;
            for (std::size_t i = 0; i < result.text.size() && (letter != "u" || i == 0); ++i) {
                const auto c = static_cast<unsigned char>(result.text[i]);
                result.text[i] = static_cast<char>(letter == "L" ? std::tolower(c) : std::toupper(c));
            }
            return result;
        }
        if (letter == "Q" && value.text.find_first_of("'\n\t\x01") == std::string::npos) {
            Gapped result("'");
            result.append(value);
            result.append(Gapped("'"));
            return result;
        }
        return letter == "E" && value.text.find('\\') == std::string::npos ? value : Gapped::unknown();
    }
    if (op == ":") {
        const auto from = offsetOf(parameter.operand);
        const auto length = parameter.hasSecond ? offsetOf(parameter.second) : std::optional<std::int64_t>(INT32_MAX);
        if (!from || !length || *length < 0)
            mayLeave();
        if (!from || !length || !value.known())
            return unknownPart(value);
        const auto size = static_cast<std::int64_t>(value.text.size());
        const std::int64_t start = std::clamp<std::int64_t>(*from < 0 ? *from + size : *from, 0, size);
        const std::int64_t end = *length < 0 ? size + *length : std::min(size, start + *length);
        return end < start
            ? Gapped()
            : Gapped(value.text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(end - start)));
    }
    if (op.starts_with('^') || op.starts_with(',') || op.starts_with('~'))
        return changeCase(value, parameter);
    const auto pattern = patternOf(parameter.operand);
    if (op.starts_with('/')) {
        const Choices with = parameter.hasSecond ? expandText(parameter.second, WordUse::Single) : Choices{Gapped()};
        // `&` in it is what was found, unless it was quoted or the shell is an old one.
        const bool plain = with.size() == 1 && !with.front().text.contains('&');
        return pattern && plain ? replace(value, *pattern, with.front(), op, span) : Gapped::unknown();
    }
    return pattern ? trim(value, *pattern, op) : Gapped::unknown();
}

std::optional<std::int64_t> Evaluator::offsetOf(const Word &word)
{
    const Choices values = expandText(word, WordUse::Single);
    return values.size() == 1 ? arithmetic(values.front(), map(word.span)) : std::nullopt;
}

std::optional<Pattern> Evaluator::patternOf(const Word &word)
{
    const std::vector<Draft> alternatives = drafts(word.pieces, WordUse::Pattern);
    if (alternatives.size() != 1 || !alternatives.front().gaps.empty())
        return std::nullopt;
    Pattern pattern;
    const Draft &draft = alternatives.front();
    const auto letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; };
    if (m_anyCase && std::ranges::any_of(draft.text, letter))
        return std::nullopt;
    for (std::size_t i = 0; i < draft.text.size(); ++i) {
        // An extended pattern, when the shell takes them.
        if (draft.mark(i) != Mark::Quoted && i + 1 < draft.text.size() && draft.text[i + 1] == '('
            && std::string_view("?*+@!").contains(draft.text[i]))
            return std::nullopt;
        pattern.add(draft.text[i], draft.mark(i) == Mark::Quoted);
    }
    return pattern;
}

Gapped Evaluator::trim(const Gapped &value, const Pattern &pattern, std::string_view op)
{
    if (!value.known())
        return unknownPart(value);
    const std::string_view text = value.text;
    const bool prefix = op[0] == '#';
    const bool longest = op.size() == 2;
    std::int64_t steps = 200'000;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        const std::size_t length = longest ? text.size() - i : i;
        const std::string_view part = prefix ? text.substr(0, length) : text.substr(text.size() - length);
        const auto hit = matches(pattern, part, steps);
        spend(part.size() / 8 + 1);
        if (!hit)
            return Gapped::unknown();
        if (*hit)
            return Gapped(std::string(prefix ? text.substr(length) : text.substr(0, text.size() - length)));
    }
    return value;
}

Gapped Evaluator::replace(const Gapped &value, const Pattern &pattern, const Gapped &with, std::string_view op,
                          Span span)
{
    if (pattern.text.empty()) {
        // It is found at the end that is asked for, and nowhere else.
        Gapped result = op == "/#" ? with : value;
        if (op == "/#" || op == "/%")
            result.append(op == "/#" ? value : with);
        return result;
    }
    if (!value.known())
        return unknownPart(value);
    const std::string_view text = value.text;
    std::int64_t steps = 200'000;
    Gapped result;
    std::size_t at = 0;
    bool done = false;
    const bool literal = pattern.isLiteral();
    while (at < text.size()) {
        std::size_t hit = 0;
        const bool here = !done && (op != "/#" || at == 0);
        if (here && literal) {
            hit = text.substr(at).starts_with(pattern.text) ? pattern.text.size() : 0;
            --steps;
        }
        for (std::size_t length = here && !literal ? text.size() - at : 0; length > 0; --length) {
            if (matches(pattern, text.substr(at, length), steps).value_or(false)) {
                hit = length;
                break;
            }
        }
        if (steps < 0 || !spend(1))
            return Gapped::unknown();
        if (hit == 0 || (op == "/%" && at + hit != text.size())) {
            result.text += text[at++];
            continue;
        }
        // Charged before it is built: a short text makes a long result.
        if (result.text.size() + with.text.size() > m_limits.valueBytes || !spend(with.text.size() * 4)) {
            beyondLimits(span, {});
            return Gapped::unknown();
        }
        result.append(with);
        at += hit;
        done = op != "//";
    }
    return result;
}

Gapped Evaluator::changeCase(const Gapped &value, const Parameter &parameter)
{
    Gapped result = value;
    const bool all = parameter.op.size() == 2;
    const char change = parameter.op[0]; // `~` turns the case
    std::optional<Pattern> pattern;
    if (!parameter.operand.pieces.empty()) {
        pattern = patternOf(parameter.operand);
        if (!pattern)
            return Gapped::unknown();
    }
    for (std::size_t i = 0; i < result.text.size() && (all || i == 0); ++i) {
        std::int64_t steps = 1000;
        if (pattern && !pattern->text.empty()
            && !matches(*pattern, std::string_view(result.text).substr(i, 1), steps).value_or(true))
            continue;
        const auto c = static_cast<unsigned char>(result.text[i]);
        const bool upper = change == '^' || (change == '~' && std::islower(c) != 0);
        result.text[i] = static_cast<char>(upper ? std::toupper(c) : std::tolower(c));
    }
    return result;
}

} // namespace portcullis::shell
