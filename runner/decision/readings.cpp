// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/readings.h"

#include "runner/base/utf8.h"

#include <QString>

#include <algorithm>

namespace portcullis::decision {
namespace {

bool isZeroWidth(char32_t code)
{
    return code == 0x200B || code == 0x200C || code == 0x200D || code == 0x2060 || code == 0xFEFF;
}

bool isAscii(std::string_view text)
{
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

bool isMark(char32_t code)
{
    return QChar::combiningClass(code) != 0;
}

/// Bytes of a character with the marks that follow it: normalisation does not look further (Hangul jamo apart, which
/// never fold to anything that a shell acts on).
std::size_t clusterLength(std::string_view text, std::size_t at)
{
    std::size_t length = utf8At(text, at).length;
    while (at + length < text.size() && static_cast<unsigned char>(text[at + length]) >= 0x80) {
        const Utf8Char next = utf8At(text, at + length);
        if (!next.valid || !isMark(next.code))
            break;
        length += next.length;
    }
    return length;
}

void append(DerivedText &derived, std::string_view bytes, std::size_t origin)
{
    derived.text += bytes;
    derived.origin.insert(derived.origin.end(), bytes.size(), static_cast<std::uint32_t>(origin));
}

void finish(DerivedText &derived, std::string_view raw)
{
    derived.origin.push_back(static_cast<std::uint32_t>(raw.size()));
}

/// The way back through two derivations.
DerivedText composed(DerivedText outer, const DerivedText &inner)
{
    for (std::uint32_t &offset : outer.origin)
        offset = inner.origin.at(offset);
    return outer;
}

bool isOption(const shell::Value &value)
{
    return value.text.starts_with('-');
}

bool sameRedirections(const std::vector<shell::Redirection> &a, const std::vector<shell::Redirection> &b)
{
    return std::ranges::equal(a, b, {}, &shell::Redirection::op, &shell::Redirection::op);
}

bool sameInvocation(const shell::Invocation &a, const shell::Invocation &b)
{
    return a.program.text == b.program.text && a.assigns.size() == b.assigns.size()
        && sameRedirections(a.redirects, b.redirects)
        && std::ranges::equal(a.args, b.args, [](const shell::Value &x, const shell::Value &y) {
               return isOption(x) == isOption(y) && (!isOption(x) || x.text == y.text);
           });
}

} // namespace

Span DerivedText::rawSpan(Span span) const
{
    const std::size_t last = origin.size() - 1;
    const std::uint32_t start = origin[std::min<std::size_t>(span.start, last)];
    std::size_t end = std::min<std::size_t>(span.end(), last);
    // Several bytes may come from one character: go on to the next character.
    while (end > 0 && end < last && origin[end] == origin[end - 1])
        ++end;
    return {start, std::max(origin[end], start) - start};
}

std::vector<Span> DerivedText::rawSpans(const std::vector<Span> &spans) const
{
    std::vector<Span> raw;
    raw.reserve(spans.size());
    for (const Span span : spans)
        raw.push_back(rawSpan(span));
    return raw;
}

DerivedText foldCompatibility(std::string_view raw)
{
    DerivedText derived;
    std::size_t at = 0;
    while (at < raw.size()) {
        const std::size_t length = clusterLength(raw, at);
        const std::string_view cluster = raw.substr(at, length);
        if (isAscii(cluster)) {
            append(derived, cluster, at);
        } else {
            const QString text = QString::fromUtf8(cluster.data(), static_cast<qsizetype>(cluster.size()));
            append(derived, text.normalized(QString::NormalizationForm_KC).toStdString(), at);
        }
        at += length;
    }
    finish(derived, raw);
    return derived;
}

DerivedText removeZeroWidth(std::string_view raw)
{
    DerivedText derived;
    std::size_t at = 0;
    while (at < raw.size()) {
        const Utf8Char character = utf8At(raw, at);
        if (!character.valid || !isZeroWidth(character.code))
            append(derived, raw.substr(at, character.length), at);
        at += character.length;
    }
    finish(derived, raw);
    return derived;
}

std::vector<DerivedText> additionalTexts(std::string_view raw)
{
    std::vector<DerivedText> texts;
    if (isAscii(raw))
        return texts;
    const auto add = [&](DerivedText derived) {
        if (derived.text != raw && !std::ranges::contains(texts, derived.text, &DerivedText::text))
            texts.push_back(std::move(derived));
    };
    DerivedText visible = removeZeroWidth(raw);
    DerivedText both = composed(foldCompatibility(visible.text), visible);
    add(foldCompatibility(raw));
    add(std::move(visible));
    add(std::move(both));
    return texts;
}

bool readingsDiffer(const shell::Evaluation &raw, const shell::Evaluation &other)
{
    return !sameRedirections(raw.redirections, other.redirections)
        || !std::ranges::equal(raw.invocations, other.invocations, sameInvocation);
}

} // namespace portcullis::decision
