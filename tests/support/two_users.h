// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "runner/confinement/guard_process.h"

#include <QCoreApplication>
#include <QTest>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <grp.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace portcullis::test {

/// The ordinary user as whom a whole test runs once more when it is started by root.
inline constexpr uid_t ordinaryUid = 43218;

template <class Test>
int runOnce(int argc, char **argv)
{
    const QCoreApplication application(argc, argv);
    confinement::adoptOrphans();
    Test test;
    return QTest::qExec(&test, argc, argv);
}

/// A folder for the ordinary user outside of the places that a view replaces; becomes its HOME. Empty: none.
inline std::string makeHome()
{
    for (const char *place : {"/srv", "/opt", "/var/lib"}) {
        std::string home = std::string(place) + "/portcullis-test-XXXXXX";
        if (mkdtemp(home.data()) && chown(home.c_str(), ordinaryUid, ordinaryUid) == 0)
            return home;
    }
    return {};
}

/// As the user that we are, and when that is root also as an ordinary user: the walls go up in different ways.
template <class Test>
int runAsTwoUsers(int argc, char **argv)
{
    if (geteuid() != 0)
        return runOnce<Test>(argc, argv);
    const std::string home = makeHome();
    const pid_t child = fork();
    if (child == 0) {
        setenv("HOME", home.c_str(), 1);
        if (setgroups(0, nullptr) != 0 || setgid(ordinaryUid) != 0 || setuid(ordinaryUid) != 0)
            _exit(70);
        std::puts("As an ordinary user:");
        std::fflush(stdout);
        const int result = runOnce<Test>(argc, argv);
        std::fflush(stdout);
        _exit(result);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!home.empty())
        std::filesystem::remove_all(home);
    std::puts("As root:");
    std::fflush(stdout);
    const int asRoot = runOnce<Test>(argc, argv);
    return asRoot != 0 ? asRoot : WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace portcullis::test

#define PORTCULLIS_TWO_USERS_MAIN(Test)                                                                                \
    int main(int argc, char **argv)                                                                                    \
    {                                                                                                                  \
        return ::portcullis::test::runAsTwoUsers<Test>(argc, argv);                                                    \
    }
