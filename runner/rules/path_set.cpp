// SPDX-License-Identifier: Apache-2.0
#include "runner/rules/path_set.h"

#include <re2/set.h>
#include <re2/stringpiece.h>

#include <algorithm>

namespace portcullis::rules {

struct PathSet::Compiled {
    explicit Compiled(const RE2::Options &options) : set(options, RE2::ANCHOR_BOTH) { }
    RE2::Set set;
};

PathSet::PathSet() = default;
PathSet::~PathSet() = default;
PathSet::PathSet(PathSet &&) noexcept = default;
PathSet &PathSet::operator=(PathSet &&) noexcept = default;

Result<PathSet::Id, std::string> PathSet::add(std::string_view pattern)
{
    auto globs = Glob::parse(pattern, Glob::Flavour::Path);
    if (!globs)
        return failure(std::string(pattern) + ": " + globs.error());
    for (Glob &glob : *globs)
        m_globs.emplace_back(std::move(glob), m_next);
    return m_next++;
}

void PathSet::compile()
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

std::vector<std::pair<PathSet::Id, Match>> PathSet::match(const PathText &path) const
{
    std::vector<std::pair<Id, Match>> found;
    const auto note = [&found](Id id, Match match) {
        if (match == Match::No)
            return;
        if (!found.empty() && found.back().first == id)
            found.back().second = std::max(found.back().second, match);
        else
            found.emplace_back(id, match);
    };
    if (path.open) {
        for (const auto &[glob, id] : m_globs)
            note(id, glob.matches(*path.open));
        return found;
    }
    std::vector<int> matched;
    RE2::Set::ErrorInfo error{};
    if (m_compiled && m_compiled->set.Match(re2::StringPiece(path.plain.data(), path.plain.size()), &matched, &error)) {
        std::ranges::sort(matched);
        for (const int at : matched)
            note(m_globs[static_cast<std::size_t>(at)].second, Match::Yes);
    } else if (!m_compiled || error.kind != RE2::Set::kNoError) {
        for (const auto &[glob, id] : m_globs)
            note(id, glob.matches(path.plain) ? Match::Yes : Match::No);
    }
    return found;
}

} // namespace portcullis::rules
