// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/base/result.h"
#include "runner/rules/glob.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace re2 {
class RE2;
}

namespace portcullis::rules {

/// Regular expressions of one condition, compiled into one: RE2, on bytes, `.` matches newlines too. Linear in time.
class TextPatterns
{
public:
    TextPatterns();
    ~TextPatterns();
    TextPatterns(TextPatterns &&) noexcept;
    TextPatterns &operator=(TextPatterns &&) noexcept;

    [[nodiscard]] static Result<TextPatterns, std::string> parse(const std::vector<std::string> &patterns);

    [[nodiscard]] bool empty() const { return m_pattern == nullptr; }
    [[nodiscard]] bool matchesPart(std::string_view text) const;
    [[nodiscard]] bool matchesWhole(std::string_view text) const;
    /// Sets `start` and `length` to the leftmost match that begins at `start` or later.
    [[nodiscard]] bool find(std::string_view text, std::size_t &start, std::size_t &length) const;
    /// With each gap shown as `unknownMark`; Maybe when that does not match but the word has a gap.
    [[nodiscard]] Match matchPart(const shell::Value &value) const;
    [[nodiscard]] Match matchWhole(const shell::Value &value) const;

private:
    std::unique_ptr<re2::RE2> m_pattern;
};

} // namespace portcullis::rules
