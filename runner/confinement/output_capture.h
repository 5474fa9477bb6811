// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>

#include <cstdint>

namespace portcullis::confinement {

/// What is kept of one output stream: the first 256 KiB and the last 768 KiB; the bytes between are counted.
/// Memory is bounded whatever arrives.
class OutputCapture
{
public:
    static constexpr qsizetype headLimit = 256 * 1024;
    static constexpr qsizetype tailLimit = 768 * 1024;

    void append(const QByteArray &bytes);

    [[nodiscard]] QByteArray head() const { return m_head; }
    /// Empty until the head is full.
    [[nodiscard]] QByteArray tail() const;
    [[nodiscard]] std::uint64_t total() const { return m_total; }
    /// Bytes that lie between head and tail and are gone.
    [[nodiscard]] std::uint64_t dropped() const;
    /// Head and tail joined; the whole output when `dropped()` is 0.
    [[nodiscard]] QByteArray kept() const { return head() + tail(); }

private:
    QByteArray m_head;
    QByteArray m_ring; ///< grows to tailLimit, then is written around
    qsizetype m_next = 0;
    std::uint64_t m_total = 0;
};

} // namespace portcullis::confinement
