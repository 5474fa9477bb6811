// SPDX-License-Identifier: Apache-2.0

// A decision drawn for a terminal.

#include "runner/base/invisible.h"
#include "runner/base/utf8.h"
#include "ui/text/decision_text.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>

#include <algorithm>
#include <array>

namespace portcullis::text {
namespace {

using decision::Decision;
using decision::TraceEntry;

constexpr std::size_t longestLine = 240; ///< bytes shown of one line
constexpr std::size_t before = 60; ///< bytes shown before the first matched byte of a long line
constexpr int mostLines = 12; ///< lines shown besides those with a match

QString tr(const char *text)
{
    return QCoreApplication::translate("Decision", text);
}

struct Range {
    char32_t first;
    char32_t last;
};

bool within(std::span<const Range> ranges, char32_t code)
{
    return std::ranges::any_of(ranges,
                               [code](const Range &range) { return code >= range.first && code <= range.last; });
}

/// Characters that take two columns: East Asian wide and full-width forms, emoji. Unicode Standard Annex 11.
bool isWide(char32_t code)
{
    static constexpr auto ranges = std::to_array<Range>({{0x1100, 0x115E},
                                                         {0x2E80, 0x303E},
                                                         {0x3041, 0xA4CF},
                                                         {0xA960, 0xA97C},
                                                         {0xAC00, 0xD7A3},
                                                         {0xF900, 0xFAFF},
                                                         {0xFE30, 0xFE6F},
                                                         {0xFF01, 0xFF60},
                                                         {0xFFE0, 0xFFE6},
                                                         {0x1F300, 0x1F64F},
                                                         {0x1F680, 0x1F6FF},
                                                         {0x1F900, 0x1F9FF},
                                                         {0x20000, 0x3FFFD}});
    return within(ranges, code);
}

/// One character as it is shown, with its width in columns.
struct Cell {
    QString text;
    int columns = 1;
};

Cell cellFor(const Utf8Char &character, std::string_view bytes)
{
    if (!character.valid) {
        const QString token = visibleBytes(bytes);
        return {token, static_cast<int>(token.size())};
    }
    if (isInvisible(character.code)) {
        const QString token = visibleToken(character.code);
        return {token, static_cast<int>(token.size())};
    }
    const int columns = isWide(character.code) ? 2 : QChar::combiningClass(character.code) != 0 ? 0 : 1;
    return {QString::fromUcs4(&character.code, 1), columns};
}

bool isMarked(const std::vector<Span> &spans, std::size_t offset)
{
    return std::ranges::any_of(spans, [&](const Span &span) { return offset >= span.start && offset < span.end(); });
}

/// A stretch of the command with the line under it; the latter is empty when nothing in it matched.
QString drawn(std::string_view command, std::size_t start, std::size_t end, const std::vector<Span> &spans)
{
    QString text;
    QString marks;
    std::size_t at = start;
    while (at < end) {
        const Utf8Char character = utf8At(command, at);
        const Cell cell = cellFor(character, command.substr(at, character.length));
        text += cell.text;
        marks += QString(cell.columns, isMarked(spans, at) ? u'‾' : u' ');
        at += character.length;
    }
    while (marks.endsWith(u' '))
        marks.chop(1);
    // A bar before every line after the first: a command's own text must not pass for a line of this drawing.
    const QString margin = start == 0 ? QStringLiteral("  ") : QStringLiteral("│ ");
    QString out = margin + text + QLatin1Char('\n');
    if (!marks.isEmpty())
        out += margin + marks + QLatin1Char('\n');
    return out;
}

std::size_t characterStart(std::string_view text, std::size_t at)
{
    while (at > 0 && at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80)
        --at;
    return at;
}

/// One line of the command; of a long one the part around its first match.
QString lineText(std::string_view command, std::size_t start, std::size_t end, const std::vector<Span> &spans)
{
    if (end - start <= longestLine)
        return drawn(command, start, end, spans);
    std::size_t from = start;
    for (const Span &span : spans) {
        if (span.start >= start && span.start < end) {
            from = span.start > start + before ? characterStart(command, span.start - before) : start;
            break;
        }
    }
    const std::size_t to = characterStart(command, std::min(end, from + longestLine));
    QString out;
    if (from > start)
        out += tr("  (%1 bytes before)").arg(from - start) + QLatin1Char('\n');
    out += drawn(command, from, to, spans);
    if (to < end)
        out += tr("  (%1 bytes more)").arg(end - to) + QLatin1Char('\n');
    return out;
}

QString commandText(std::string_view command, const std::vector<Span> &spans)
{
    QString out;
    std::size_t start = 0;
    int plain = 0;
    int hidden = 0;
    while (start <= command.size()) {
        const std::size_t end = std::min(command.find('\n', start), command.size());
        const bool matched = std::ranges::any_of(
            spans, [&](const Span &span) { return span.start <= end && span.end() > start && span.length > 0; });
        if (matched || ++plain <= mostLines)
            out += lineText(command, start, end, spans);
        else
            ++hidden;
        start = end + 1;
        if (end == command.size())
            break;
    }
    if (hidden > 0)
        out += tr("  (%1 more lines)").arg(hidden) + QLatin1Char('\n');
    return out;
}

/// A text of policy or of the command, in one line and harmless to the terminal.
QString harmless(const QString &text)
{
    const std::string bytes = text.toStdString();
    QString out;
    for (std::size_t at = 0; at < bytes.size();) {
        const Utf8Char character = utf8At(bytes, at);
        out += cellFor(character, std::string_view(bytes).substr(at, character.length)).text;
        at += character.length;
    }
    return out;
}

std::vector<Span> decidingSpans(const Decision &decision)
{
    for (const TraceEntry &entry : decision.trace) {
        if (entry.outcome == CheckOutcome::Decided && decision.check == entry.check && decision.rule == entry.rule
            && decision.code == entry.code)
            return entry.spans;
    }
    return {};
}

QString checkMark(const Decision &decision, Check check)
{
    QString mark;
    for (const TraceEntry &entry : decision.trace) {
        if (entry.check != check)
            continue;
        if (entry.outcome == CheckOutcome::NotReached)
            return tr("not reached");
        if (entry.outcome == CheckOutcome::Decided)
            return entry.verdict == Verdict::Deny ? QStringLiteral("⛔ ") + tr("refuses")
                                                  : QStringLiteral("? ") + tr("asks");
        if (entry.outcome == CheckOutcome::Noted)
            mark = QStringLiteral("• ") + tr("noted");
    }
    return mark.isEmpty() ? QStringLiteral("✓") : mark;
}

QString checksText(const Decision &decision)
{
    QStringList parts;
    for (std::size_t i = 0; i < Names<Check>::all.size(); ++i) {
        const auto check = static_cast<Check>(i);
        if (std::ranges::contains(decision.trace, check, &TraceEntry::check))
            parts.append(checkName(check) + QLatin1Char(' ') + checkMark(decision, check));
    }
    return parts.join(QStringLiteral("  "));
}

/// Empty for what ran nowhere and would run nowhere.
QString placeText(const Decision &decision, RunTense tense)
{
    if (tense == RunTense::Never || (tense == RunTense::Foretold && decision.verdict == Verdict::Deny))
        return {};
    const bool sandbox = decision.backend == Backend::Docker;
    QString place = sandbox ? tr("sandbox") : tr("host");
    if (tense == RunTense::Foretold)
        place = sandbox ? tr("would run in the sandbox") : tr("would run on the host");
    place += QStringLiteral(", ") + (decision.levelKnown ? levelName(decision.level) : tr("confinement unknown"));
    QStringList missing;
    for (const std::string &each : decision.missing)
        missing.append(missingName(each));
    if (!missing.isEmpty())
        place += QStringLiteral(" (") + missing.join(QStringLiteral(", ")) + QLatin1Char(')');
    return place;
}

} // namespace

QString explainForTerminal(std::string_view command, const Decision &decision, RunTense tense)
{
    const Explanation words = explain(decision);
    const auto row = [](const QString &name, const QString &text) {
        return text.isEmpty() ? QString() : name.leftJustified(9) + harmless(text) + QLatin1Char('\n');
    };
    QString headline = words.headline;
    if (!words.title.isEmpty())
        headline += QStringLiteral(" · ") + harmless(words.title);
    if (!words.group.isEmpty())
        headline += QStringLiteral(" (") + words.group + QLatin1Char(')');
    QString out = commandText(command, decidingSpans(decision)) + headline + QLatin1Char('\n');
    out += row(tr("Why"), words.why);
    out += row(tr("Instead"), words.instead);
    if (decision.verdict != Verdict::Allow) {
        const QString also = words.also.isEmpty() ? tr("nothing else") : words.also.join(QStringLiteral("; "));
        out += tr("Also in the way") + QStringLiteral("  ") + harmless(also) + QLatin1Char('\n');
    }
    for (const QString &note : words.notes)
        out += row(tr("Note"), note);
    out += row(tr("Where"), placeText(decision, tense));
    out += row(tr("Checks"), checksText(decision));
    return out;
}

} // namespace portcullis::text
