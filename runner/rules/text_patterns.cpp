// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/text_patterns.h"

#include <re2/re2.h>
#include <re2/stringpiece.h>

#include <utility>

namespace portcullis::rules {

namespace {

RE2::Options options()
{
    RE2::Options options;
    // Bytes rather than UTF-8: a decoded word may hold any byte, and one that is not UTF-8 must not hide the rest.
    options.set_encoding(RE2::Options::EncodingLatin1);
    options.set_dot_nl(true);
    options.set_log_errors(false);
    return options;
}

// RE2's own view type is not std::string_view in every distribution's build.
re2::StringPiece piece(std::string_view text)
{
    return {text.data(), text.size()};
}

} // namespace

TextPatterns::TextPatterns() = default;
TextPatterns::~TextPatterns() = default;
TextPatterns::TextPatterns(TextPatterns &&) noexcept = default;
TextPatterns &TextPatterns::operator=(TextPatterns &&) noexcept = default;

Result<TextPatterns, std::string> TextPatterns::parse(const std::vector<std::string> &patterns)
{
    TextPatterns out;
    std::string joined;
    for (const std::string &pattern : patterns) {
        const RE2 alone(pattern, options());
        if (!alone.ok())
            return failure(pattern + ": " + alone.error());
        joined += (joined.empty() ? "(?:" : "|(?:") + pattern + ")";
    }
    if (patterns.empty())
        return out;
    out.m_pattern = std::make_unique<RE2>(joined, options());
    if (!out.m_pattern->ok())
        return failure(std::string(out.m_pattern->error()));
    return out;
}

bool TextPatterns::matchesPart(std::string_view text) const
{
    return m_pattern && RE2::PartialMatch(piece(text), *m_pattern);
}

bool TextPatterns::matchesWhole(std::string_view text) const
{
    return m_pattern && RE2::FullMatch(piece(text), *m_pattern);
}

bool TextPatterns::find(std::string_view text, std::size_t &start, std::size_t &length) const
{
    re2::StringPiece found;
    if (!m_pattern || !m_pattern->Match(piece(text), start, text.size(), RE2::UNANCHORED, &found, 1))
        return false;
    start = static_cast<std::size_t>(found.data() - text.data());
    length = found.size();
    return true;
}

Match TextPatterns::matchPart(const shell::Value &value) const
{
    if (value.known())
        return matchesPart(value.text) ? Match::Yes : Match::No;
    return matchesPart(shownText(value)) ? Match::Yes : Match::Maybe;
}

Match TextPatterns::matchWhole(const shell::Value &value) const
{
    if (value.known())
        return matchesWhole(value.text) ? Match::Yes : Match::No;
    return matchesWhole(shownText(value)) ? Match::Yes : Match::Maybe;
}

} // namespace portcullis::rules
