// SPDX-License-Identifier: Apache-2.0
#include "runner/service/run_notes.h"

#include <QTest>

using namespace portcullis;
using namespace portcullis::service;

namespace {

plan::ExecPlan planWith(const std::string &granted)
{
    plan::ExecPlan plan;
    plan::Grant grant;
    grant.path = granted;
    plan.grants.push_back(grant);
    return plan;
}

using Paths = std::vector<std::string>;

} // namespace

class TstRunNotes : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void paths_outside_the_grants_that_were_refused_are_named()
    {
        const auto plan = planWith("/srv/ws/acme");
        QCOMPARE(refusedPaths(plan, "cat: /etc/shadow: Permission denied\n"), Paths{"/etc/shadow"});
        QCOMPARE(refusedPaths(plan, "open '/a/../b/c': Permission denied"), Paths{"/b/c"});
        QCOMPARE(refusedPaths(plan, "PermissionError: [Errno 13] Permission denied: \"/x y/z\""), Paths{"/x"});
    }

    void a_path_is_seen_from_where_the_command_started()
    {
        plan::ExecPlan plan = planWith("/srv/ws/acme");
        plan.cwd = "/srv/ws/acme";
        QCOMPARE(refusedPaths(plan, "PermissionError: [Errno 13] Permission denied: '../globex/secret.txt'"),
                 Paths{"/srv/ws/globex/secret.txt"});
        QCOMPARE(refusedPaths(plan, "cat: ../../x: Permission denied"), Paths{"/srv/x"});
        QCOMPARE(refusedPaths(plan, "bash: line 1: ./tool: Permission denied"), Paths{});
        QCOMPARE(refusedPaths(plan, "cat: notes/../secret: Permission denied"), Paths{});
        QCOMPARE(refusedPaths(plan, "cat: secret: Permission denied"), Paths{});
    }

    void the_shell_and_the_folders_of_programs_are_not_named()
    {
        plan::ExecPlan plan = planWith("/usr");
        plan.argv = {"/opt/shell/bash", "-c", "x"};
        plan.cwd = "/srv/ws/acme";
        QCOMPARE(refusedPaths(plan, "/opt/shell/bash: line 1: /proc/self/fd/0: Permission denied"),
                 Paths{"/proc/self/fd/0"});
        QCOMPARE(refusedPaths(plan, "/bin/sh: 1: cannot open /etc/shadow: Permission denied"), Paths{"/etc/shadow"});
    }

    void granted_paths_and_other_errors_are_not_named()
    {
        const auto plan = planWith("/srv/ws/acme");
        QCOMPARE(refusedPaths(plan, "cat: /srv/ws/acme/locked: Permission denied\n"), Paths{});
        QCOMPARE(refusedPaths(plan, "cat: /etc/none: No such file or directory\n"), Paths{});
        QCOMPARE(refusedPaths(plan, "a/b: Permission denied\n"), Paths{});
    }

    void a_flood_of_refusals_is_bounded()
    {
        std::string output;
        for (int i = 0; i < 1000; ++i)
            output += "cat: /f" + std::to_string(i) + ": Permission denied\n";
        QCOMPARE(refusedPaths(planWith("/srv"), output).size(), std::size_t{8});
    }
};

QTEST_GUILESS_MAIN(TstRunNotes)
#include "tst_run_notes.moc"
