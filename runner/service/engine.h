// SPDX-License-Identifier: Apache-2.0
#pragma once

// The embedded engine: takes exec requests, decides, records the decision, and only then carries it out.

#include "runner/base/run_failure.h"
#include "runner/confinement/unique_fd.h"
#include "runner/decision/decision.h"
#include "runner/decision/facts.h"
#include "runner/plan/exec_plan.h"
#include "runner/policy/policy.h"
#include "runner/record/event.h"
#include "runner/service/recorder.h"

#include <QByteArray>
#include <QObject>

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace portcullis::confinement {
struct RunOutcome;
}

namespace portcullis::service {

enum class Channel { Out, Err };

/// The end of one request.
struct RunResult {
    std::string id;
    Verdict verdict = Verdict::Deny;
    Outcome outcome = Outcome::NotStarted;
    std::optional<int> exitCode; ///< 0–255 when it exited
    std::optional<int> signal;
    using Failure = RunFailureKind;
    Failure failure = Failure::None;
    std::string step; ///< of the failure: guard step, plan or record error code
    int errnoValue = 0;
    std::string path; ///< concerned, or empty
    bool truncated = false; ///< output was dropped from the record
    std::vector<std::string> notes;
};

/// Everything that the engine needs from outside. Values and functions, so that tests make their own.
struct EngineSettings {
    std::function<std::shared_ptr<const policy::Configuration>()> configuration; ///< the one in force, never null
    decision::HostFacts facts;
    std::string guardPath; ///< absolute path of portcullis-guard
    std::string resourcesDir; ///< share/portcullis
    std::string gateway; ///< name for the record
    std::string role; ///< `cli`, `console`, …: how this engine is named in the record
};

/// Lives in one permanent thread (the parent-death signal of its commands follows that thread) and needs its event
/// loop. Every submit gets exactly one `finished`, in any order. Nothing starts before its decision is committed.
class Engine : public QObject
{
    Q_OBJECT

public:
    Engine(EngineSettings settings, std::unique_ptr<Recorder> recorder, QObject *parent = nullptr);
    ~Engine() override;

    /// What has been found out since about this machine; for requests from now on.
    void setFacts(const decision::HostFacts &facts);
    /// Takes a request whose command reads its standard input from `input`.
    void submitWithInput(const decision::ExecRequest &request, confinement::UniqueFd input);

public Q_SLOTS:
    /// `request.id` must be a fresh uuid v7; `request.timeUs` is set when 0.
    void submit(const portcullis::decision::ExecRequest &request);
    /// Ends a running command: TERM, 3 s, KILL. Unknown ids are ignored.
    void cancel(const std::string &id);
    /// Refuses new requests and cancels running ones; `drained` follows once nothing runs.
    void shutDown();

Q_SIGNALS:
    /// The decision is made and committed to the record.
    void decided(const std::string &id, const portcullis::decision::Decision &decision);
    void started(const std::string &id, const portcullis::plan::ExecPlan &plan);
    void output(const std::string &id, portcullis::service::Channel channel, const QByteArray &bytes);
    void finished(const portcullis::service::RunResult &result);
    /// A security event as a slog line, without its newline.
    void securityEvent(const QByteArray &line);
    void drained();

private:
    struct Run;
    using RunPtr = std::shared_ptr<Run>;
    void decideAndRecord(const RunPtr &run);
    void afterRecord(const RunPtr &run);
    void startGuard(const RunPtr &run);
    void finishRun(const RunPtr &run, const confinement::RunOutcome &outcome);
    void endWithout(const RunPtr &run, Outcome outcome, RunResult::Failure failure, const std::string &step,
                    const std::string &path, int errorNumber = 0);
    void complete(std::int64_t row, const record::Ending &ending, const record::Output &output,
                  const RunResult &result);
    void conclude(const RunResult &result);
    void beat(const std::shared_ptr<const policy::Configuration> &configuration);
    void emitEvents(const decision::ExecRequest &request, const decision::Decision &decision);

    struct Private;
    std::unique_ptr<Private> d;
};

/// A fresh uuid v7 for a request.
[[nodiscard]] std::string newRequestId();

/// UTC, microseconds.
[[nodiscard]] std::int64_t nowUs();

} // namespace portcullis::service
