// SPDX-License-Identifier: Apache-2.0
#include "ui/text/findings.h"

#include "ui/text/problem_text.h"
#include "ui/text/run_text.h"
#include "ui/text/visible_text.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <map>
#include <set>

namespace portcullis::text {
namespace {

using policy::Configuration;
using ports::Finding;
using ports::FindingCategory;
using ports::Severity;

constexpr int mostPlaces = 5; ///< errors of the configuration that are written out

QString tr(const char *text, int n = -1)
{
    return QCoreApplication::translate("Findings", text, nullptr, n);
}

/// A number with its noun; English needs no translator for it.
QString counted(int n, const char *one, const char *many)
{
    return tr(n == 1 ? one : many, n);
}

QString q(std::string_view text)
{
    return visibleText(text);
}

Finding finding(const char *id, FindingCategory category, Severity severity, const QString &label)
{
    Finding out;
    out.id = id;
    out.category = category;
    out.severity = severity;
    out.label = label.toStdString();
    return out;
}

void say(Finding &finding, const QString &title, const QString &tried, const QString &happened,
         const QString &todo = {})
{
    finding.title = title.toStdString();
    finding.tried = tried.toStdString();
    finding.happened = happened.toStdString();
    finding.todo = todo.toStdString();
}

/// A runner of root has to become the command's user and to end what it started as that user.
bool lacksCapabilities(const decision::HostFacts &host)
{
    const std::string &step = host.viewFailedStep;
    return host.root && (step == "drop_groups" || step == "switch_user" || step == "drop_capabilities");
}

Finding walls(const DoctorFacts &facts)
{
    const decision::HostFacts &host = facts.host;
    const QString tried =
        tr("The kernel was asked for Landlock, and the whole private view was built once in a throw-away "
           "process.");
    Finding out;
    if (!host.isKnown() && !lacksCapabilities(host)) {
        out = finding("walls", FindingCategory::Protects, Severity::Problem, tr("NO TENANT CAN RUN"));
        say(out, tr("What this machine can confine could not be found out, so no tenant's command runs"), tried,
            tr("It ended without an answer at step \"%1\" (errno %2).").arg(q(host.unknownStep)).arg(host.unknownErrno),
            tr("Look for what takes all descriptors, memory, processes or namespaces of this user, or raise its "
               "limits (ulimit -n); then start this again."));
    } else if (host.isKnown() && host.landlockWorks() && host.viewWorks) {
        out = finding("walls", FindingCategory::Protects, Severity::Good,
                      tr("both walls (Landlock %1)").arg(host.landlockAbi));
        say(out, tr("Tenant commands on the host are confined by both walls"), tried,
            tr("Landlock ABI %1 works, and so does the private view.").arg(host.landlockAbi));
    } else if (host.isKnown() && host.landlockWorks()) {
        out = finding("walls", FindingCategory::Protects, Severity::Note,
                      tr("one wall (Landlock %1)").arg(host.landlockAbi));
        say(out, tr("Tenant commands on the host are confined by Landlock alone"), tried,
            tr("The private view failed at step \"%1\" (errno %2). File contents are protected. Not protected are "
               "names "
               "of processes, a command that outlives the death of runner and guard together, and modes, owners and "
               "times of files of the same user: a command can open or close them to others, the gateway's own "
               "included.")
                .arg(q(host.viewFailedStep))
                .arg(host.viewErrno),
            tr("Allow user namespaces for this user, or run where mounts are permitted, to get the second wall. "
               "Without it, several tenants need a different user each, none of them the gateway's."));
    } else if (lacksCapabilities(host)) {
        out = finding("walls", FindingCategory::Protects, Severity::Problem, tr("NOTHING CAN RUN"));
        say(out, tr("The runner is root without the capabilities that it needs, so no command runs"), tried,
            tr("The set-up failed at step \"%1\" (errno %2). No command runs as root, and this root cannot become "
               "another user or cannot end what that user started, as in a container without CAP_SETUID, CAP_SETGID "
               "and CAP_KILL.")
                .arg(q(host.viewFailedStep))
                .arg(host.viewErrno),
            tr("Give the runner these three capabilities, or start it as an ordinary user."));
    } else {
        out = finding("walls", FindingCategory::Protects, Severity::Problem, tr("NOT CONFINED"));
        say(out, tr("Host commands are not confined: Landlock is not available"), tried,
            tr("The kernel answered ABI %1; 3 or more is needed (Linux 6.2). Tenant runs cannot use their tenant "
               "directory, "
               "and what else runs can read what its user can read.")
                .arg(host.landlockAbi),
            tr("Use a kernel with Landlock, or set tenant_host_policy to \"deny\": then no tenant command runs."));
    }
    out.onStrip = true;
    return out;
}

Finding record(const DoctorFacts &facts)
{
    const QString path = q(facts.auditDb);
    const QString name = path.section(QLatin1Char('/'), -1);
    Finding out;
    if (facts.readOnly) {
        out = finding("record", FindingCategory::Records, Severity::Note, tr("read-only"));
        say(out, tr("The record is open for reading only"), tr("%1 was opened for reading.").arg(path),
            tr("Nothing can be run from here."));
    } else if (facts.auditDb.empty()) {
        out = finding("record", FindingCategory::Records, Severity::Problem, tr("NOT RECORDING"));
        say(out, tr("Which record is in use is not known, so nothing runs"),
            tr("The configuration was read to find the record."),
            tr("The configuration cannot be loaded, and no record is named."),
            tr("Mend the configuration, or name the record with --audit-db."));
    } else if (facts.auditError.empty()) {
        out = finding("record", FindingCategory::Records, Severity::Good, tr("recording to %1").arg(name));
        say(out, tr("Commands are recorded"), tr("%1 was opened for writing.").arg(path),
            tr("Every decision is committed there before its command starts.")
                + (facts.auditUnchecked ? QLatin1Char(' ') + tr("It is too large to be checked for damage here.")
                                        : QString()));
    } else {
        const RecordFailureWords words = recordFailureWords({.code = facts.auditError, .path = facts.auditDb});
        out = finding("record", FindingCategory::Records, Severity::Problem, tr("NOT RECORDING"));
        say(out, tr("The record cannot be used, so nothing runs"), tr("%1 was opened for writing.").arg(path),
            asSentence(words.what), asSentence(words.instead));
    }
    out.onStrip = true;
    return out;
}

Finding hostPolicy(const DoctorFacts &facts)
{
    const Configuration &configuration = *facts.configuration;
    const HostPolicy gateway = configuration.effective(policy::masterTenant, "main").hostPolicy.value;
    int differ = 0;
    int unknown = 0;
    bool anyAllow = gateway == HostPolicy::Allow;
    QStringList each;
    for (const std::string &tenant : configuration.tenants()) {
        if (configuration.isBroken(tenant)) {
            ++unknown;
            each << tr("%1: unknown, its policy is broken").arg(q(tenant));
            continue;
        }
        const HostPolicy own = configuration.effective(tenant, "main").hostPolicy.value;
        anyAllow = anyAllow || own == HostPolicy::Allow;
        if (own != gateway) {
            ++differ;
            each << tr("%1: %2").arg(q(tenant), q(nameOf(own)));
        }
    }
    QString label = tr("host policy: %1").arg(q(nameOf(gateway)));
    if (differ > 0)
        label += counted(differ, QT_TRANSLATE_NOOP("Findings", ", %n tenant differs"),
                         QT_TRANSLATE_NOOP("Findings", ", %n tenants differ"));
    if (unknown > 0)
        label += tr(", %n unknown", unknown);
    Finding out =
        finding("host_policy", FindingCategory::Protects, anyAllow ? Severity::Warning : Severity::Good, label);
    QString happened = tr("The gateway says \"%1\".").arg(q(nameOf(gateway)));
    if (!each.isEmpty())
        happened += QLatin1Char(' ') + each.join(QStringLiteral(", ")) + QLatin1Char('.');
    if (anyAllow) {
        happened += QLatin1Char(' ')
            + tr("\"allow\" means that you accept: where confinement is not available, tenant agents can read other "
                 "tenants' files, the gateway token and the environment of processes of the same user.");
    }
    say(out, tr("Whether tenant agents may run on the host"),
        tr("tools.exec.tenant_host_policy, GOCLAW_EXEC_TENANT_HOST_POLICY and the tenant policies were read; the "
           "strictest "
           "wins."),
        happened, anyAllow ? tr("Set \"warn\" or \"deny\" unless this is what you want.") : QString());
    out.onStrip = true;
    return out;
}

Finding sandbox(const DoctorFacts &facts)
{
    const bool up = facts.host.engine == decision::EngineState::Up;
    Finding out =
        finding("sandbox", FindingCategory::Runs, Severity::Note, up ? tr("sandbox ready") : tr("no sandbox"));
    say(out, tr("The Docker sandbox"), tr("What can run commands was looked at."),
        up ? tr("It answers.")
           : tr("This version has no sandbox backend. A command that asks for the sandbox is refused and never runs on "
                "the "
                "host instead."),
        up ? QString() : tr("Run tenant commands on the host with both walls, or set the host policy to \"deny\"."));
    out.onStrip = true;
    return out;
}

/// The specification's advice for gateways with several tenants.
std::optional<Finding> severalTenants(const DoctorFacts &facts)
{
    const Configuration &configuration = *facts.configuration;
    const std::size_t count = configuration.tenants().size();
    const bool allDeny = std::ranges::all_of(configuration.tenants(), [&](const std::string &tenant) {
        return configuration.effective(tenant, "main").hostPolicy.value == HostPolicy::Deny;
    });
    if (count < 2 || (allDeny && facts.host.engine == decision::EngineState::Up))
        return std::nullopt;
    Finding out = finding("several_tenants", FindingCategory::Protects, Severity::Warning,
                          tr("%n tenants share this host", static_cast<int>(count)));
    say(out, tr("Several tenants share this host"), tr("Tenants, sandbox and host policy were looked at."),
        tr("There are %n tenants, and the host policy is not \"deny\" for all of them or there is no sandbox.",
           static_cast<int>(count)),
        tr("See that commands get both walls. Where that is not enough, set tenant_host_policy to \"deny\": tenant "
           "commands are then refused, as this version has no sandbox to run them in."));
    return out;
}

Finding exemptions(const DoctorFacts &facts)
{
    int count = 0;
    std::optional<std::int64_t> next;
    for (const std::string &tenant : facts.configuration->tenants()) {
        for (const policy::Exemption &exemption : facts.configuration->effective(tenant, "main").exemptions) {
            if (exemption.expiresUs && *exemption.expiresUs <= facts.nowUs)
                continue;
            ++count;
            if (exemption.expiresUs && (!next || *exemption.expiresUs < *next))
                next = exemption.expiresUs;
        }
    }
    QString label = count == 0
        ? tr("no exemptions")
        : counted(count, QT_TRANSLATE_NOOP("Findings", "%n exemption"), QT_TRANSLATE_NOOP("Findings", "%n exemptions"));
    if (next) {
        const QDateTime when = QDateTime::fromMSecsSinceEpoch(*next / 1000).toLocalTime();
        label += tr(", next ends %1").arg(when.toString(QStringLiteral("yyyy-MM-dd HH:mm")));
    }
    Finding out = finding("exemptions", FindingCategory::Protects, count == 0 ? Severity::Good : Severity::Note, label);
    say(out, tr("Exemptions in force"), tr("All tenant policies were read."), label,
        count == 0
            ? QString()
            : tr("They stand under \"exemptions\" in the tenants' policy files; portcullis-runner policy exemptions "
                 "lists them, policy exempt --remove ends one."));
    out.onStrip = true;
    return out;
}

void addConfigurationFindings(const DoctorFacts &facts, QList<Finding> &out)
{
    int errors = 0;
    QStringList places;
    for (const policy::Problem &problem : facts.problems) {
        if (problem.severity != policy::Problem::Severity::Error)
            continue;
        if (++errors <= mostPlaces)
            places << problemLine(problem);
    }
    if (errors == 0 && facts.configuration)
        return;
    if (errors > mostPlaces)
        places << tr("… and %n more", errors - mostPlaces);
    Finding broken = finding("configuration", FindingCategory::Runs, Severity::Problem,
                             counted(std::max(errors, 1), QT_TRANSLATE_NOOP("Findings", "%n configuration error"),
                                     QT_TRANSLATE_NOOP("Findings", "%n configuration errors")));
    say(broken, tr("The configuration has errors"),
        tr("The gateway's configuration and all tenant policies were read."),
        places.isEmpty() ? tr("No configuration could be loaded.") : places.join(u'\n'),
        facts.configuration
            ? tr("Tenants with a broken policy run nothing until it is mended. portcullis-runner policy validate shows "
                 "every place.")
            : tr("Nothing runs until it is mended. portcullis-runner policy validate shows every place."));
    broken.onStrip = true;
    out << broken;
}

void addRootFindings(const DoctorFacts &facts, QList<Finding> &out)
{
    if (!facts.runnerIsRoot || facts.rootOwnedWorkspaces.empty())
        return;
    QStringList names;
    for (const std::string &tenant : facts.rootOwnedWorkspaces)
        names << q(tenant);
    Finding rootOwned =
        finding("root_workspace", FindingCategory::Runs, Severity::Warning, tr("workspaces belong to root"));
    say(rootOwned, tr("Workspaces that belong to root"), tr("The owner of each tenant workspace was looked at."),
        tr("No command runs as root, so these tenants' commands cannot write there: %1.")
            .arg(names.join(QStringLiteral(", "))),
        tr("Give the folder to the user that commands shall run as (chown), or name one in portcullis.run_as."));
    out << rootOwned;
}

Finding notCovered()
{
    Finding out =
        finding("coverage", FindingCategory::Runs, Severity::Note, tr("not covered: ACP terminals, Claude CLI Bash"));
    say(out, tr("What goes past this program"),
        tr("The ways in which a gateway can start programs were compared with ours."),
        tr("Commands reach Portcullis only through its own exec. ACP terminals and the Claude CLI's built-in Bash run "
           "outside "
           "of it and are not covered. The gateway's own database is not read."),
        tr("Connect agents by the exec tool, and switch the built-in terminals off where you can."));
    return out;
}

/// Where the configuration was looked for: without a gateway or policies everything else looks well.
void addPlaceFindings(const DoctorFacts &facts, QList<Finding> &out)
{
    const policy::GatewayPaths &paths = facts.configuration->paths();
    Finding gateway = finding("gateway", FindingCategory::Runs, facts.gatewayFound ? Severity::Good : Severity::Warning,
                              facts.gatewayFound ? tr("gateway found") : tr("NO GATEWAY"));
    const QString config = q(paths.configFile);
    if (facts.gatewayFound)
        say(gateway, tr("The gateway's configuration"), tr("%1 was read.").arg(config),
            tr("%1: data in %2, workspaces in %3.").arg(config, q(paths.dataDir), q(paths.workspace)));
    else
        say(gateway, tr("There is no gateway configuration"), tr("%1 was looked for.").arg(config),
            tr("%1 does not exist, so nothing of what follows is about a gateway of yours.").arg(config),
            tr("Name it with --config or GOCLAW_CONFIG."));
    gateway.onStrip = !facts.gatewayFound;
    out << gateway;

    const QString folder = q(paths.policiesDir);
    const auto tenants = static_cast<int>(facts.configuration->tenants().size());
    Finding policies = finding("policies", FindingCategory::Runs, facts.policiesFound ? Severity::Good : Severity::Note,
                               facts.policiesFound ? tr("policies found") : tr("no policies"));
    const QString known = tenants == 0 ? tr("No tenant is known.")
                                       : counted(tenants, QT_TRANSLATE_NOOP("Findings", "%n tenant is known."),
                                                 QT_TRANSLATE_NOOP("Findings", "%n tenants are known."));
    const auto isBroken = [&](const std::string &tenant) { return facts.configuration->isBroken(tenant); };
    const auto broken = static_cast<int>(std::ranges::count_if(facts.configuration->tenants(), isBroken));
    if (broken > 0)
        policies.severity = Severity::Warning;
    const QString state = broken == 0 ? known
                                      : known + u' '
            + counted(broken, QT_TRANSLATE_NOOP("Findings", "%n of them has a policy with errors and runs nothing."),
                      QT_TRANSLATE_NOOP("Findings", "%n of them have a policy with errors and run nothing."));
    if (facts.policiesFound)
        say(policies, tr("Tenant policies"), tr("%1 was read.").arg(folder), folder + QStringLiteral(": ") + state);
    else
        say(policies, tr("There is no policies folder"), tr("%1 was looked for.").arg(folder),
            tr("%1 does not exist, so all tenants have the gateway's rules alone.").arg(folder) + u' ' + known,
            tr("Make the folder, or name another one with --policies or PORTCULLIS_POLICIES."));
    policies.onStrip = !facts.policiesFound;
    out << policies;
}

QString listed(const std::vector<std::string> &names)
{
    QStringList shown;
    for (const std::string &name : names)
        shown << q(name);
    return shown.join(QStringLiteral(", "));
}

/// Folders that every command needs. Where there is no gateway at all, that is said already.
void addMissingFolders(const DoctorFacts &facts, QList<Finding> &out)
{
    if (!facts.gatewayFound || (facts.dataDirFound && facts.workspaceFound))
        return;
    const policy::GatewayPaths &paths = facts.configuration->paths();
    std::vector<std::string> missing;
    if (!facts.dataDirFound)
        missing.push_back(paths.dataDir);
    if (!facts.workspaceFound)
        missing.push_back(paths.workspace);
    Finding folders = finding("folders", FindingCategory::Runs, Severity::Problem, tr("NOTHING CAN RUN"));
    say(folders, tr("Folders of the gateway are missing"), tr("Its data dir and its workspace were looked for."),
        tr("There is no folder %1, so no tenant command runs.").arg(listed(missing)),
        tr("Make it as the user that the gateway runs as, who is to own it: mkdir -p -m 711 %1. The tenants' folders "
           "below are made when they are needed.")
            .arg(listed(missing).replace(QStringLiteral(", "), QStringLiteral(" "))));
    folders.onStrip = true;
    out << folders;
}

/// Who has no policy has what the gateway allows, which may be more than the policy did that was there once.
void addTenantsWithoutPolicy(const DoctorFacts &facts, QList<Finding> &out)
{
    if (!facts.policiesFound || facts.withoutPolicy.empty())
        return;
    const bool lost = !facts.lostPolicies.empty();
    Finding plain =
        finding("without_policy", FindingCategory::Protects, lost ? Severity::Warning : Severity::Note,
                lost ? tr("POLICY LOST: %1").arg(listed(facts.lostPolicies)) : tr("tenants without a policy"));
    QString happened = tr("What the gateway allows holds, and nothing stricter: %1.").arg(listed(facts.withoutPolicy));
    if (lost)
        happened += u'\n'
            + tr("The record keeps revisions of a policy whose file is gone: %1.").arg(listed(facts.lostPolicies));
    say(plain, lost ? tr("Policies that were there are gone") : tr("Tenants without a policy file"),
        tr("The policies folder was read, and the revisions in the record."), happened,
        lost ? tr("Look who removed it. portcullis-runner policy revisions --tenant TENANT lists its texts, and policy "
                  "publish puts one back in force.")
             : QString());
    plain.onStrip = lost;
    out << plain;
}

/// Security event of this start: commands outlived both their runner and their guard.
void addLeftovers(const DoctorFacts &facts, QList<Finding> &out)
{
    if (facts.leftoverRuns <= 0)
        return;
    Finding left = finding("leftovers", FindingCategory::Protects, Severity::Warning,
                           counted(facts.leftoverRuns, QT_TRANSLATE_NOOP("Findings", "%n command outlived a crash"),
                                   QT_TRANSLATE_NOOP("Findings", "%n commands outlived a crash")));
    say(left, tr("Processes of earlier commands were still running"),
        tr("Runs that the record shows as unfinished were looked for among all processes."),
        tr("They were ended when this console started. With Landlock alone, a command can outlive its runner and its "
           "guard when both die at once; it stayed confined."),
        tr("Look at the unfinished rows (filter outcome:unfinished) and at why the program ended."));
    left.onStrip = true;
    out << left;
}

} // namespace

QList<Finding> findings(const DoctorFacts &facts)
{
    QList<Finding> out;
    out << record(facts) << walls(facts) << sandbox(facts);
    addLeftovers(facts, out);
    if (facts.configuration) {
        addPlaceFindings(facts, out);
        addMissingFolders(facts, out);
        addTenantsWithoutPolicy(facts, out);
        out << hostPolicy(facts) << exemptions(facts);
        if (const std::optional<Finding> several = severalTenants(facts))
            out << *several;
    }
    addConfigurationFindings(facts, out);
    addRootFindings(facts, out);
    out << notCovered();
    return out;
}

Severity worstOf(const QList<Finding> &findings)
{
    Severity worst = Severity::Good;
    for (const Finding &each : findings)
        worst = std::max(worst, each.severity);
    return worst;
}

} // namespace portcullis::text
