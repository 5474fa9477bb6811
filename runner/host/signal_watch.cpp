// SPDX-License-Identifier: Apache-2.0
#include "runner/host/signal_watch.h"

#include <QSocketNotifier>

#include <csignal>
#include <sys/signalfd.h>

namespace portcullis::host {

namespace {

sigset_t watched()
{
    sigset_t set;
    sigemptyset(&set);
    // All that end a process by default and can be caught; not those of faults, which are not to be put off, and not
    // SIGPIPE and SIGXFSZ, which are errors of a write. signal(7)
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGXCPU,
                             SIGIO, SIGPWR, SIGSTKFLT})
        sigaddset(&set, signal);
    for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal)
        sigaddset(&set, signal);
    return set;
}

} // namespace

void SignalWatch::block()
{
    std::signal(SIGPIPE, SIG_IGN); // NOLINT(performance-no-int-to-ptr): the constant is a cast
    const sigset_t set = watched();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalWatch::SignalWatch(QObject *parent) : QObject(parent)
{
    block();
    const sigset_t set = watched();
    m_fd.reset(::signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
    auto *notifier = new QSocketNotifier(m_fd.get(), QSocketNotifier::Read, this);
    connect(notifier, &QSocketNotifier::activated, this, [this] {
        signalfd_siginfo info{};
        while (::read(m_fd.get(), &info, sizeof info) == static_cast<ssize_t>(sizeof info))
            Q_EMIT interrupted(static_cast<int>(info.ssi_signo));
    });
}

} // namespace portcullis::host
