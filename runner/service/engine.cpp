// SPDX-License-Identifier: Apache-2.0
#include "runner/service/engine.h"

#include "runner/base/slog.h"
#include "runner/base/uuid.h"
#include "runner/confinement/guard_process.h"
#include "runner/host/path_answers.h"
#include "runner/host/plan_facts.h"
#include "runner/service/exec_event.h"
#include "runner/service/run_notes.h"

#include <QRandomGenerator>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>

namespace portcullis::service {

using confinement::GuardProcess;
using confinement::RunOutcome;
using decision::Decision;
using decision::ExecRequest;

/// One request on its way from the decision to its end.
struct Engine::Run {
    ExecRequest request;
    Decision decision;
    std::shared_ptr<const policy::Configuration> configuration;
    decision::HostFacts facts; ///< by which it was decided
    confinement::UniqueFd input;
    plan::ExecPlan plan;
    std::unique_ptr<GuardProcess> guard;
    std::int64_t row = 0;
    std::int64_t startedUs = 0;
    bool cancelled = false; ///< before it was started
};

namespace {

record::Output outputOf(const RunOutcome &outcome)
{
    record::Output output;
    output.out = outcome.standardOutput.kept().toStdString();
    output.err = outcome.standardError.kept().toStdString();
    output.outDropped = static_cast<std::int64_t>(outcome.standardOutput.dropped());
    output.errDropped = static_cast<std::int64_t>(outcome.standardError.dropped());
    return output;
}

std::string joined(const std::vector<std::string> &texts)
{
    std::string out;
    for (const std::string &text : texts)
        out += (out.empty() ? "" : ",") + text;
    return out;
}

std::string_view codeOf(plan::PlanError::Code code)
{
    using enum plan::PlanError::Code;
    switch (code) {
    case NoUser:
        return "no_user";
    case TooManyGrants:
        return "too_many_grants";
    case NotListed:
        return "not_listed";
    case TenantOverlaps:
        return "tenant_overlaps";
    case InsideProtected:
        return "inside_protected";
    case BackendMissing:
        return "backend_missing";
    }
    return "unknown";
}

RunResult resultOf(const ExecRequest &request, const Decision &decision, Outcome outcome)
{
    RunResult result;
    result.id = request.id;
    result.verdict = decision.verdict;
    result.outcome = outcome;
    return result;
}

} // namespace

struct Engine::Private {
    EngineSettings settings;
    std::unique_ptr<Recorder> recorder;
    std::map<std::string, RunPtr> runs;
    std::string runner = audit::thisRunner();
    std::string beatDigest; ///< of the last heartbeat
    bool saidUnavailable = false;
    bool shuttingDown = false;
};

std::string newRequestId()
{
    std::array<quint32, uuidRandomBytes / sizeof(quint32)> random{};
    QRandomGenerator::system()->fillRange(random.data(), static_cast<qsizetype>(random.size()));
    std::array<std::byte, uuidRandomBytes> bytes{};
    std::ranges::copy(std::as_bytes(std::span(random)), bytes.begin());
    return uuidV7(nowUs(), bytes);
}

std::int64_t nowUs()
{
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(now).count();
}

Engine::Engine(EngineSettings settings, std::unique_ptr<Recorder> recorder, QObject *parent)
    : QObject(parent), d(std::make_unique<Private>())
{
    d->settings = std::move(settings);
    d->recorder = std::move(recorder);
    confinement::adoptOrphans();
}

Engine::~Engine() = default;

void Engine::setFacts(const decision::HostFacts &facts)
{
    d->settings.facts = facts;
}

void Engine::submit(const ExecRequest &request)
{
    submitWithInput(request, confinement::UniqueFd());
}

void Engine::submitWithInput(const ExecRequest &request, confinement::UniqueFd input)
{
    auto run = std::make_shared<Run>();
    run->request = request;
    run->request.wantsStdin = static_cast<bool>(input);
    run->input = std::move(input);
    if (run->request.timeUs == 0)
        run->request.timeUs = nowUs();
    if (d->shuttingDown) {
        RunResult result = resultOf(run->request, run->decision, Outcome::Cancelled);
        result.failure = RunResult::Failure::Internal;
        result.step = "shutting_down";
        Q_EMIT finished(result);
        return;
    }
    decideAndRecord(run);
}

void Engine::decideAndRecord(const RunPtr &run)
{
    run->configuration = d->settings.configuration();
    decision::HostFacts &facts = run->facts;
    facts = d->settings.facts;
    const decision::ReadCommands read = decision::readCommand(run->request, *run->configuration, facts);
    facts.answers = host::answerQuestions(decision::questions(run->request, *run->configuration, facts, read));
    run->decision = decision::decide(run->request, *run->configuration, facts, read);
    beat(run->configuration);
    emitEvents(run->request, run->decision);

    d->runs.emplace(run->request.id, run);
    const record::Event event = execEvent(run->request, run->decision, facts, d->settings.gateway, d->runner, read);
    d->recorder->begin(event, [this, run](const audit::WriteResult &written) {
        if (!written) {
            RunResult result = resultOf(run->request, run->decision, Outcome::NotStarted);
            result.failure = RunResult::Failure::Record;
            result.step = nameOf(written.error().code);
            result.errnoValue = written.error().systemErrno;
            result.path = written.error().path;
            conclude(result);
            return;
        }
        run->row = *written;
        afterRecord(run);
    });
}

void Engine::afterRecord(const RunPtr &run)
{
    Q_EMIT decided(run->request.id, run->decision);
    if (run->decision.verdict != Verdict::Allow) {
        conclude(resultOf(run->request, run->decision, Outcome::NotStarted));
        return;
    }
    if (run->cancelled) {
        endWithout(run, Outcome::Cancelled, RunResult::Failure::None, {}, {});
        return;
    }
    // Which walls can be had is not known, and never is that a reason to do without one.
    if (!run->decision.levelKnown) {
        endWithout(run, Outcome::NotStarted, RunResult::Failure::Confinement, "probe_" + run->facts.unknownStep, {},
                   run->facts.unknownErrno);
        return;
    }
    const plan::PlanFacts facts = host::planFacts(run->request, *run->configuration, d->settings.resourcesDir);
    auto planned = plan::planExec(run->request, run->decision, *run->configuration, run->facts, facts);
    if (!planned) {
        const auto failure = planned.error().code == plan::PlanError::Code::BackendMissing ? RunResult::Failure::Backend
                                                                                           : RunResult::Failure::Plan;
        endWithout(run, Outcome::NotStarted, failure, std::string(codeOf(planned.error().code)), planned.error().path);
        return;
    }
    run->plan = std::move(*planned);
    startGuard(run);
}

void Engine::startGuard(const RunPtr &run)
{
    const auto location = confinement::GuardLocation::at(d->settings.guardPath);
    if (!location) {
        endWithout(run, Outcome::NotStarted, RunResult::Failure::Confinement,
                   std::string(nameOf(location.error().step)), location.error().path);
        return;
    }
    run->guard = std::make_unique<GuardProcess>(*location);
    GuardProcess *guard = run->guard.get();
    const std::string id = run->request.id;
    connect(guard, &GuardProcess::started, this, [this, run] {
        run->startedUs = nowUs();
        Q_EMIT started(run->request.id, run->plan);
    });
    connect(guard, &GuardProcess::output, this, [this, id](confinement::Channel channel, const QByteArray &bytes) {
        Q_EMIT output(id, channel == confinement::Channel::Stdout ? Channel::Out : Channel::Err, bytes);
    });
    connect(guard, &GuardProcess::finished, this, [this, run](const RunOutcome &outcome) { finishRun(run, outcome); });
    guard->start(run->plan, std::move(run->input));
}

void Engine::finishRun(const RunPtr &run, const RunOutcome &outcome)
{
    RunResult result = resultOf(run->request, run->decision, outcome.outcome);
    if (outcome.outcome == Outcome::Exited || outcome.exitCode >= 0)
        result.exitCode = outcome.exitCode;
    if (outcome.signal != 0)
        result.signal = outcome.signal;
    result.notes = noteTexts(outcome.notes);
    const record::Output kept = outputOf(outcome);
    if (run->plan.level != Level::None && result.exitCode.value_or(0) != 0) {
        for (const std::string &path : refusedPaths(run->plan, kept.err))
            result.notes.push_back("probably_confinement:" + path);
    }
    result.truncated = kept.outDropped + kept.errDropped > 0;
    record::Ending ending;
    if (outcome.failure) {
        // A guard that was lost after the start is no failed start: the command has run, how it ended is not known.
        if (outcome.outcome == Outcome::NotStarted)
            result.failure = RunResult::Failure::Confinement;
        result.step = nameOf(outcome.failure->step);
        result.errnoValue = outcome.failure->errorNumber;
        result.path = outcome.failure->path;
        ending.error = result.step + ':' + std::to_string(result.errnoValue) + ':' + result.path;
    }
    ending.outcome = outcome.outcome;
    ending.exitCode = result.exitCode;
    ending.signal = result.signal;
    ending.startedUs = run->startedUs;
    // What it took is measured with a clock that nobody sets back.
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(outcome.duration);
    ending.finishedUs = run->startedUs != 0 ? run->startedUs + took.count() : nowUs();
    ending.note = joined(result.notes);
    ending.outputBytes = static_cast<std::int64_t>(outcome.standardOutput.total() + outcome.standardError.total());
    ending.droppedBytes = kept.outDropped + kept.errDropped;
    complete(run->row, ending, kept, result);
}

void Engine::endWithout(const RunPtr &run, Outcome outcome, RunResult::Failure failure, const std::string &step,
                        const std::string &path, int errorNumber)
{
    RunResult result = resultOf(run->request, run->decision, outcome);
    result.failure = failure;
    result.step = step;
    result.path = path;
    result.errnoValue = errorNumber;
    record::Ending ending;
    ending.outcome = outcome;
    ending.finishedUs = nowUs();
    if (!step.empty())
        ending.error = step + ':' + std::to_string(errorNumber) + ':' + path;
    complete(run->row, ending, {}, result);
}

void Engine::complete(std::int64_t row, const record::Ending &ending, const record::Output &output,
                      const RunResult &result)
{
    d->recorder->finish(row, ending, output, [this, result](const audit::WriteResult &written) {
        RunResult final = result;
        // What ran has run; the record still says `running` and will say `unfinished`. The caller must know.
        if (!written)
            final.notes.push_back("outcome_not_recorded:" + std::string(nameOf(written.error().code)));
        conclude(final);
    });
}

void Engine::conclude(const RunResult &result)
{
    if (const auto it = d->runs.find(result.id); it != d->runs.end()) {
        if (GuardProcess *guard = it->second->guard.release())
            guard->deleteLater();
        d->runs.erase(it);
    }
    Q_EMIT finished(result);
    if (d->shuttingDown && d->runs.empty())
        Q_EMIT drained();
}

void Engine::cancel(const std::string &id)
{
    const auto it = d->runs.find(id);
    if (it == d->runs.end())
        return;
    it->second->cancelled = true;
    if (it->second->guard)
        it->second->guard->cancel();
}

void Engine::shutDown()
{
    d->shuttingDown = true;
    if (d->runs.empty()) {
        Q_EMIT drained();
        return;
    }
    const auto running = d->runs;
    for (const auto &[id, run] : running)
        cancel(id);
}

void Engine::beat(const std::shared_ptr<const policy::Configuration> &configuration)
{
    if (d->beatDigest == configuration->digest())
        return;
    d->beatDigest = configuration->digest();
    d->recorder->heartbeat({.runner = d->runner,
                            .configDigest = configuration->digest(),
                            .engine = PORTCULLIS_VERSION,
                            .role = d->settings.role,
                            .timeUs = nowUs()},
                           configuration->canonicalText());
}

void Engine::emitEvents(const ExecRequest &request, const Decision &decision)
{
    const auto say = [this](const std::string &line) { Q_EMIT securityEvent(QByteArray::fromStdString(line)); };
    if (decision.fsConfinementUnavailable && !d->saidUnavailable) {
        d->saidUnavailable = true;
        const std::string abi = std::to_string(d->settings.facts.landlockAbi);
        const std::array<LogAttribute, 2> attributes{{{"landlock_abi", abi}, {"tenant_id", request.tenant}}};
        say(slogLine(request.timeUs, LogLevel::Warn, "security.exec_fs_confinement_unavailable", attributes));
    }
    for (const std::string &line : securityEvents(request, decision))
        say(line);
}

} // namespace portcullis::service
