// SPDX-License-Identifier: Apache-2.0

// From start to end of `true`: plain, behind Landlock alone, behind both walls, and in bubblewrap, in turns.

#include "tests/bench/bench.h"
#include "tests/support/confined.h"

#include <QProcess>
#include <QStandardPaths>

#include <spawn.h>
#include <sys/wait.h>

using namespace portcullis;
using test::Walls;

namespace {

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
    return bench::wallMicroseconds() - start;
}

/// bubblewrap with the namespaces, mounts and devices of both walls.
std::vector<std::string> bubblewrap(const std::string &program, const plan::ExecPlan &plan)
{
    std::vector<std::string> words{
        program,  "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts", "--die-with-parent",
        "--proc", "/proc",          "--dev",         "/dev",          "--tmpfs",       "/tmp"};
    for (const plan::Grant &grant : plan.grants) {
        const char *how = grant.access == plan::Access::All ? "--bind-try" : "--ro-bind-try";
        words.insert(words.end(), {how, grant.path, grant.path});
    }
    words.insert(words.end(), {"/bin/sh", "-c", "true"});
    return words;
}

} // namespace

int main(int argc, char **argv)
{
    const QCoreApplication app(argc, argv);
    constexpr int rounds = 60;
    const test::Tenancy tenancy;
    const std::string bwrap = QStandardPaths::findExecutable(QStringLiteral("bwrap")).toStdString();
    std::vector<double> plain;
    std::vector<double> landlock;
    std::vector<double> both;
    std::vector<double> wrapped;
    const auto guarded = [&](Walls walls) {
        plan::ExecPlan plan = tenancy.plan(walls, "true");
        plan.argv = {"/bin/sh", "-c", "true"};
        const double start = bench::wallMicroseconds();
        static_cast<void>(test::runPlan(tenancy, plan));
        return bench::wallMicroseconds() - start;
    };
    for (int i = 0; i < rounds; ++i) {
        plain.push_back(spawned({"/bin/sh", "-c", "true"}));
        landlock.push_back(guarded(Walls::LandlockAlone));
        both.push_back(guarded(Walls::Both));
        if (!bwrap.empty())
            wrapped.push_back(spawned(bubblewrap(bwrap, tenancy.plan(Walls::Both, "true"))));
    }
    for (std::vector<double> *taken : {&plain, &landlock, &both, &wrapped})
        std::ranges::sort(*taken);
    const double base = bench::quantile(plain, 0.5);
    std::printf("%7.2f ms plain\n", base / 1000);
    std::printf("%7.2f ms Landlock alone, %.1f × plain (goal: 2.5)\n", bench::quantile(landlock, 0.5) / 1000,
                bench::quantile(landlock, 0.5) / base);
    std::printf("%7.2f ms both walls, %.1f × plain (goal: 5)\n", bench::quantile(both, 0.5) / 1000,
                bench::quantile(both, 0.5) / base);
    if (wrapped.empty())
        std::puts("bubblewrap is not there to compare with");
    else
        std::printf("%7.2f ms bubblewrap; both walls are %.2f of it (goal: 0.6)\n",
                    bench::quantile(wrapped, 0.5) / 1000, bench::quantile(both, 0.5) / bench::quantile(wrapped, 0.5));
    return 0;
}
