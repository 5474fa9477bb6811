// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/glob_set.h"

#include <re2/set.h>
#include <re2/stringpiece.h>

#include <algorithm>

namespace portcullis::rules {

struct GlobSet::Compiled {
    explicit Compiled(const RE2::Options &options) : set(options, RE2::ANCHOR_BOTH) { }
    RE2::Set set;
};

GlobSet::GlobSet(Glob::Flavour flavour) : m_flavour(flavour) { }
GlobSet::~GlobSet() = default;
GlobSet::GlobSet(GlobSet &&) noexcept = default;
GlobSet &GlobSet::operator=(GlobSet &&) noexcept = default;

Result<GlobSet::Id, std::string> GlobSet::add(std::string_view pattern)
{
    if (const auto known = m_known.find(pattern); known != m_known.end())
        return known->second;
    auto globs = Glob::parse(pattern, m_flavour);
    if (!globs)
        return failure(std::string(pattern) + ": " + globs.error());
    for (const Glob &glob : *globs)
        add(glob, m_next);
    m_known.emplace(pattern, m_next);
    return m_next++;
}

void GlobSet::add(const Glob &glob, Id id)
{
    m_globs.emplace_back(glob, id);
}

void GlobSet::compile()
{
    if (m_globs.empty())
        return;
    RE2::Options options;
    options.set_encoding(RE2::Options::EncodingLatin1);
    options.set_log_errors(false);
    options.set_max_mem(32 << 20);
    auto compiled = std::make_unique<Compiled>(options);
    for (const auto &[glob, id] : m_globs) {
        if (compiled->set.Add(glob.regex(), nullptr) < 0)
            return;
    }
    if (compiled->set.Compile())
        m_compiled = std::move(compiled);
}

std::vector<GlobSet::Id> GlobSet::match(std::string_view text) const
{
    std::vector<Id> found;
    std::vector<int> matched;
    RE2::Set::ErrorInfo error{};
    const re2::StringPiece piece(text.data(), text.size());
    const bool compared =
        m_compiled && (m_compiled->set.Match(piece, &matched, &error) || error.kind == RE2::Set::kNoError);
    if (compared) {
        for (const int at : matched)
            found.push_back(m_globs[static_cast<std::size_t>(at)].second);
        std::ranges::sort(found);
    } else {
        for (const auto &[glob, id] : m_globs) {
            if (glob.matches(text))
                found.push_back(id);
        }
    }
    const auto repeated = std::ranges::unique(found);
    found.erase(repeated.begin(), repeated.end());
    return found;
}

void GlobSet::advance(Progress &progress, std::string prefix) const
{
    progress.live.clear();
    for (std::size_t i = 0; i < m_globs.size(); ++i) {
        if (const Glob::States states = m_globs[i].first.afterPrefix(prefix); states != 0)
            progress.live.emplace_back(i, states);
    }
    progress.steps += m_globs.size() * prefix.size();
    progress.prefix = std::move(prefix);
}

std::vector<std::pair<GlobSet::Id, Match>> GlobSet::match(const OpenText &text, Progress &progress) const
{
    const auto open = std::ranges::find_if(text.cells, [](OpenText::Cell cell) { return cell >= OpenText::gap; });
    std::string prefix(text.cells.begin(), open);
    prefix.resize(prefix.rfind('/') + 1);
    const std::size_t from = prefix.size();
    if (progress.prefix != prefix || progress.live.empty())
        advance(progress, std::move(prefix));
    progress.steps += progress.live.size() * (text.cells.size() - from);
    std::vector<std::pair<Id, Match>> found;
    for (const auto &[index, states] : progress.live) {
        const auto &[glob, id] = m_globs[index];
        const Match match = glob.matches(text, from, states);
        if (match == Match::No)
            continue;
        if (!found.empty() && found.back().first == id)
            found.back().second = std::max(found.back().second, match);
        else
            found.emplace_back(id, match);
    }
    return found;
}

} // namespace portcullis::rules
