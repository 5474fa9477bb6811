// SPDX-License-Identifier: Apache-2.0
#include "runner/shell/draft.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace portcullis::shell {

void Draft::add(std::string_view bytes, Mark mark)
{
    text += bytes;
    marks.append(bytes.size(), static_cast<char>(mark));
    if (mark != Mark::Quoted)
        bare = true;
}

void Draft::add(const Gapped &value, Mark mark)
{
    const auto base = static_cast<std::uint32_t>(text.size());
    for (const Gap &gap : value.gaps)
        addGap(gaps, {base + gap.offset, gap.source});
    add(value.text, value.pattern && mark == Mark::Quoted ? Mark::Found : mark);
}

Gapped Draft::gapped() const
{
    Gapped value(text);
    value.gaps = gaps;
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (mark(i) == Mark::Break)
            value.text[i] = ' ';
    }
    return value;
}

void Draft::addBreak()
{
    text += '\0';
    marks += static_cast<char>(Mark::Break);
}

void Draft::append(const Draft &other)
{
    const auto base = static_cast<std::uint32_t>(text.size());
    for (const Gap &gap : other.gaps)
        addGap(gaps, {base + gap.offset, gap.source});
    text += other.text;
    marks += other.marks;
    quoted = quoted || other.quoted;
    bare = bare || other.bare;
    usesUnset = usesUnset || other.usesUnset;
}

Draft Draft::slice(std::size_t start, std::size_t end) const
{
    Draft part;
    part.text = text.substr(start, end - start);
    part.marks = marks.substr(start, end - start);
    for (const Gap &gap : gaps) {
        if (gap.offset >= start && (gap.offset < end || (gap.offset == end && end == text.size())))
            part.gaps.push_back({gap.offset - static_cast<std::uint32_t>(start), gap.source});
    }
    part.quoted = quoted;
    part.bare = bare;
    part.usesUnset = usesUnset;
    return part;
}

namespace {

bool literal(const Draft &draft, std::size_t i, char c)
{
    return draft.text[i] == c && draft.mark(i) == Mark::Literal;
}

/// A brace expression: where it opens and closes, and its top-level commas.
struct Brace {
    std::size_t open = 0;
    std::size_t close = 0;
    std::vector<std::size_t> commas;
};

std::optional<std::int64_t> number(std::string_view text)
{
    std::int64_t value = 0;
    if (text.starts_with('+'))
        text.remove_prefix(1);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > 1'000'000'000 || value < -1'000'000'000)
        return std::nullopt;
    return value;
}

/// {a..e}, {1..9..2}: the members, or nothing when it is no sequence.
std::optional<std::vector<std::string>> sequence(std::string_view body, std::size_t limit)
{
    const std::size_t dots = body.find("..");
    if (dots == std::string_view::npos)
        return std::nullopt;
    const std::string_view first = body.substr(0, dots);
    std::string_view last = body.substr(dots + 2);
    std::int64_t step = 1;
    if (const std::size_t more = last.find(".."); more != std::string_view::npos) {
        const auto given = number(last.substr(more + 2));
        if (!given)
            return std::nullopt;
        step = *given == 0 ? 1 : std::abs(*given);
        last = last.substr(0, more);
    }
    const auto from = number(first);
    const auto to = number(last);
    std::vector<std::string> members;
    const auto fill = [&](std::int64_t a, std::int64_t b, auto make) {
        for (std::int64_t i = a; a <= b ? i <= b : i >= b; i += a <= b ? step : -step) {
            if (members.size() * 4 > limit)
                break;
            members.push_back(make(i));
        }
    };
    if (from && to) {
        const bool padded = (first.size() > 1 && first.find_first_not_of("+-") == first.find('0'))
            || (last.size() > 1 && last.find_first_not_of("+-") == last.find('0'));
        const std::size_t width = padded ? std::max(first.size(), last.size()) : 0;
        fill(*from, *to, [&](std::int64_t i) {
            std::string digits = std::to_string(std::abs(i));
            const std::size_t sign = i < 0 ? 1 : 0;
            if (digits.size() + sign < width)
                digits.insert(0, width - digits.size() - sign, '0');
            return (i < 0 ? "-" : "") + digits;
        });
    } else if (first.size() == 1 && last.size() == 1) {
        fill(first[0], last[0], [](std::int64_t i) { return std::string(1, static_cast<char>(i)); });
    } else {
        return std::nullopt;
    }
    return members;
}

bool isSequence(const Draft &draft, std::size_t open, std::size_t close)
{
    return draft.gaps.empty()
        && sequence(std::string_view(draft.text).substr(open + 1, close - open - 1), 4).has_value();
}

/// The first valid brace expression at or after `from`, found in one pass with a stack.
std::optional<Brace> firstBrace(const Draft &draft, std::size_t from)
{
    std::vector<Brace> open;
    std::optional<Brace> best;
    for (std::size_t i = from; i < draft.text.size(); ++i) {
        if (literal(draft, i, '{')) {
            open.push_back({i, 0, {}});
        } else if (literal(draft, i, ',') && !open.empty()) {
            open.back().commas.push_back(i);
        } else if (literal(draft, i, '}') && !open.empty()) {
            Brace brace = std::move(open.back());
            open.pop_back();
            brace.close = i;
            if ((!brace.commas.empty() || isSequence(draft, brace.open, i)) && (!best || brace.open < best->open))
                best = std::move(brace);
            if (best && open.empty())
                return best;
        }
    }
    return best;
}

} // namespace

bool expandBraces(const Draft &draft, std::size_t limit, std::vector<Draft> &out)
{
    // Work list of drafts, each done up to an offset; the last is expanded first, so the order is the shell's.
    std::vector<std::pair<Draft, std::size_t>> todo;
    todo.emplace_back(draft, 0);
    std::size_t made = 0;
    while (!todo.empty()) {
        auto [current, from] = std::move(todo.back());
        todo.pop_back();
        const auto brace = firstBrace(current, from);
        made += current.text.size() + 16;
        if (made > limit)
            return false;
        if (!brace) {
            out.push_back(std::move(current));
            continue;
        }
        std::vector<Draft> members;
        if (brace->commas.empty()) {
            const auto body = std::string_view(current.text).substr(brace->open + 1, brace->close - brace->open - 1);
            for (const std::string &text : sequence(body, limit).value_or(std::vector<std::string>{})) {
                Draft member;
                member.add(text, Mark::Literal);
                members.push_back(std::move(member));
            }
        } else {
            std::size_t start = brace->open + 1;
            for (const std::size_t comma : brace->commas) {
                members.push_back(current.slice(start, comma));
                start = comma + 1;
            }
            members.push_back(current.slice(start, brace->close));
        }
        const Draft head = current.slice(0, brace->open);
        const Draft tail = current.slice(brace->close + 1, current.text.size());
        for (std::size_t i = members.size(); i > 0; --i) {
            Draft next = head;
            next.append(members[i - 1]);
            next.append(tail);
            made += next.text.size() + 16;
            if (made > limit)
                return false;
            todo.emplace_back(std::move(next), brace->open);
        }
    }
    return true;
}

namespace {

bool globByte(const Draft &draft, std::size_t i, std::size_t end)
{
    const char c = draft.text[i];
    if (c == '*' || c == '?')
        return true;
    if (c != '[')
        return false;
    for (std::size_t j = i + 2; j < end; ++j) {
        if (draft.text[j] == ']' && draft.mark(j) != Mark::Quoted)
            return true;
    }
    return false;
}

Field makeField(const Draft &draft, std::size_t start, std::size_t end, Span span)
{
    Field field;
    field.value.span = span;
    field.value.quotedData = !draft.bare;
    field.usesUnset = draft.usesUnset;
    field.value.text.assign(draft.text, start, end - start);
    for (const Gap &gap : draft.gaps) {
        if (gap.offset >= start && gap.offset <= end) {
            field.value.gaps.push_back(gap.offset - static_cast<std::uint32_t>(start));
            field.sources.push_back(gap.source);
        }
    }
    if (!draft.bare)
        return field;
    bool closed = true; // of brackets only the first without an end has to be looked for
    for (std::size_t i = start; i < end; ++i) {
        const char c = draft.text[i];
        if ((c != '*' && c != '?' && c != '[') || draft.mark(i) == Mark::Quoted || (c == '[' && !closed))
            continue;
        if (globByte(draft, i, end))
            field.value.globs.push_back(static_cast<std::uint32_t>(i - start));
        else
            closed = false;
    }
    return field;
}

} // namespace

Field wholeField(const Draft &draft, Span span)
{
    Field field = makeField(draft, 0, draft.text.size(), span);
    for (std::size_t i = 0; i < draft.marks.size(); ++i) {
        if (draft.mark(i) == Mark::Break)
            field.value.text[i] = ' ';
    }
    return field;
}

void splitFields(const Draft &draft, std::string_view separators, Span span, std::vector<Field> &out)
{
    std::size_t start = 0;
    bool any = false; // the field at hand has a byte, a gap or a quoted piece
    const auto isSeparator = [&](std::size_t i) {
        return draft.mark(i) == Mark::Break
            || (draft.mark(i) == Mark::Expanded && separators.find(draft.text[i]) != std::string_view::npos);
    };
    std::size_t gap = 0;
    for (std::size_t i = 0; i <= draft.text.size(); ++i) {
        while (gap < draft.gaps.size() && draft.gaps[gap].offset <= i) {
            any = any || draft.gaps[gap].offset >= start;
            ++gap;
        }
        const bool end = i == draft.text.size();
        if (!end && !isSeparator(i)) {
            any = true;
            continue;
        }
        const bool white = end || draft.text[i] == ' ' || draft.text[i] == '\t' || draft.text[i] == '\n';
        const bool keepsEmpty = end ? draft.quoted && start == 0 : !white || draft.mark(i) == Mark::Break;
        if (any || (keepsEmpty && (end || draft.mark(i) == Mark::Break || !white)))
            out.push_back(makeField(draft, start, i, span));
        start = i + 1;
        any = false;
    }
}

} // namespace portcullis::shell
