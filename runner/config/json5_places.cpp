// SPDX-License-Identifier: Apache-2.0
#include "runner/config/json5_places.h"

#include "runner/base/utf8.h"
#include "runner/config/json5_characters.h"

namespace portcullis::config {

Place Places::at(std::size_t offset)
{
    Place at = offset >= m_mark.offset ? m_mark : Place{};
    std::size_t lineStart = at.offset - (at.column - 1);
    for (std::size_t i = at.offset; i < offset; ++i) {
        const bool ends = m_text[i] == '\n' || (m_text[i] == '\r' && (i + 1 >= m_text.size() || m_text[i + 1] != '\n'));
        if (!ends)
            continue;
        ++at.line;
        lineStart = i + 1;
    }
    at.offset = static_cast<std::uint32_t>(offset);
    at.column = static_cast<std::uint32_t>(offset - lineStart + 1);
    m_mark = at;
    return at;
}

std::size_t wordLengthAt(std::string_view text, std::size_t from)
{
    std::size_t at = from;
    while (at < text.size()) {
        const Utf8Char next = utf8At(text, at);
        if (!continuesName(next.code))
            break;
        at += next.length;
    }
    if (at == from && at < text.size())
        at += utf8At(text, at).length;
    return at - from;
}

} // namespace portcullis::config
