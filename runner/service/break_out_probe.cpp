// SPDX-License-Identifier: Apache-2.0
#include "runner/service/break_out_probe.h"

#include "runner/config/json5.h"
#include "runner/confinement/guard_process.h"
#include "runner/confinement/probe.h"
#include "runner/decision/decision.h"
#include "runner/host/plan_facts.h"
#include "runner/service/engine.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTimer>

#include <charconv>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::service {
namespace {

constexpr std::uint32_t nobodyId = 65534;
constexpr std::string_view tenant = "probe";

bool makeFolder(const std::string &path, mode_t mode, std::uint32_t owner)
{
    return ::mkdir(path.c_str(), mode) == 0 && ::chmod(path.c_str(), mode) == 0
        && (::geteuid() != 0 || ::chown(path.c_str(), owner, owner) == 0);
}

bool makeFile(const std::string &path)
{
    QFile file(QString::fromStdString(path));
    return file.open(QIODevice::WriteOnly | QIODevice::NewOnly) && file.write("of another tenant\n") > 0;
}

} // namespace

struct BreakOutProbe::Private {
    Settings settings;
    QTemporaryDir folder;
    plan::ExecPlan plan;
    std::string foreign;
    std::unique_ptr<confinement::GuardProcess> guard;
    std::size_t at = 0;

    bool makeGateway();
    std::string makePlan();
    std::vector<std::string> argvOf(const confinement::Attempt &attempt) const;
    AttemptResult judge(const confinement::Attempt &attempt, const confinement::RunOutcome &outcome) const;
};

bool BreakOutProbe::Private::makeGateway()
{
    if (!folder.isValid())
        return false;
    const std::string root = folder.path().toStdString();
    // The folders on the way are passable for the ordinary user that commands run as; the tenants' own are not.
    ::chmod(root.c_str(), 0711);
    for (const char *name : {"/data", "/data/tenants", "/workspace", "/workspace/tenants"}) {
        if (!makeFolder(root + name, 0711, 0))
            return false;
    }
    for (const std::string &name : {std::string(tenant), std::string("other")}) {
        for (const char *base : {"/data/tenants/", "/workspace/tenants/"}) {
            if (!makeFolder(root + base + name, 0700, nobodyId))
                return false;
        }
    }
    foreign = root + "/data/tenants/other/secret.txt";
    if (!makeFile(foreign))
        return false;
    return ::geteuid() != 0 || ::chown(foreign.c_str(), nobodyId, nobodyId) == 0;
}

std::string BreakOutProbe::Private::makePlan()
{
    const std::string root = folder.path().toStdString();
    policy::ConfigurationInput input;
    input.gateway =
        policy::NamedText{root + "/config.json",
                          "{ data_dir: " + config::quoteJson(root + "/data") + ", agents: { defaults: { workspace: "
                              + config::quoteJson(root + "/workspace") + " } } }"};
    input.tenantFolders = {std::string(tenant), "other"};
    input.home = root;
    const auto configuration = policy::Configuration::load(input);
    if (!configuration)
        return "configuration";
    decision::ExecRequest request;
    request.id = newRequestId();
    request.command = "true";
    request.tenant = tenant;
    request.timeUs = nowUs();
    const decision::Decision decision = decision::decide(request, **configuration, settings.facts);
    if (decision.verdict != Verdict::Allow)
        return "decision:" + decision.code;
    const auto planned = plan::planExec(request, decision, **configuration, settings.facts,
                                        host::planFacts(request, **configuration, settings.resourcesDir));
    if (!planned)
        return "plan";
    plan = *planned;
    plan::Grant program;
    program.path = settings.guardPath;
    program.access = plan::Access::ReadExecute;
    plan.grants.push_back(std::move(program));
    plan.timeoutSeconds = 10;
    return {};
}

std::vector<std::string> BreakOutProbe::Private::argvOf(const confinement::Attempt &attempt) const
{
    std::vector<std::string> argv{settings.guardPath, "--attempt", std::string(attempt.name)};
    if (attempt.argument == "foreign")
        argv.push_back(foreign);
    else if (attempt.argument == "pid")
        argv.push_back(std::to_string(::getpid()));
    else if (!attempt.argument.empty())
        argv.emplace_back(attempt.argument);
    return argv;
}

AttemptResult BreakOutProbe::Private::judge(const confinement::Attempt &attempt,
                                            const confinement::RunOutcome &outcome) const
{
    AttemptResult result;
    result.name = attempt.name;
    result.microseconds = std::chrono::duration_cast<std::chrono::microseconds>(outcome.duration).count();
    if (outcome.failure) {
        result.failure = nameOf(outcome.failure->step);
        return result;
    }
    // `NAME refused|succeeded ERRNO`. A command that was killed for trying was refused as well.
    const QList<QByteArray> words = outcome.standardOutput.kept().simplified().split(' ');
    if (words.size() == 3 && words[1] == "refused") {
        result.refused = true;
        result.errnoValue = words[2].toInt();
    } else if (outcome.outcome == Outcome::Signalled) {
        result.refused = true;
    } else if (words.size() == 3 && words[1] == "succeeded") {
        result.documented = attempt.viewOnly && !plan.view;
    } else {
        result.failure = "no_answer";
    }
    return result;
}

BreakOutProbe::BreakOutProbe(Settings settings, QObject *parent) : QObject(parent), d(std::make_unique<Private>())
{
    d->settings = std::move(settings);
}

BreakOutProbe::~BreakOutProbe() = default;

void BreakOutProbe::start()
{
    std::string failure = d->makeGateway() ? d->makePlan() : "temporary_folder";
    if (!failure.empty()) {
        QTimer::singleShot(0, this, [this, failure] { Q_EMIT finished(failure); });
        return;
    }
    QTimer::singleShot(0, this, [this] { next(); });
}

void BreakOutProbe::next()
{
    const auto all = confinement::attempts();
    if (d->at == all.size()) {
        Q_EMIT finished({});
        return;
    }
    const auto location = confinement::GuardLocation::at(d->settings.guardPath);
    if (!location) {
        Q_EMIT finished("guard");
        return;
    }
    const confinement::Attempt &attempt = all[d->at++];
    if (confinement::GuardProcess *before = d->guard.release())
        before->deleteLater();
    d->guard = std::make_unique<confinement::GuardProcess>(*location);
    connect(d->guard.get(), &confinement::GuardProcess::finished, this,
            [this, &attempt](const confinement::RunOutcome &outcome) {
                Q_EMIT attempted(d->judge(attempt, outcome));
                next();
            });
    plan::ExecPlan plan = d->plan;
    plan.argv = d->argvOf(attempt);
    d->guard->start(plan);
}

} // namespace portcullis::service
