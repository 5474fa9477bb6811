// SPDX-License-Identifier: Apache-2.0
#include "ui/models/marked_text.h"

#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <vector>

namespace portcullis::ui {

namespace {

constexpr std::size_t longBlanks = 60;
constexpr std::ptrdiff_t manyLines = 5;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(portcullis::ui::MarkedText)
};

struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
};

constexpr bool continues(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// Grown to whole UTF-8 characters, and kept inside the text.
Range wholeCharacters(std::string_view bytes, std::size_t begin, std::size_t end)
{
    begin = std::min(begin, bytes.size());
    end = std::clamp(end, begin, bytes.size());
    while (begin > 0 && begin < bytes.size() && continues(bytes[begin]))
        --begin;
    while (end < bytes.size() && continues(bytes[end]))
        ++end;
    return {.begin = begin, .end = end};
}

std::vector<Range> merged(std::vector<Range> ranges)
{
    std::ranges::sort(ranges, {}, &Range::begin);
    std::vector<Range> result;
    for (const Range &range : ranges) {
        if (range.begin == range.end)
            continue;
        if (!result.empty() && range.begin <= result.back().end)
            result.back().end = std::max(result.back().end, range.end);
        else
            result.push_back(range);
    }
    return result;
}

std::vector<Range> markRanges(std::string_view bytes, std::span<const Span> marks)
{
    std::vector<Range> ranges;
    for (const Span &mark : marks)
        ranges.push_back(wholeCharacters(bytes, mark.start, mark.end()));
    return merged(std::move(ranges));
}

std::vector<Range> keptRanges(std::string_view bytes, const std::vector<Range> &marks, const Excerpt &excerpt)
{
    if (bytes.size() <= excerpt.head || bytes.size() - excerpt.head <= excerpt.tail)
        return {{.begin = 0, .end = bytes.size()}};
    std::vector<Range> kept{wholeCharacters(bytes, 0, excerpt.head)};
    for (const Range &mark : marks) {
        const std::size_t before = std::min(mark.begin, excerpt.around);
        kept.push_back(wholeCharacters(bytes, mark.begin - before, mark.end + excerpt.around));
    }
    kept.push_back(wholeCharacters(bytes, bytes.size() - excerpt.tail, bytes.size()));
    return merged(std::move(kept));
}

void appendLines(QString &text, std::string_view bytes)
{
    for (;;) {
        const std::size_t newline = bytes.find('\n');
        std::string_view line = bytes.substr(0, newline);
        if (newline != std::string_view::npos && line.ends_with('\r'))
            line.remove_suffix(1);
        text += text::visibleText(line);
        if (newline == std::string_view::npos)
            return;
        text += u'\n';
        bytes.remove_prefix(newline + 1);
    }
}

/// A line of its own that says what is not shown.
void appendGap(MarkedText &marked, const QString &words, std::size_t bytes)
{
    if (!marked.text.isEmpty() && !marked.text.endsWith(u'\n'))
        marked.text += u'\n';
    marked.text += words + u'\n';
    marked.hiddenBytes += bytes;
}

void appendGap(MarkedText &marked, std::size_t bytes)
{
    appendGap(marked, Words::tr("… %1 bytes not shown …").arg(QLocale().toString(static_cast<qulonglong>(bytes))),
              bytes);
}

bool hidesTheRest(std::string_view blanks)
{
    return blanks.size() >= longBlanks || std::ranges::count(blanks, '\n') >= manyLines;
}

void appendPiece(MarkedText &marked, std::string_view bytes, bool countBlanks)
{
    constexpr std::string_view blank = " \t\r\n";
    std::size_t at = countBlanks ? bytes.find_first_of(blank) : std::string_view::npos;
    while (at != std::string_view::npos) {
        const std::size_t end = std::min(bytes.find_first_not_of(blank, at), bytes.size());
        const std::string_view run = bytes.substr(at, end - at);
        if (!hidesTheRest(run)) {
            at = bytes.find_first_of(blank, end);
            continue;
        }
        appendLines(marked.text, bytes.substr(0, at));
        const auto count = QLocale().toString(static_cast<qulonglong>(run.size()));
        appendGap(marked,
                  run.contains('\n') ? Words::tr("… %1 blanks and line breaks …").arg(count)
                                     : Words::tr("… %1 blanks …").arg(count),
                  run.size());
        bytes.remove_prefix(end);
        at = bytes.find_first_of(blank);
    }
    appendLines(marked.text, bytes);
}

/// Appends one kept stretch, cut at the borders of the marks inside it.
void appendKept(MarkedText &marked, std::string_view bytes, const Range &kept, const std::vector<Range> &marks,
                bool countBlanks)
{
    std::size_t at = kept.begin;
    for (const Range &mark : marks) {
        if (mark.end <= kept.begin || mark.begin >= kept.end)
            continue;
        appendPiece(marked, bytes.substr(at, mark.begin - at), countBlanks);
        const auto start = static_cast<int>(marked.text.size());
        appendPiece(marked, bytes.substr(mark.begin, mark.end - mark.begin), countBlanks);
        marked.marks.append({.start = start, .length = static_cast<int>(marked.text.size()) - start});
        at = mark.end;
    }
    appendPiece(marked, bytes.substr(at, kept.end - at), countBlanks);
}

} // namespace

MarkedText markedText(std::string_view bytes, std::span<const Span> marks, const Excerpt &excerpt)
{
    const std::vector<Range> ranges = markRanges(bytes, marks);
    MarkedText marked;
    std::size_t at = 0;
    for (const Range &kept : keptRanges(bytes, ranges, excerpt)) {
        if (kept.begin > at)
            appendGap(marked, kept.begin - at);
        appendKept(marked, bytes, kept, ranges, excerpt.countBlanks);
        at = kept.end;
    }
    if (at < bytes.size())
        appendGap(marked, bytes.size() - at);
    return marked;
}

} // namespace portcullis::ui
