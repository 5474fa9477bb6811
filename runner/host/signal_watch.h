// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/unique_fd.h"

#include <QObject>

namespace portcullis::host {

/// Turns every signal that would end us without a word (SIGTERM, SIGUSR1, SIGALRM, SIGXCPU, the real-time ones …) into
/// a Qt signal (signalfd(2)). SIGPIPE is ignored: a closed output is an error of a write, not an end.
class SignalWatch : public QObject
{
    Q_OBJECT

public:
    /// Needs the event loop of its thread.
    explicit SignalWatch(QObject *parent = nullptr);

    /// Blocks the signals for this thread and those that it starts. To be called before any thread is there, the
    /// windowing system's included: a thread that does not block a signal would die of it.
    static void block();

Q_SIGNALS:
    void interrupted(int signal);

private:
    confinement::UniqueFd m_fd;
};

} // namespace portcullis::host
