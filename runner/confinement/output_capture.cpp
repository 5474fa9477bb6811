// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/output_capture.h"

#include <algorithm>

namespace portcullis::confinement {

void OutputCapture::append(const QByteArray &bytes)
{
    m_total += static_cast<std::uint64_t>(bytes.size());
    const qsizetype toHead = std::min(headLimit - m_head.size(), bytes.size());
    m_head.append(bytes.first(toHead));
    QByteArrayView rest = QByteArrayView(bytes).sliced(toHead);
    if (rest.size() > tailLimit)
        rest = rest.last(tailLimit);
    while (!rest.isEmpty()) {
        if (m_ring.size() < tailLimit) {
            const qsizetype grow = std::min(tailLimit - m_ring.size(), rest.size());
            m_ring.append(rest.first(grow));
            rest = rest.sliced(grow);
            continue;
        }
        const qsizetype part = std::min(tailLimit - m_next, rest.size());
        std::copy_n(rest.data(), part, m_ring.data() + m_next);
        m_next = (m_next + part) % tailLimit;
        rest = rest.sliced(part);
    }
}

QByteArray OutputCapture::tail() const
{
    return m_ring.sliced(m_next) + m_ring.first(m_next);
}

std::uint64_t OutputCapture::dropped() const
{
    return m_total - static_cast<std::uint64_t>(m_head.size() + m_ring.size());
}

} // namespace portcullis::confinement
