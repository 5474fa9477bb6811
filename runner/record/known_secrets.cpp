// SPDX-License-Identifier: Apache-2.0
#include "runner/record/known_secrets.h"

#include "runner/config/json5.h"
#include "runner/record/masking.h"
#include "runner/shell/evaluation.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace portcullis::record {
namespace {

/// Shorter ones are masked only where they are a whole word: inside others they would hit ordinary text.
constexpr std::size_t shortestInside = 4;
constexpr std::size_t shortestWord = 2;
/// A secret is a word.
constexpr shell::EvaluationLimits readingLimits{.nesting = 10, .steps = 100'000, .invocations = 10};
/// Folders that are part of a secret with slashes; shorter ones are names like any other.
constexpr std::size_t shortestPathPart = 5;

bool isWordCharacter(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

/// The text without the shell's quotes and backslashes: what the program gets.
std::string unquoted(std::string_view text)
{
    std::string out;
    char open = '\0';
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && open != '\'' && i + 1 < text.size())
            out += text[++i];
        else if (open == '\0' && (c == '"' || c == '\''))
            open = c;
        else if (c == open && open != '\0')
            open = '\0';
        else
            out += c;
    }
    return out;
}

/// What a shell makes of it, whether the quotes around it belong to it or not: `$'\x68unter2'`.
std::vector<std::string> asShellReads(const std::string &secret)
{
    std::vector<std::string> read;
    if (!secret.contains('\\'))
        return read;
    for (const std::string &line : {": " + secret, ": $'" + secret + '\''}) {
        for (const shell::Invocation &invocation : shell::evaluate(line, {}, readingLimits).invocations) {
            for (const shell::Value &word : invocation.args)
                read.push_back(word.text);
        }
    }
    return read;
}

std::string jsonSpelling(std::string_view text)
{
    const std::string quoted = config::quoteJson(text);
    return quoted.substr(1, quoted.size() - 2);
}

bool isWholeWord(std::string_view text, std::size_t at, std::size_t length)
{
    return (at == 0 || !isWordCharacter(text[at - 1]))
        && (at + length == text.size() || !isWordCharacter(text[at + length]));
}

bool replaceAll(std::string &text, std::string_view secret, std::string_view mark)
{
    bool any = false;
    for (std::size_t at = text.find(secret); at != std::string::npos;) {
        if (secret.size() < shortestInside && !isWholeWord(text, at, secret.size())) {
            at = text.find(secret, at + 1);
            continue;
        }
        text.replace(at, secret.size(), mark);
        any = true;
        at = text.find(secret, at + mark.size());
    }
    return any;
}

} // namespace

KnownSecrets::KnownSecrets(std::string_view original, const Masked &masked)
{
    for (const MaskedPart &part : masked.parts) {
        const std::string secret(original.substr(part.original.start, part.original.length));
        const std::string mark = masked.text.substr(part.mark.start, part.mark.length);
        std::vector<std::string> spellings{secret, unquoted(secret)};
        std::ranges::move(asShellReads(secret), std::back_inserter(spellings));
        for (const std::string &spelling : spellings) {
            add(m_pairs, spelling, mark);
            add(m_pairs, jsonSpelling(spelling), mark);
            for (std::size_t at = 0; at < spelling.size() && spelling.contains('/');) {
                const std::size_t end = std::min(spelling.find('/', at), spelling.size());
                if (end - at >= shortestPathPart)
                    add(m_pathParts, spelling.substr(at, end - at), mark);
                at = end + 1;
            }
        }
    }
    // Longest first, so that a secret inside another does not leave a rest of it.
    for (Pairs *pairs : {&m_pairs, &m_pathParts})
        std::ranges::stable_sort(*pairs, std::greater(), [](const auto &pair) { return pair.first.size(); });
}

void KnownSecrets::add(Pairs &pairs, std::string secret, const std::string &mark)
{
    // What is part of a mark would be found in the marks themselves.
    const bool known = std::ranges::any_of(pairs, [&](const auto &pair) { return pair.first == secret; });
    if (secret.size() >= shortestWord && !known && !mark.contains(secret))
        pairs.emplace_back(std::move(secret), mark);
}

bool KnownSecrets::apply(std::string &text) const
{
    if (text.empty())
        return false;
    Masked masked = record::mask(text);
    bool any = masked.any();
    text = std::move(masked.text);
    for (const auto &[secret, mark] : m_pairs)
        any = replaceAll(text, secret, mark) || any;
    if (text.contains('/')) {
        for (const auto &[part, mark] : m_pathParts)
            any = replaceAll(text, part, mark) || any;
    }
    return any;
}

} // namespace portcullis::record
