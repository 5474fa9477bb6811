// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/unique_fd.h"

#include <QObject>

namespace portcullis::cli {

/// Turns SIGINT, SIGTERM and SIGHUP into a Qt signal (signalfd(2)). Make it before any thread, so that all inherit the
/// mask. SIGPIPE is ignored: a closed output is an error of a write, not an end.
class SignalWatch : public QObject
{
    Q_OBJECT

public:
    explicit SignalWatch(QObject *parent = nullptr);

Q_SIGNALS:
    void interrupted(int signal);

private:
    confinement::UniqueFd m_fd;
};

} // namespace portcullis::cli
