// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/rules/glob.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace portcullis::rules {

/// All path globs of a rule set, compared with one path in one pass.
class PathSet
{
public:
    using Id = std::uint32_t; ///< one pattern of a rule; a pattern with braces is several globs with one id

    PathSet();
    ~PathSet();
    PathSet(PathSet &&) noexcept;
    PathSet &operator=(PathSet &&) noexcept;

    /// Adds a pattern. The error says what is wrong with it.
    [[nodiscard]] Result<Id, std::string> add(std::string_view pattern);
    /// To be called once, after the last pattern.
    void compile();
    /// The patterns that match, ascending, with Yes or Maybe.
    [[nodiscard]] std::vector<std::pair<Id, Match>> match(const PathText &path) const;

private:
    struct Compiled;
    std::vector<std::pair<Glob, Id>> m_globs;
    Id m_next = 0;
    std::unique_ptr<Compiled> m_compiled; ///< nothing when there is no pattern or RE2 could not take them all
};

} // namespace portcullis::rules
