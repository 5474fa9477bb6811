// SPDX-License-Identifier: Apache-2.0
#include "runner/host/input_relay.h"

#include <array>
#include <cerrno>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace portcullis::host {

namespace {

using confinement::UniqueFd;

/// A terminal opened anew: not to block is then a matter of ours, not of everybody who shares the descriptor.
UniqueFd withoutWaiting(UniqueFd source)
{
    if (::isatty(source.get()) != 1)
        return source;
    const std::string path = "/proc/self/fd/" + std::to_string(source.get());
    UniqueFd own(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    return own ? std::move(own) : std::move(source);
}

} // namespace

bool InputRelay::isNeeded(int source)
{
    const int flags = ::fcntl(source, F_GETFL);
    return flags >= 0 && ((flags & O_ACCMODE) != O_RDONLY || ::isatty(source) == 1);
}

InputRelay::InputRelay(UniqueFd source, QObject *parent) : QObject(parent), m_source(withoutWaiting(std::move(source)))
{
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return;
    m_reading.reset(ends[0]);
    m_writing.reset(ends[1]);
    ::fcntl(m_writing.get(), F_SETFL, O_NONBLOCK);
    m_readable = std::make_unique<QSocketNotifier>(m_source.get(), QSocketNotifier::Read);
    m_writable = std::make_unique<QSocketNotifier>(m_writing.get(), QSocketNotifier::Write);
    m_writable->setEnabled(false);
    connect(m_readable.get(), &QSocketNotifier::activated, this, &InputRelay::readMore);
    connect(m_writable.get(), &QSocketNotifier::activated, this, &InputRelay::writeOn);
}

void InputRelay::readMore()
{
    constexpr qsizetype atOnce = 64 * 1024;
    m_held.resize(atOnce);
    const ssize_t got = ::read(m_source.get(), m_held.data(), static_cast<std::size_t>(atOnce));
    const bool later = got < 0 && (errno == EINTR || errno == EAGAIN);
    m_held.truncate(got > 0 ? got : 0);
    if (got > 0)
        writeOn();
    else if (!later) // the end, or a terminal that was hung up
        end();
}

void InputRelay::writeOn()
{
    while (!m_held.isEmpty()) {
        const ssize_t taken = ::write(m_writing.get(), m_held.constData(), static_cast<std::size_t>(m_held.size()));
        if (taken < 0 && errno == EINTR)
            continue;
        if (taken < 0 && errno == EAGAIN)
            break;
        if (taken < 0)
            return end();
        m_held.remove(0, taken);
    }
    m_readable->setEnabled(m_held.isEmpty());
    m_writable->setEnabled(!m_held.isEmpty());
}

/// The notifiers stay until we go: one of them may be calling us.
void InputRelay::end()
{
    m_readable->setEnabled(false);
    m_writable->setEnabled(false);
    m_source.reset();
    m_writing.reset();
}

} // namespace portcullis::host
