// SPDX-License-Identifier: Apache-2.0
#pragma once

// Runs commands through the built guard, from a data dir with two tenants; header only, for targets that link `runner`.

#include "runner/confinement/guard_process.h"
#include "runner/confinement/landlock_abi.h"
#include "runner/plan/exec_plan.h"

#include <QCoreApplication>
#include <QDir>
#include <QEventLoop>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>

#include <algorithm>
#include <csignal>
#include <functional>
#include <sys/stat.h>
#include <unistd.h>

namespace portcullis::test {

/// The two ways in which a tenant's command is confined, and none.
enum class Walls { Both, LandlockAlone, None };

/// Rows of a test that runs with each wall that confines, in a column `walls`.
inline void addBothWalls()
{
    QTest::addColumn<Walls>("walls");
    QTest::newRow("both walls") << Walls::Both;
    QTest::newRow("Landlock alone") << Walls::LandlockAlone;
}

/// … and with none as well.
inline void addWalls()
{
    addBothWalls();
    QTest::newRow("no wall") << Walls::None;
}

/// As whom commands run when the test is root.
inline constexpr std::uint32_t tenantUid = 43217;

/// How long a test waits for what will certainly come, on the busiest machine.
inline constexpr int patience = 60'000;

inline std::string text(const QString &value)
{
    return QFile::encodeName(value).toStdString();
}

/// A gateway's folders: data dir D with the tenants acme (ours) and globex, their workspaces, a database, a config.
class Tenancy
{
public:
    explicit Tenancy(const QString &place = QDir::tempPath()) : m_dir(place + QStringLiteral("/portcullis-XXXXXX"))
    {
        ::chmod(text(m_dir.path()).c_str(), 0711);
        for (const char *folder : {"data", "data/tenants", "workspace", "workspace/tenants"})
            folderAt(QString::fromLatin1(folder), 0711);
        for (const char *folder : {"data/tenants/acme", "data/tenants/globex", "workspace/tenants/acme",
                                   "workspace/tenants/globex", "workspace/main"})
            own(folderAt(QString::fromLatin1(folder), 0755));
        for (const char *file : {"data/tenants/globex/secret.txt", "data/goclaw.db", "workspace/main/notes.txt",
                                 "data/tenants/acme/own.txt", "config.json"})
            own(fileAt(QString::fromLatin1(file), "secret of " + QByteArray(file)));
        QFile::copy(QStringLiteral(TEST_BIN_DIR "/portcullis-guard"), path("portcullis-guard"));
        ::chmod(text(path("portcullis-guard")).c_str(), 0755);
    }

    QString path(const char *below) const { return m_dir.filePath(QString::fromLatin1(below)); }
    QString tenantDir() const { return path("data/tenants/acme"); }
    QString workspace() const { return path("workspace/tenants/acme"); }
    QString foreignFile() const { return path("data/tenants/globex/secret.txt"); }

    QString folderAt(const QString &below, mode_t mode) const
    {
        const QString where = m_dir.filePath(below);
        QDir().mkpath(where);
        ::chmod(text(where).c_str(), mode);
        return where;
    }
    QString fileAt(const QString &below, const QByteArray &bytes) const
    {
        const QString where = m_dir.filePath(below);
        QFile file(where);
        if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size())
            qFatal("cannot write %s", qPrintable(where));
        file.close();
        ::chmod(text(where).c_str(), 0644);
        return where;
    }
    /// Everything of tenants belongs to the user of the run: the walls must hold without help of ownership.
    static void own(const QString &where)
    {
        if (::geteuid() == 0 && ::chown(text(where).c_str(), tenantUid, tenantUid) != 0)
            qFatal("chown");
    }

    confinement::GuardLocation guard() const
    {
        const auto found = confinement::GuardLocation::at(text(path("portcullis-guard")));
        if (!found)
            qFatal("no guard");
        return *found;
    }

    plan::ExecPlan plan(Walls walls, const QByteArray &command) const
    {
        plan::ExecPlan plan;
        plan.id = QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString();
        plan.argv = {"/bin/bash", "--noprofile", "--norc", "-c", command.toStdString()};
        plan.shell = "bash";
        plan.cwd = text(workspace());
        plan.uid = ::geteuid() == 0 ? tenantUid : ::geteuid();
        plan.gid = ::geteuid() == 0 ? tenantUid : ::getegid();
        plan.switchUser = ::geteuid() == 0;
        plan.view = walls == Walls::Both;
        plan.landlock = walls != Walls::None;
        plan.level = walls == Walls::Both ? Level::Full : walls == Walls::LandlockAlone ? Level::Landlock : Level::None;
        plan.landlockAbi = std::min(confinement::landlockAbi().abi, confinement::newestKnownAbi);
        plan.environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                            {"HOME", plan.cwd},
                            {"LANG", "C.UTF-8"},
                            {"TMPDIR", walls == Walls::Both ? "/tmp" : plan.cwd},
                            {"T", text(tenantDir())},
                            {"W", plan.cwd},
                            {"D", text(path("data"))},
                            {"FOREIGN", text(foreignFile())},
                            {"MAIN", text(path("workspace/main"))},
                            {"CONFIG", text(path("config.json"))}};
        addGrants(plan);
        return plan;
    }

private:
    void addGrants(plan::ExecPlan &plan) const
    {
        using plan::Access;
        using plan::Owner;
        const auto tenant = [&](const QString &where, const char *root) {
            plan.grants.push_back({.path = text(where),
                                   .root = text(path(root)),
                                   .access = Access::All,
                                   .owner = Owner::Tenant,
                                   .optional = false,
                                   .create = true});
        };
        tenant(tenantDir(), "data");
        tenant(workspace(), "workspace");
        for (const char *folder : {"/usr", "/bin", "/sbin", "/lib", "/lib64"})
            plan.grants.push_back({.path = folder, .access = Access::ReadExecute});
        for (const char *entry :
             {"/etc/passwd", "/etc/group", "/etc/hosts", "/etc/ld.so.cache", "/etc/ssl", "/etc/alternatives",
              "/etc/gitconfig", "/etc/localtime", "/etc/os-release", "/sys/devices/system/cpu"})
            plan.grants.push_back({.path = entry, .access = Access::Read});
        plan.privateTmp = text(path("data/.portcullis/tmp/acme"));
        plan.privateTmpRoot = text(path("data"));
        plan.dataDir = plan.privateTmpRoot;
    }

    QTemporaryDir m_dir;
};

/// Waits for the end of a run; tests have nothing better to do.
inline confinement::RunOutcome runPlan(const Tenancy &tenancy, const plan::ExecPlan &plan,
                                       const std::function<void(confinement::GuardProcess &)> &onStarted = {})
{
    confinement::GuardProcess process(tenancy.guard());
    confinement::RunOutcome result;
    QEventLoop loop;
    QObject::connect(&process, &confinement::GuardProcess::finished, &loop, [&](const auto &outcome) {
        result = outcome;
        loop.quit();
    });
    QObject::connect(&process, &confinement::GuardProcess::started, &loop, [&] {
        if (onStarted)
            onStarted(process);
    });
    process.start(plan);
    loop.exec();
    return result;
}

inline QByteArray out(const confinement::RunOutcome &outcome)
{
    return outcome.standardOutput.kept();
}

inline QByteArray err(const confinement::RunOutcome &outcome)
{
    return outcome.standardError.kept();
}

inline bool has(const confinement::RunOutcome &outcome, confinement::RunNote::Kind kind)
{
    return std::ranges::any_of(outcome.notes, [&](const auto &note) { return note.kind == kind; });
}

/// Whether the guard has killed the run as a whole, for this.
inline bool isKilledFor(const confinement::RunOutcome &outcome, confinement::RunNote::Kind kind)
{
    return outcome.outcome == Outcome::Signalled && outcome.signal == SIGKILL && has(outcome, kind);
}

inline QByteArray contents(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray("cannot be read");
}

/// One line that says everything, for messages of failing tests.
inline QByteArray describe(const confinement::RunOutcome &outcome)
{
    QByteArray words = QByteArray(nameOf(outcome.outcome).data()) + " exit " + QByteArray::number(outcome.exitCode)
        + " signal " + QByteArray::number(outcome.signal);
    if (outcome.failure)
        words += " step " + QByteArray(nameOf(outcome.failure->step).data()) + ": "
            + strerror(outcome.failure->errorNumber) + " " + QByteArray::fromStdString(outcome.failure->path);
    return words + "\nout: " + out(outcome) + "\nerr: " + err(outcome);
}

} // namespace portcullis::test
