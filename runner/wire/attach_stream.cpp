// SPDX-License-Identifier: Apache-2.0
#include "runner/wire/attach_stream.h"

#include <algorithm>

namespace portcullis::wire {

std::optional<AttachPiece> AttachReader::next(std::string_view &bytes)
{
    while (!m_error && m_left == 0 && !bytes.empty())
        addHeader(bytes);
    if (m_error || bytes.empty())
        return std::nullopt;
    const std::size_t size = std::min<std::size_t>(m_left, bytes.size());
    const AttachPiece piece{static_cast<AttachStream>(m_header[0]), bytes.substr(0, size)};
    bytes.remove_prefix(size);
    m_left -= static_cast<std::uint32_t>(size);
    if (m_left == 0)
        m_headerFilled = 0;
    return piece;
}

std::optional<AttachError> AttachReader::finish()
{
    if (!m_error && m_headerFilled > 0)
        stop(AttachError::Code::Truncated);
    return m_error;
}

void AttachReader::addHeader(std::string_view &bytes)
{
    if (m_headerFilled == 0)
        m_frameStart = m_nextFrame;
    const std::size_t size = std::min(headerBytes - m_headerFilled, bytes.size());
    std::copy_n(bytes.begin(), size, m_header.begin() + static_cast<std::ptrdiff_t>(m_headerFilled));
    bytes.remove_prefix(size);
    m_headerFilled += size;
    readHeader();
}

/// Looks at as much of the header as has arrived, so that an error does not wait for bytes that may never come.
void AttachReader::readHeader()
{
    if (m_header[0] > static_cast<unsigned char>(AttachStream::Engine))
        return stop(AttachError::Code::UnknownStream);
    for (std::size_t i = 1; i < std::min<std::size_t>(m_headerFilled, 4); ++i) {
        if (m_header.at(i) != 0)
            return stop(AttachError::Code::BadHeader);
    }
    if (m_headerFilled < headerBytes)
        return;
    for (std::size_t i = 4; i < headerBytes; ++i)
        m_left = m_left << 8U | m_header.at(i);
    m_nextFrame = m_frameStart + headerBytes + m_left;
    if (m_left == 0)
        m_headerFilled = 0;
}

void AttachReader::stop(AttachError::Code code)
{
    m_error = AttachError{code, m_frameStart};
}

} // namespace portcullis::wire
