// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/config/json5.h"

#include <cstddef>
#include <string_view>

namespace portcullis::config {

/// Lines and columns of a text, for messages. Cheap when places are asked for from left to right.
/// The text must outlive it.
class Places
{
public:
    explicit Places(std::string_view text) : m_text(text) { }

    /// Lines end with LF, CR or CR LF, as editors count them; columns count bytes from 1.
    Place at(std::size_t offset);

private:
    std::string_view m_text;
    Place m_mark; ///< last place that was asked for; lines are counted on from here
};

/// Bytes of the whole name or number at `from`, else of one character: what a person wants to see in a message.
[[nodiscard]] std::size_t wordLengthAt(std::string_view text, std::size_t from);

} // namespace portcullis::config
