// SPDX-License-Identifier: Apache-2.0
#include "runner/record/secret_finder.h"

#include "runner/record/secret_patterns.h"

#include <QtAssert>

#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

namespace portcullis::record {
namespace {

constexpr int maxGroups = 6;
constexpr std::int64_t matcherMemory = 64 << 20;

/// RE2's own view type, which is not std::string_view where its library was built for an older standard.
absl::string_view piece(std::string_view text)
{
    return {text.data(), text.size()};
}

RE2::Options patternOptions()
{
    RE2::Options options;
    options.set_encoding(RE2::Options::EncodingLatin1); // bytes: a command need not be UTF-8
    options.set_log_errors(false);
    options.set_max_mem(matcherMemory);
    return options;
}

bool isDigit(char c)
{
    return c >= '0' && c <= '9';
}

bool isLetter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

bool isMark(std::string_view value)
{
    if (!value.starts_with(markStart) || !value.ends_with('_') || value.size() <= markStart.size() + 1)
        return false;
    return std::ranges::all_of(value.substr(markStart.size(), value.size() - markStart.size() - 1), isDigit);
}

/// What stands for a secret without being one: `$TOKEN`, `${{ secrets.X }}`, `%TOKEN%`, `{{ token }}`, `***`.
bool isReference(std::string_view value)
{
    return value.starts_with('$') || value.starts_with("{{") || value.starts_with("\\$")
        || (value.size() > 2 && value.starts_with('%') && value.ends_with('%'))
        || value.find_first_not_of('*') == std::string_view::npos;
}

bool isNoValue(std::string_view value)
{
    // A scheme of authorization alone has nothing behind it, and printf's conversion has its value elsewhere.
    constexpr std::array<std::string_view, 20> words{"true",  "false", "null",  "none",  "yes",    "no",     "on",
                                                     "off",   "nil",   "None",  "True",  "False",  "bearer", "Bearer",
                                                     "basic", "Basic", "token", "Token", "digest", "Digest"};
    return value == "%s" || value == "%s\\n" || std::ranges::find(words, value) != words.end();
}

/// Where a secret is, not the secret: a path, or one of the sources that openssl knows.
bool isPlace(std::string_view value)
{
    return value.starts_with('/') || value.starts_with("./") || value.starts_with("../") || value.starts_with("~/")
        || value.starts_with("file:") || value.starts_with("pass:") || value.starts_with("env:");
}

bool isRandom(std::string_view value, std::size_t least)
{
    return value.size() >= least && std::ranges::any_of(value, isDigit) && std::ranges::any_of(value, isLetter);
}

bool isPlausible(std::string_view value, Plausible plausible)
{
    constexpr std::size_t shortNumber = 8;
    if (value.empty() || isMark(value))
        return false;
    if (plausible == Plausible::Always)
        return true;
    if (isReference(value) || isNoValue(value) || value.starts_with('='))
        return false;
    switch (plausible) {
    case Plausible::Key:
        return !isPlace(value) && value.size() > 2
            && (value.size() >= shortNumber || !std::ranges::all_of(value, isDigit));
    case Plausible::Random:
        return isRandom(value, 8);
    case Plausible::Long:
        return isRandom(value, 20);
    case Plausible::Always:
    case Plausible::Named:
        break;
    }
    return true;
}

/// All patterns, compiled once: a set that says in one pass which of them are worth a search.
class Patterns
{
public:
    Patterns()
        : m_set(patternOptions(), RE2::UNANCHORED)
        , m_option("(?i)^--?[a-z0-9_.\\-]*(?:password|passwd|passphrase|secret|token|api[-_]?key|access[-_]?key|"
                   "secret[-_]?key|private[-_]?key|pass)$",
                   patternOptions())
    {
        for (const SecretPattern &pattern : secretPatterns) {
            m_set.Add(piece(pattern.pattern), nullptr);
            m_single.push_back(std::make_unique<RE2>(piece(pattern.pattern), patternOptions()));
            Q_ASSERT(m_single.back()->ok() && m_single.back()->NumberOfCapturingGroups() <= maxGroups);
        }
        m_set.Compile();
    }

    /// Indexes of the patterns that match somewhere.
    [[nodiscard]] std::vector<int> matching(std::string_view text) const
    {
        std::vector<int> found;
        RE2::Set::ErrorInfo error{};
        if (!m_set.Match(piece(text), &found, &error) && error.kind != RE2::Set::kNoError) {
            found.resize(m_single.size()); // out of memory: try them all
            for (std::size_t i = 0; i < found.size(); ++i)
                found[i] = static_cast<int>(i);
        }
        return found;
    }

    [[nodiscard]] const RE2 &at(int index) const { return *m_single[static_cast<std::size_t>(index)]; }
    [[nodiscard]] const RE2 &option() const { return m_option; }

private:
    RE2::Set m_set;
    std::vector<std::unique_ptr<RE2>> m_single;
    RE2 m_option;
};

const Patterns &patterns()
{
    static const Patterns compiled; // immutable
    return compiled;
}

/// The shell quotes that are open at each byte of a text, as a person would see them.
class QuoteMap
{
public:
    explicit QuoteMap(std::string_view text) : m_open(text.size() + 1, '\0')
    {
        char open = '\0';
        for (std::size_t i = 0; i < text.size(); ++i) {
            m_open[i] = open;
            const char c = text[i];
            if (c == '\\' && open != '\'' && i + 1 < text.size()) {
                m_open[++i] = open;
                continue;
            }
            if (open == '\0' && (c == '"' || c == '\''))
                open = c;
            else if (c == open && open != '\0')
                open = '\0';
        }
        m_open[text.size()] = open;
    }
    [[nodiscard]] char at(std::size_t position) const { return m_open[position]; }

private:
    std::string m_open;
};

bool endsWord(char c)
{
    return std::string_view(" \t\r\n;|&<>()`,").contains(c);
}

/// End of the shell word that goes on at `position` outside of quotes: `foo"bar"'x'` is one.
std::size_t wordEnd(std::string_view text, const QuoteMap &quotes, std::size_t position)
{
    while (position < text.size() && (quotes.at(position) != '\0' || !endsWord(text[position])))
        ++position;
    return position;
}

/// One search of one pattern over a text.
class Search
{
public:
    Search(std::string_view text, const QuoteMap &quotes, std::vector<Span> &found)
        : m_text(text), m_quotes(quotes), m_found(found)
    {
    }

    void run(const RE2 &pattern, Plausible plausible)
    {
        std::array<absl::string_view, maxGroups + 1> groups;
        const int count = pattern.NumberOfCapturingGroups() + 1;
        std::size_t position = 0;
        while (position < m_text.size()
               && pattern.Match(piece(m_text), position, m_text.size(), RE2::UNANCHORED, groups.data(), count)) {
            const std::size_t matchEnd = static_cast<std::size_t>(groups[0].data() - m_text.data()) + groups[0].size();
            std::size_t next = 0;
            for (int i = 1; i < count; ++i) {
                const absl::string_view group = groups[static_cast<std::size_t>(i)];
                if (group.data() != nullptr && !group.empty()) // the blank after a value may begin the next match
                    next = std::max(next, take({group.data(), group.size()}, plausible));
            }
            position = std::max(next != 0 ? next : matchEnd, position + 1);
        }
    }

private:
    [[nodiscard]] std::size_t offset(std::string_view part) const
    {
        return static_cast<std::size_t>(part.data() - m_text.data());
    }

    std::size_t take(std::string_view value, Plausible plausible)
    {
        std::size_t start = offset(value);
        std::size_t end = start + value.size();
        const bool behindQuote = start > 0 && (m_text[start - 1] == '"' || m_text[start - 1] == '\'');
        const bool escaped = behindQuote && end < m_text.size() && m_text[end] == '\\';
        const bool quoted = behindQuote && end < m_text.size() && (m_text[end] == m_text[start - 1] || escaped);
        // A quote that closes what was open before the name is no opening quote of a value.
        if (behindQuote && !escaped && m_quotes.at(start - 1) == m_text[start - 1])
            return start;
        // After a blank, a word with a hyphen is the next option and not the value of this one.
        const bool nextOption =
            start > 0 && value.starts_with('-') && (m_text[start - 1] == ' ' || m_text[start - 1] == '\t');
        if (nextOption || !isPlausible(value, plausible))
            return end;
        if (m_quotes.at(quoted ? start - 1 : start) == '\0' && plausible != Plausible::Always)
            extend(start, end, quoted);
        m_found.push_back({static_cast<std::uint32_t>(start), static_cast<std::uint32_t>(end - start)});
        return end;
    }

    /// A value may go on in other quotes; then the whole word is masked, quotes and all.
    void extend(std::size_t &start, std::size_t &end, bool quoted) const
    {
        const std::size_t after = quoted ? end + 1 : end;
        if (after >= m_text.size()
            || (m_text[after] != '"' && m_text[after] != '\'' && m_text[after] != '\\'
                && (!quoted || endsWord(m_text[after]))))
            return;
        start -= quoted ? 1 : 0;
        end = wordEnd(m_text, m_quotes, after);
    }

    std::string_view m_text;
    const QuoteMap &m_quotes;
    std::vector<Span> &m_found;
};

} // namespace

std::vector<Span> merged(std::vector<Span> spans)
{
    std::ranges::sort(spans);
    std::vector<Span> out;
    for (const Span &span : spans) {
        if (!out.empty() && span.start < out.back().end())
            out.back().length = std::max(out.back().end(), span.end()) - out.back().start;
        else
            out.push_back(span);
    }
    return out;
}

std::vector<Span> findSecrets(std::string_view text)
{
    const std::vector<int> matching = patterns().matching(text);
    if (matching.empty())
        return {};
    const QuoteMap quotes(text);
    std::vector<Span> found;
    for (const int index : matching)
        Search(text, quotes, found)
            .run(patterns().at(index), secretPatterns.at(static_cast<std::size_t>(index)).plausible);
    return merged(std::move(found));
}

bool isSecretValue(std::string_view value)
{
    return isPlausible(value, Plausible::Named);
}

bool isSecretOption(std::string_view word)
{
    return RE2::PartialMatch(piece(word), patterns().option());
}

} // namespace portcullis::record
