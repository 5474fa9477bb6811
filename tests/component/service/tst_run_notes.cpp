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
