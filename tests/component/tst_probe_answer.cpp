// SPDX-License-Identifier: Apache-2.0
#include "runner/host/host_facts.h"

#include <QTest>

#include <cerrno>

using namespace portcullis;
using namespace portcullis::confinement;
using wire::Step;

class TstProbeAnswer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void only_a_refusal_that_stays_is_an_answer_data()
    {
        QTest::addColumn<int>("step");
        QTest::addColumn<int>("error");
        QTest::addColumn<bool>("off");
        QTest::addColumn<int>("answer");
        const auto row = [](const char *name, Step step, int error, ProbeAnswer answer, bool off = false) {
            QTest::newRow(name) << static_cast<int>(step) << error << off << static_cast<int>(answer);
        };
        using enum ProbeAnswer;
        row("namespaces not permitted", Step::Unshare, EPERM, Refused);
        row("no such call", Step::Unshare, ENOSYS, Refused);
        row("a mount not permitted", Step::MountProc, EACCES, Refused);
        row("a kind of namespace that is not built in", Step::Unshare, EINVAL, Refused);
        row("namespaces switched off", Step::Unshare, ENOSPC, Refused, true);
        row("namespaces used up", Step::Unshare, ENOSPC, Unknown);
        row("a full disk is not namespaces switched off", Step::MountRoot, ENOSPC, Unknown, true);
        row("no memory", Step::Unshare, ENOMEM, Unknown);
        row("no process", Step::ForkInit, EAGAIN, Unknown);
        row("no descriptor", Step::ReopenGrant, EMFILE, Unknown);
        row("no file of the machine", Step::ReopenGrant, ENFILE, Unknown);
        row("descriptors in flight", Step::SendPlan, ETOOMANYREFS, Unknown);
        row("the guard was killed", Step::GuardLost, EINTR, Unknown);
        row("the guard is not the guard", Step::GuardLost, EPERM, Unknown);
        row("the guard is not there", Step::FindGuard, ENOENT, Unknown);
        row("an error that nobody thought of", Step::PivotRoot, EIO, Unknown);
    }
    void only_a_refusal_that_stays_is_an_answer()
    {
        QFETCH(int, step);
        QFETCH(int, error);
        QFETCH(bool, off);
        QFETCH(int, answer);
        const StartFailure failure{static_cast<Step>(step), error, {}};
        QCOMPARE(static_cast<int>(answerOf(false, failure, off)), answer);
        QVERIFY(answerOf(true, {}, off) == ProbeAnswer::Works);
        QVERIFY(answerOf(false, {}, off) == ProbeAnswer::Unknown);
    }

    void only_the_kernel_says_that_there_is_no_landlock()
    {
        for (const int error : {ENOSYS, EOPNOTSUPP}) {
            const auto facts = host::hostFacts({.landlock = {.abi = 0, .errorNumber = error}});
            QVERIFY(facts.isKnown() && !facts.landlockWorks());
        }
        for (const int error : {0, EMFILE, ENOMEM, EPERM})
            QVERIFY(!host::hostFacts({.landlock = {.abi = 0, .errorNumber = error}}).isKnown());
    }

    void a_wall_that_was_not_tried_to_the_end_is_not_known()
    {
        using enum ProbeAnswer;
        const LandlockAbi seven{.abi = 7};
        QVERIFY(host::hostFacts({.landlock = seven, .alone = Works, .view = Works}).isKnown());
        QVERIFY(host::hostFacts({.landlock = seven, .alone = Works, .view = Refused}).isKnown());
        QVERIFY(!host::hostFacts({.landlock = seven, .alone = Works, .view = Unknown}).isKnown());
        QVERIFY(!host::hostFacts({.landlock = seven, .alone = Unknown, .view = Works}).isKnown());
        QVERIFY(!host::hostFacts({.landlock = seven, .alone = Refused, .view = Refused}).isKnown());
        QVERIFY(host::hostFacts({.landlock = seven, .alone = Unknown}).landlockWorks()); // never "there is none"
    }
};

QTEST_GUILESS_MAIN(TstProbeAnswer)
#include "tst_probe_answer.moc"
