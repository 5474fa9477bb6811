// SPDX-License-Identifier: Apache-2.0

// From start to end of `true`: plain, behind Landlock alone, behind both walls, and in bubblewrap with the mounts and
// namespaces of both walls, in turns; also beside 1,000 tenants, and among 400 mounts of the host.

#include "runner/confinement/paths.h"
#include "tests/bench/bench.h"
#include "tests/support/confined.h"

#include <QProcess>
#include <QStandardPaths>
#include <QThread>

#include <sched.h>
#include <spawn.h>
#include <sys/mount.h>
#include <sys/wait.h>

using namespace portcullis;
using test::Walls;

namespace {

constexpr int rounds = 80;

double spawned(const std::vector<std::string> &words)
{
    std::vector<char *> argv;
    for (const std::string &word : words)
        argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    const double start = bench::wallMicroseconds();
    pid_t child = 0;
    if (::posix_spawn(&child, argv[0], nullptr, nullptr, argv.data(), environ) != 0)
        return 0;
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? bench::wallMicroseconds() - start : 0;
}

/// bubblewrap with the namespaces, mounts and devices of both walls: folders that lie in another grant are links there.
std::vector<std::string> bubblewrap(const std::string &program, const plan::ExecPlan &plan)
{
    std::vector<std::string> words{program};
    if (::geteuid() != 0)
        words.emplace_back("--unshare-user");
    words.insert(words.end(),
                 {"--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent", "--proc", "/proc", "--dev",
                  "/dev", "--bind", plan.privateTmp, "/tmp", "--bind", plan.privateTmp, "/var/tmp"});
    std::vector<std::string> bound;
    for (const plan::Grant &grant : plan.grants) {
        const auto opened = confinement::openFollowing(grant.path, wire::Step::OpenGrant);
        if (!opened)
            continue;
        const bool covered = std::ranges::any_of(
            bound, [&](const std::string &outer) { return confinement::below(opened->canonical, outer).has_value(); });
        if (covered && opened->canonical != grant.path)
            words.insert(words.end(), {"--symlink", opened->canonical.substr(1), grant.path});
        if (covered)
            continue;
        bound.push_back(opened->canonical);
        const char *how = grant.access == plan::Access::All ? "--bind" : "--ro-bind";
        words.insert(words.end(), {how, opened->canonical, opened->canonical});
    }
    words.insert(words.end(), {"/bin/sh", "-c", "true"});
    return words;
}

struct Times {
    std::vector<double> plain;
    std::vector<double> landlock;
    std::vector<double> both;
    std::vector<double> wrapped;
};

double guarded(const test::Tenancy &tenancy, Walls walls)
{
    plan::ExecPlan plan = tenancy.plan(walls, "true");
    plan.argv = {"/bin/sh", "-c", "true"};
    const double start = bench::wallMicroseconds();
    const confinement::RunOutcome outcome = test::runPlan(tenancy, plan);
    const double taken = bench::wallMicroseconds() - start;
    if (outcome.outcome != Outcome::Exited || outcome.exitCode != 0)
        qFatal("%s", test::describe(outcome).constData());
    return taken;
}

/// Folders that have just changed are listed anew by each run (closed_names.h); those of a gateway have not.
void letSettle()
{
    QThread::sleep(3);
}

Times inTurns(const test::Tenancy &tenancy)
{
    letSettle();
    const std::string bwrap = QStandardPaths::findExecutable(QStringLiteral("bwrap")).toStdString();
    Times times;
    guarded(tenancy, Walls::Both); // makes what the tenant lacks
    const std::vector<std::string> wrapped = bubblewrap(bwrap, tenancy.plan(Walls::Both, "true"));
    for (int i = 0; i < rounds; ++i) {
        times.plain.push_back(spawned({"/bin/sh", "-c", "true"}));
        times.landlock.push_back(guarded(tenancy, Walls::LandlockAlone));
        times.both.push_back(guarded(tenancy, Walls::Both));
        if (!bwrap.empty())
            times.wrapped.push_back(spawned(wrapped));
    }
    return times;
}

/// What the machine can do between two interruptions, for a look at a busy one.
void printBest(const Times &times)
{
    for (const auto &[name, values] : {std::pair{"plain", &times.plain}, std::pair{"Landlock", &times.landlock},
                                       std::pair{"both walls", &times.both}, std::pair{"bubblewrap", &times.wrapped}}) {
        if (!values->empty())
            std::printf("%s %.2f ms at best  ", name, std::ranges::min(*values) / 1000);
    }
    std::puts("");
}

void report(const Times &times, const std::string &where)
{
    printBest(times);
    const double plain = bench::median(times.plain) / 1000;
    const double landlock = bench::median(times.landlock) / 1000;
    const double both = bench::median(times.both) / 1000;
    bench::row("`true`, Landlock alone" + where, {landlock, "ms"}, bench::Peer{"plain", plain},
               bench::ratioAtMost(2.5));
    bench::row("`true`, both walls" + where, {both, "ms"}, bench::Peer{"plain", plain}, bench::ratioAtMost(5));
    if (times.wrapped.empty() || bench::median(times.wrapped) <= 0)
        return;
    bench::row("`true`, both walls" + where, {both, "ms"},
               bench::Peer{"bubblewrap", bench::median(times.wrapped) / 1000}, bench::ratioAtMost(0.6));
}

/// Not below /tmp, which is the command's own in the view: names beside a tenant there cannot be prepared.
QString place()
{
    return ::geteuid() == 0 ? QStringLiteral("/var/lib") : QDir::homePath();
}

void addTenants(const test::Tenancy &tenancy)
{
    for (int i = 0; i < 1000; ++i) {
        for (const char *place : {"data/tenants/t%1", "workspace/tenants/t%1"})
            test::Tenancy::own(tenancy.folderAt(QString::fromLatin1(place).arg(i), 0755));
    }
}

/// In a mount namespace of this process alone; false where it may not have one.
bool addMounts(const test::Tenancy &tenancy)
{
    if (::unshare(CLONE_NEWNS) != 0 || ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0)
        return false;
    for (int i = 0; i < 400; ++i) {
        const QString where = tenancy.folderAt(QStringLiteral("mounts/m%1").arg(i), 0755);
        if (::mount("bench", test::text(where).c_str(), "tmpfs", 0, "size=64k") != 0)
            return false;
    }
    return true;
}

void removeMounts(const test::Tenancy &tenancy)
{
    for (int i = 0; i < 400; ++i)
        ::umount2(test::text(tenancy.path("mounts") + QStringLiteral("/m%1").arg(i)).c_str(), MNT_DETACH);
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    {
        const test::Tenancy tenancy(place());
        report(inTurns(tenancy), "");
        addTenants(tenancy);
        report(inTurns(tenancy), ", 1,000 tenants");
    }
    const test::Tenancy tenancy(place());
    if (addMounts(tenancy))
        report(inTurns(tenancy), ", 400 host mounts");
    removeMounts(tenancy);
    return 0;
}
