// SPDX-License-Identifier: Apache-2.0
#pragma once

// One run of one command on the host, through `portcullis-guard`.

#include "runner/base/vocabulary.h"
#include "runner/confinement/guard_location.h"
#include "runner/confinement/output_capture.h"
#include "runner/confinement/run_note.h"
#include "runner/confinement/unique_fd.h"
#include "runner/plan/exec_plan.h"

#include <QByteArray>
#include <QObject>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace portcullis::confinement {

enum class Channel { Stdout, Stderr };

/// How a run ended. `outcome` is one of NotStarted, Exited, Signalled, TimedOut, Cancelled, Unfinished (guard lost).
struct RunOutcome {
    Outcome outcome = Outcome::NotStarted;
    int exitCode = -1; ///< Exited; also TimedOut and Cancelled when the command ended by itself after TERM
    int signal = 0;
    std::optional<StartFailure> failure; ///< NotStarted and Unfinished
    std::vector<RunNote> notes;
    std::chrono::nanoseconds duration{0}; ///< from the command's start to its end (monotonic clock)
    OutputCapture standardOutput;
    OutputCapture standardError;
};

/// Starts a guard, streams the command's output, and says once how it ended.
///
/// Lives in the runner thread, which must outlive it: the kernel's parent-death signal follows the thread. Nothing here
/// waits; `start` opens the grants and spawns (about a millisecond). Destroying it kills the command.
/// A slot of its signals may not delete it, but call deleteLater. The process should be a child subreaper
/// (`adoptOrphans`) before the first start.
class GuardProcess : public QObject
{
    Q_OBJECT

public:
    explicit GuardProcess(GuardLocation guard, QObject *parent = nullptr);
    ~GuardProcess() override;

    /// Once per object. `standardInput`: read end handed to the command when the plan says `standardInput`; without it
    /// the command reads from /dev/null. Every failure, also an immediate one, arrives as `finished`.
    void start(const plan::ExecPlan &plan, UniqueFd standardInput = UniqueFd());

    /// TERM to everything of the run, three seconds, KILL. Harmless before start, when repeated and after the end.
    void cancel();

    [[nodiscard]] bool isRunning() const;

Q_SIGNALS:
    /// The command's exec succeeded.
    void started();
    /// Bytes as they came; also those beyond what `RunOutcome` keeps.
    void output(portcullis::confinement::Channel channel, const QByteArray &bytes);
    /// Exactly once for each `start`, queued (never from within `start`), after the last `output`.
    void finished(const portcullis::confinement::RunOutcome &outcome);

private:
    class Private;
    std::unique_ptr<Private> d;
};

/// Makes this process the one that adopts what a dead guard leaves behind (prctl PR_SET_CHILD_SUBREAPER). Once, at
/// start.
bool adoptOrphans();

} // namespace portcullis::confinement
