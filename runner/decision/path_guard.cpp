// SPDX-License-Identifier: Apache-2.0
#include "runner/decision/path_guard.h"

#include "runner/base/paths.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace portcullis::decision {
namespace {

/// A path as far as the kernel can be asked about it, and the rest behind the first glob.
struct Askable {
    std::string path;
    Spelling rest;
};

Askable askable(const PathCandidate &candidate)
{
    const Spelling &spelling = candidate.spelling;
    Askable result;
    if (candidate.relative())
        result.path = *candidate.base + '/';
    std::size_t length = spelling.text.size();
    for (const std::vector<std::uint32_t> *marks : {&spelling.globs, &spelling.gaps}) {
        if (marks->empty())
            continue;
        const std::size_t slash = spelling.text.rfind('/', marks->front());
        length = std::min(length, slash == std::string::npos ? 0 : slash + 1);
    }
    result.path += spelling.text.substr(0, length);
    result.rest = spelling.part(length);
    return result;
}

/// Directories of the operating system, where links are the distribution's.
bool isSystemPath(std::string_view path)
{
    static constexpr std::array<std::string_view, 8> system{"/usr",   "/bin", "/sbin", "/lib",
                                                            "/lib64", "/dev", "/proc", "/sys"};
    return std::ranges::any_of(system, [&](std::string_view folder) { return paths::isWithin(path, folder); });
}

/// A plain word that could well be a file name.
bool worthAsking(const PathCandidate &candidate)
{
    constexpr std::size_t longestName = 255;
    const std::string_view text = candidate.spelling.text;
    if (candidate.relative() && !candidate.base)
        return false;
    if (candidate.written)
        return text.size() < 4096 && !isSystemPath(text);
    return text.size() <= longestName && text.find_first_of(" \t\n=:{}()<>;'\"`$%+,") == std::string_view::npos
        && candidate.spelling.plain();
}

class Guard
{
public:
    Guard(const PathZones &zones, const PathAnswers &answers) : m_zones(zones), m_answers(answers) { }

    void look(const PathCandidate &candidate);
    void note(Span span, std::string word) { m_result.notes.push_back({DynamicReason::Option, span, std::move(word)}); }
    GuardResult take() { return std::move(m_result); }

private:
    void found(ZoneClass zone, std::string path, std::string target, Span span);
    /// A spelling as a normalised path, and what it names.
    struct Place {
        std::string path;
        ZoneAnswer answer;
    };
    [[nodiscard]] Place placeOf(const Spelling &spelling, std::string_view base, bool writing) const;
    bool passes(const PathCandidate &candidate, const Spelling &spelling, std::string_view base);
    void follow(const PathCandidate &candidate, const Place &lexical);
    bool isHarmlessWord(const PathCandidate &candidate);

    const PathZones &m_zones;
    const PathAnswers &m_answers;
    std::map<std::string, bool, std::less<>> m_wordsMatter; ///< by directory
    GuardResult m_result;
};

/// True when no single name in that directory can be a protected place: the usual case, made cheap.
bool Guard::isHarmlessWord(const PathCandidate &candidate)
{
    const std::string &text = candidate.spelling.text;
    if (candidate.written || !candidate.spelling.plain() || !candidate.relative() || text.contains('/') || text == "..")
        return false;
    auto it = m_wordsMatter.find(*candidate.base);
    if (it == m_wordsMatter.end())
        it = m_wordsMatter.emplace(*candidate.base, m_zones.hasNamesIn(*candidate.base)).first;
    return !it->second;
}

void Guard::look(const PathCandidate &candidate)
{
    if (candidate.relative() && !candidate.base) {
        if (candidate.written)
            note(candidate.span, candidate.spelling.text);
        return;
    }
    if (candidate.walk && passes(candidate, candidate.spelling, candidate.base.value_or("/")))
        return;
    if (!isHarmlessWord(candidate)) {
        Place lexical = placeOf(candidate.spelling, candidate.base.value_or("/"), candidate.writing);
        if (lexical.answer.kind == ZoneAnswer::Kind::Protected)
            found(lexical.answer.zone, std::move(lexical.path), {}, candidate.span);
        else
            follow(candidate, lexical);
    } else if (!m_answers.empty()) {
        follow(candidate, {candidate.spelling.text, {}});
    }
}

Guard::Place Guard::placeOf(const Spelling &spelling, std::string_view base, bool writing) const
{
    if (spelling.plain()) {
        std::string path = paths::normalised(spelling.text, base);
        const ZoneAnswer answer = m_zones.classify(path, writing);
        return {std::move(path), answer};
    }
    const PathPattern pattern = patternOf(spelling, base);
    return {pattern.text(), m_zones.classify(pattern, writing)};
}

/// A walk that starts above a protected place comes to it.
bool Guard::passes(const PathCandidate &candidate, const Spelling &spelling, std::string_view base)
{
    const PathPattern pattern = patternOf(spelling, base);
    const std::optional<PathZones::Passed> place = m_zones.passedBy(pattern, *candidate.walk);
    if (place)
        found(place->zone, pattern.text(), place->path, candidate.span);
    return place.has_value();
}

/// Looks where the kernel would end up. Without an answer, a path below a directory that a tenant can write may lead
/// anywhere by a link planted earlier: noted.
void Guard::follow(const PathCandidate &candidate, const Place &lexical)
{
    const Askable asked = askable(candidate);
    const auto answer = m_answers.find({PathQuestion::Kind::Resolve, asked.path});
    if (answer == m_answers.end() || answer->second.empty()) {
        const bool nested = !candidate.relative() || candidate.spelling.text.contains('/');
        if (candidate.written && nested && lexical.answer.kind == ZoneAnswer::Kind::Allowed
            && lexical.answer.zone == ZoneClass::Own && candidate.span.length > 0)
            note(candidate.span, candidate.spelling.text);
        return;
    }
    if (candidate.walk && passes(candidate, asked.rest, answer->second))
        return;
    Place real = placeOf(asked.rest, answer->second, candidate.writing);
    if (real.answer.kind == ZoneAnswer::Kind::Protected)
        found(real.answer.zone, lexical.path, std::move(real.path), candidate.span);
}

void Guard::found(ZoneClass zone, std::string path, std::string target, Span span)
{
    auto it = std::ranges::find(m_result.findings, zone, &GuardFinding::zone);
    if (it == m_result.findings.end()) {
        m_result.findings.push_back({zone, std::move(path), std::move(target), {}});
        it = std::prev(m_result.findings.end());
    }
    if (span.length > 0)
        it->spans.push_back(span);
}

} // namespace

void addAliases(PathZones &zones, const PathAnswers &answers)
{
    const std::vector<std::string> roots = zones.roots();
    for (const std::string &root : roots) {
        const auto answer = answers.find({PathQuestion::Kind::Resolve, root});
        if (answer != answers.end() && !answer->second.empty())
            zones.addAlias(root, answer->second);
    }
}

GuardResult guardPaths(const PathCandidates &candidates, const PathZones &zones, const PathAnswers &answers)
{
    Guard guard(zones, answers);
    for (const PathCandidate &candidate : candidates.paths)
        guard.look(candidate);
    for (const UnknownPath &unknown : candidates.unknown)
        guard.note(unknown.span, unknown.word);
    GuardResult result = guard.take();
    for (GuardFinding &finding : result.findings) {
        std::ranges::sort(finding.spans);
        const auto repeated = std::ranges::unique(finding.spans);
        finding.spans.erase(repeated.begin(), repeated.end());
    }
    return result;
}

std::vector<PathQuestion> pathQuestions(const PathCandidates &candidates, std::span<const std::string> roots,
                                        std::size_t limit)
{
    std::vector<PathQuestion> questions;
    std::set<std::string> asked;
    const auto ask = [&](std::string path) {
        if (questions.size() < limit && asked.insert(path).second)
            questions.push_back({PathQuestion::Kind::Resolve, std::move(path)});
    };
    for (const std::string &root : roots)
        ask(root);
    for (const bool written : {true, false}) {
        for (const PathCandidate &candidate : candidates.paths) {
            if (questions.size() >= limit)
                return questions;
            if (candidate.written == written && worthAsking(candidate))
                ask(askable(candidate).path);
        }
    }
    return questions;
}

} // namespace portcullis::decision
