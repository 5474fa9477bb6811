// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/glob.h"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace portcullis::rules {

/// Many globs, compared with one text in one pass.
class GlobSet
{
public:
    using Id = std::uint32_t;

    /// Remembers, from one text to the next, how far their common beginning came with each glob, and counts the work.
    struct Progress {
        std::uint64_t steps = 0; ///< cells of texts compared with globs
        std::string prefix;
        std::vector<std::pair<std::size_t, Glob::States>> live; ///< by index of the glob
    };

    explicit GlobSet(Glob::Flavour flavour);
    ~GlobSet();
    GlobSet(GlobSet &&) noexcept;
    GlobSet &operator=(GlobSet &&) noexcept;

    /// Adds a pattern under an id of its own. The error says what is wrong with it.
    [[nodiscard]] Result<Id, std::string> add(std::string_view pattern);
    /// Adds a glob under an id that the caller keeps; ids must not descend.
    void add(const Glob &glob, Id id);
    /// To be called once, after the last glob.
    void compile();

    /// The ids that match, ascending.
    [[nodiscard]] std::vector<Id> match(std::string_view text) const;
    /// The ids that match or may match, ascending.
    [[nodiscard]] std::vector<std::pair<Id, Match>> match(const OpenText &text, Progress &progress) const;

private:
    struct Compiled;
    void advance(Progress &progress, std::string prefix) const;

    Glob::Flavour m_flavour;
    std::vector<std::pair<Glob, Id>> m_globs; ///< a pattern with braces is several globs with one id
    std::map<std::string, Id, std::less<>> m_known; ///< the same pattern again has the same id
    Id m_next = 0;
    std::unique_ptr<Compiled> m_compiled; ///< nothing when there is no glob or RE2 could not take them all
};

} // namespace portcullis::rules
