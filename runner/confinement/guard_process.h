// SPDX-License-Identifier: Apache-2.0
#pragma once

// One run of one command on the host, through `portcullis-guard`.

#include "runner/base/vocabulary.h"
#include "runner/confinement/guard_wire.h"
#include "runner/confinement/output_capture.h"
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

/// Why a command was not started.
struct StartFailure {
    wire::Step step = wire::Step::None;
    int errorNumber = 0;
    std::string path; ///< may be empty
};

/// Something that did not stop the run but belongs in the record.
struct RunNote {
    enum class Kind {
        LinkReplaced, ///< a tenant folder was a link: an empty private one stood in its place (view)
        LinkRefused, ///< … or it was left out (no view)
        GrantSkipped, ///< an optional grant is missing
        ForeignOwner, ///< an optional system path belongs neither to root nor to the operator: left out
        BackgroundKilled, ///< processes that the command left behind were killed at its end
        KillForced, ///< TERM was not enough, KILL was sent
        GuardLost, ///< the guard died; what it left was killed by the runner
        OutputCut, ///< a process still held a pipe when we stopped reading
        SignalsNotCovered, ///< Landlock below ABI 6 without a view
        UdpNotCovered ///< network none with Landlock alone
    };
    Kind kind = Kind::GrantSkipped;
    std::string path;
};

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

/// The guard's executable: beside ours in the build tree, in libexec when installed.
class GuardLocation
{
public:
    /// Looks for `portcullis-guard` beside `applicationDir` and in `../libexec`, `../lib/portcullis`.
    [[nodiscard]] static Result<GuardLocation, StartFailure> find(const std::string &applicationDir);
    /// Takes this very file. It must be a regular file of root or ours that nobody else can write.
    [[nodiscard]] static Result<GuardLocation, StartFailure> at(const std::string &path);
    [[nodiscard]] const std::string &path() const { return m_path; }

private:
    std::string m_path;
};

/// Starts a guard, streams the command's output, and says once how it ended.
///
/// Lives in the runner thread, which must outlive it: the kernel's parent-death signal follows the thread. Nothing here
/// waits; `start` opens the grants and spawns (about a millisecond). Destroying it kills the command.
/// The process should be a child subreaper (`adoptOrphans`) before the first start.
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
