// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/unique_fd.h"

#include <QByteArray>
#include <QObject>
#include <QSocketNotifier>

#include <memory>

namespace portcullis::host {

/// Feeds a command's standard input through a pipe, so that the command never holds the descriptor itself: with a
/// terminal it could change the operator's settings and write to the screen, whatever else it is denied.
/// Needs the event loop of its thread; holds at most what one read gives.
class InputRelay : public QObject
{
    Q_OBJECT

public:
    /// Whether the descriptor gives more than reading: a terminal, or one that is open for writing as well.
    [[nodiscard]] static bool isNeeded(int source);

    /// Reads `source` until its end or until nobody reads the pipe any more.
    explicit InputRelay(confinement::UniqueFd source, QObject *parent = nullptr);

    /// Once: the end of the pipe for the command; empty when no pipe could be made.
    [[nodiscard]] confinement::UniqueFd takeReadingEnd() { return std::move(m_reading); }

private:
    void readMore();
    void writeOn();
    void end();

    confinement::UniqueFd m_source;
    confinement::UniqueFd m_reading;
    confinement::UniqueFd m_writing;
    std::unique_ptr<QSocketNotifier> m_readable;
    std::unique_ptr<QSocketNotifier> m_writable;
    QByteArray m_held; ///< read, and not yet taken by the pipe
};

} // namespace portcullis::host
