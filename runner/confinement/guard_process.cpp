// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/guard_process.h"

#include "runner/confinement/guard_launch.h"
#include "runner/confinement/landlock_abi.h"
#include "runner/confinement/leftovers.h"
#include "runner/confinement/plan_opener.h"

#include <QSocketNotifier>
#include <QTimer>

#include <array>
#include <cerrno>
#include <csignal>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <utility>

namespace portcullis::confinement {

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto sendRetry = 2ms; ///< descriptors in flight go down as other guards take theirs
constexpr auto sendLongest = 1s; ///< … which whoever takes them all can put off for ever
constexpr auto drainQuiet = 200ms; ///< after the end: no byte for this long, and we stop reading
constexpr auto drainLongest = 2000ms; ///< … or after this long in any case
constexpr auto adoptionRetry = 10ms; ///< between two looks for what a dead guard left
constexpr auto watchdogSlack = 10'000ms; ///< how much later than its time limit a guard may report

/// Waits for a guard whose run nobody follows any more, so that no zombie stays; deletes itself.
class Reaper : public QObject
{
public:
    explicit Reaper(UniqueFd process)
        : m_process(std::move(process)), m_notifier(m_process.get(), QSocketNotifier::Read)
    {
        connect(&m_notifier, &QSocketNotifier::activated, this, [this] {
            m_notifier.setEnabled(false);
            siginfo_t about{};
            waitid(P_PIDFD, static_cast<id_t>(m_process.get()), &about, WEXITED | WNOHANG);
            deleteLater();
        });
    }

private:
    UniqueFd m_process;
    QSocketNotifier m_notifier;
};

} // namespace

class GuardProcess::Private
{
public:
    Private(GuardProcess *owner, GuardLocation location) : q(owner), guard(std::move(location))
    {
        drainQuietTimer.setSingleShot(true);
        drainEndTimer.setSingleShot(true);
        watchdog.setSingleShot(true);
        QObject::connect(&drainQuietTimer, &QTimer::timeout, q, [this] { stopReading(); });
        QObject::connect(&drainEndTimer, &QTimer::timeout, q, [this] { stopReading(); });
        QObject::connect(&watchdog, &QTimer::timeout, q, [this] { killGuard(); });
        QObject::connect(&adoptionTimer, &QTimer::timeout, q, [this] { killLeftBehind(); });
    }

    void start(const plan::ExecPlan &plan, UniqueFd standardInput);
    void cancel();
    void abandon();

private:
    struct Stream {
        UniqueFd fd;
        std::unique_ptr<QSocketNotifier> notifier;
        OutputCapture *capture = nullptr;
        Channel channel = Channel::Stdout;
    };

    void failSoon(const StartFailure &why);
    void watch(LaunchedGuard launched);
    void openStream(Stream &stream, UniqueFd fd, OutputCapture &capture, Channel channel);
    void sendPlan();
    void sendCancel();
    void readControl();
    void take(const wire::GuardReport &report);
    void takeEnd(const wire::GuardReport &report);
    void readStream(Stream &stream);
    void closeStream(Stream &stream);
    void onGuardExit();
    void killLeftBehind();
    void killGuard();
    void beginDrain();
    void stopReading();
    void finishWhenDone();
    void note(RunNote::Kind kind) { result.notes.push_back({kind, {}}); }

    GuardProcess *q;
    GuardLocation guard;
    PlanSender sender;
    UniqueFd process;
    UniqueFd control;
    std::unique_ptr<QSocketNotifier> processNotifier;
    std::unique_ptr<QSocketNotifier> controlNotifier;
    std::array<Stream, 2> streams;
    QTimer drainQuietTimer;
    QTimer drainEndTimer;
    QTimer watchdog;
    QTimer adoptionTimer;
    RunOutcome result;
    Clock::time_point launchedAt;
    Clock::time_point startedAt;
    Clock::time_point lookedSince;
    std::chrono::milliseconds longest{0};
    bool used = false;
    bool planSent = false;
    bool cancelWanted = false;
    bool mayHaveStarted = false;
    bool commandStarted = false;
    bool reported = false; ///< Failed or Ended has come
    bool guardGone = false; ///< reaped, or never there
    bool commandGone = false; ///< nothing of the run is left, or it hangs in the kernel with a KILL that waits for it
    bool draining = false;
    bool wasReset = false; ///< the control channel
    bool over = false;

    friend class GuardProcess;
};

void GuardProcess::Private::start(const plan::ExecPlan &plan, UniqueFd standardInput)
{
    used = true;
    auto opened = openPlan(plan);
    if (!opened)
        return failSoon(opened.error());
    result.notes = std::move(opened->notes);
    if (plan.landlock && !plan.view && plan.landlockAbi < 6)
        note(RunNote::Kind::SignalsNotCovered);
    auto launched = launchGuard(guard, plan.standardInput ? standardInput.get() : -1);
    if (!launched)
        return failSoon(launched.error());
    longest = std::chrono::milliseconds(opened->plan.timeLimitMs + opened->plan.graceMs) + watchdogSlack;
    sender = PlanSender(std::move(opened->fds));
    watch(std::move(*launched));
    sendPlan();
}

void GuardProcess::Private::failSoon(const StartFailure &why)
{
    result.outcome = Outcome::NotStarted;
    result.failure = why;
    reported = true;
    guardGone = true;
    commandGone = true;
    QMetaObject::invokeMethod(q, [this] { finishWhenDone(); }, Qt::QueuedConnection);
}

void GuardProcess::Private::watch(LaunchedGuard launched)
{
    process = std::move(launched.process);
    control = std::move(launched.control);
    processNotifier = std::make_unique<QSocketNotifier>(process.get(), QSocketNotifier::Read);
    controlNotifier = std::make_unique<QSocketNotifier>(control.get(), QSocketNotifier::Read);
    QObject::connect(processNotifier.get(), &QSocketNotifier::activated, q, [this] { onGuardExit(); });
    QObject::connect(controlNotifier.get(), &QSocketNotifier::activated, q, [this] { readControl(); });
    openStream(streams[0], std::move(launched.standardOutput), result.standardOutput, Channel::Stdout);
    openStream(streams[1], std::move(launched.standardError), result.standardError, Channel::Stderr);
    watchdog.start(longest);
    launchedAt = Clock::now();
}

void GuardProcess::Private::openStream(Stream &stream, UniqueFd fd, OutputCapture &capture, Channel channel)
{
    stream.fd = std::move(fd);
    stream.capture = &capture;
    stream.channel = channel;
    stream.notifier = std::make_unique<QSocketNotifier>(stream.fd.get(), QSocketNotifier::Read);
    QObject::connect(stream.notifier.get(), &QSocketNotifier::activated, q, [this, &stream] { readStream(stream); });
}

void GuardProcess::Private::sendPlan()
{
    if (planSent || over)
        return;
    const Sent sent = sender.send(control.get());
    const int error = errno;
    switch (sent) {
    case Sent::Everything:
        planSent = true;
        if (cancelWanted)
            sendCancel();
        break;
    case Sent::Later:
        if (Clock::now() - launchedAt > sendLongest) {
            result.failure = StartFailure{wire::Step::SendPlan, error, {}};
            killGuard();
            break;
        }
        QTimer::singleShot(sendRetry, q, [this] { sendPlan(); });
        break;
    case Sent::Failed:
        if (error != EPIPE) // the guard is gone, which `onGuardExit` tells
            result.failure = StartFailure{wire::Step::SendPlan, error, {}};
        killGuard();
        break;
    }
}

void GuardProcess::Private::cancel()
{
    if (!used || over || reported || cancelWanted)
        return;
    cancelWanted = true;
    if (planSent)
        sendCancel();
}

void GuardProcess::Private::sendCancel()
{
    const auto order = static_cast<std::uint8_t>(wire::Order::Cancel);
    if (::send(control.get(), &order, sizeof order, MSG_NOSIGNAL) < 0)
        killGuard();
}

void GuardProcess::Private::readControl()
{
    constexpr std::size_t mostBytes = 64 * 1024;
    std::string bytes(mostBytes, '\0');
    for (;;) {
        const ssize_t got = recv(control.get(), bytes.data(), bytes.size(), 0);
        // The other end was closed with something unread in it, which is told once, before what it had sent.
        const bool reset = got < 0 && errno == ECONNRESET && !std::exchange(wasReset, true);
        if (reset || (got < 0 && errno == EINTR))
            continue;
        if (got <= 0) {
            if (got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK))
                controlNotifier->setEnabled(false);
            return;
        }
        const auto report = wire::decodeReport(std::string_view(bytes).substr(0, static_cast<std::size_t>(got)));
        if (report)
            take(*report);
        else
            killGuard(); // not our guard
    }
}

void GuardProcess::Private::take(const wire::GuardReport &report)
{
    if (reported)
        return;
    switch (report.kind) {
    case wire::Report::Starting:
        mayHaveStarted = true;
        break;
    case wire::Report::Started:
        commandStarted = true;
        startedAt = Clock::now();
        Q_EMIT q->started();
        break;
    case wire::Report::Failed:
        reported = true;
        result.outcome = Outcome::NotStarted;
        result.failure = StartFailure{report.step, report.error, report.path};
        break;
    case wire::Report::Ended:
        takeEnd(report);
        break;
    }
}

void GuardProcess::Private::takeEnd(const wire::GuardReport &report)
{
    reported = true;
    result.duration = Clock::now() - startedAt;
    result.exitCode = report.exitCode;
    result.signal = report.signal;
    switch (report.reason) {
    case wire::EndReason::TimedOut:
        result.outcome = Outcome::TimedOut;
        break;
    case wire::EndReason::Cancelled:
        result.outcome = Outcome::Cancelled;
        break;
    case wire::EndReason::Finished:
        result.outcome = report.signal ? Outcome::Signalled : Outcome::Exited;
        break;
    }
    if (report.killedBackground)
        note(RunNote::Kind::BackgroundKilled);
    if (report.killForced)
        note(RunNote::Kind::KillForced);
    if (report.memoryExceeded)
        note(RunNote::Kind::MemoryExceeded);
    if (report.roomExceeded)
        note(RunNote::Kind::RoomExceeded);
    if (report.filesExceeded)
        note(RunNote::Kind::FilesExceeded);
    // The guard says this last, when it has ended and reaped all of the run: nobody needs to wait for the kernel to
    // take the view apart.
    commandGone = true;
    beginDrain();
    finishWhenDone();
}

void GuardProcess::Private::readStream(Stream &stream)
{
    constexpr qsizetype atOnce = 64 * 1024;
    constexpr int mostReads = 16; // then the event loop has its turn
    for (int i = 0; i < mostReads && stream.fd; ++i) {
        QByteArray bytes(atOnce, Qt::Uninitialized);
        const ssize_t got = read(stream.fd.get(), bytes.data(), static_cast<std::size_t>(bytes.size()));
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0 && errno == EAGAIN)
            return;
        if (got <= 0) {
            closeStream(stream);
            return finishWhenDone();
        }
        bytes.truncate(got);
        stream.capture->append(bytes);
        if (draining)
            drainQuietTimer.start(drainQuiet);
        Q_EMIT q->output(stream.channel, bytes);
    }
}

void GuardProcess::Private::closeStream(Stream &stream)
{
    if (stream.notifier) {
        stream.notifier->setEnabled(false);
        stream.notifier.release()->deleteLater(); // it may be the one that is calling us
    }
    stream.fd.reset();
}

void GuardProcess::Private::onGuardExit()
{
    processNotifier->setEnabled(false);
    siginfo_t about{};
    waitid(P_PIDFD, static_cast<id_t>(process.get()), &about, WEXITED | WNOHANG);
    guardGone = true;
    if (over)
        return;
    watchdog.stop();
    readControl(); // what it said before it went
    if (reported) {
        commandGone = true;
    } else {
        reported = true;
        result.outcome = mayHaveStarted ? Outcome::Unfinished : Outcome::NotStarted;
        result.duration = commandStarted ? Clock::now() - startedAt : std::chrono::nanoseconds(0);
        if (!result.failure)
            result.failure = StartFailure{wire::Step::GuardLost, about.si_code == CLD_KILLED ? EINTR : EPROTO, {}};
        note(RunNote::Kind::GuardLost);
        lookedSince = Clock::now();
        killLeftBehind();
    }
    beginDrain();
    finishWhenDone();
}

/// The guard died before its command. We are the subreaper, so what it left is ours now: until nothing comes any more.
void GuardProcess::Private::killLeftBehind()
{
    const bool found = killAdopted() > 0;
    if (found && Clock::now() - lookedSince < drainLongest) {
        adoptionTimer.start(adoptionRetry);
        return;
    }
    adoptionTimer.stop();
    commandGone = true;
    finishWhenDone();
}

void GuardProcess::Private::killGuard()
{
    if (process && !guardGone)
        syscall(SYS_pidfd_send_signal, process.get(), SIGKILL, nullptr, 0);
}

void GuardProcess::Private::beginDrain()
{
    if (over || std::exchange(draining, true))
        return;
    drainQuietTimer.start(drainQuiet);
    drainEndTimer.start(drainLongest);
}

void GuardProcess::Private::stopReading()
{
    bool cut = false;
    for (Stream &stream : streams) {
        cut = cut || stream.fd;
        closeStream(stream);
    }
    if (cut)
        note(RunNote::Kind::OutputCut);
    finishWhenDone();
}

void GuardProcess::Private::finishWhenDone()
{
    if (over || !reported || !commandGone || streams[0].fd || streams[1].fd)
        return;
    over = true;
    drainQuietTimer.stop();
    drainEndTimer.stop();
    watchdog.stop();
    Q_EMIT q->finished(result);
}

void GuardProcess::Private::abandon()
{
    if (process && !guardGone)
        new Reaper(std::move(process)); // deletes itself when the guard, which sees the hang-up, is gone
}

GuardProcess::GuardProcess(GuardLocation guard, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>(this, std::move(guard)))
{
}

GuardProcess::~GuardProcess()
{
    d->abandon();
}

void GuardProcess::start(const plan::ExecPlan &plan, UniqueFd standardInput)
{
    Q_ASSERT(!d->used);
    d->start(plan, std::move(standardInput));
}

void GuardProcess::cancel()
{
    d->cancel();
}

bool GuardProcess::isRunning() const
{
    return d->used && !d->over;
}

bool adoptOrphans()
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1) == 0;
}

} // namespace portcullis::confinement
