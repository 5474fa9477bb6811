// SPDX-License-Identifier: Apache-2.0

// What tests of the kinds confinement and system show for Landlock alone, once more in a container as Docker starts it:
// no namespaces, few capabilities, Docker's filter below ours.

#include "tests/support/container.h"
#include "tests/support/must_work.h"

#include <QProcess>
#include <QTest>

using namespace portcullis::test;
using namespace Qt::Literals::StringLiterals;

namespace {

const QString ordinaryUser = u"43218:43218"_s;
const QString namedUser = u"65534:65534"_s; // ssh-keygen runs for nobody whose name it does not find
const QString testDir = QStringLiteral(QT_TESTCASE_BUILDDIR);

/// Rows of a test program, as they are named on its command line.
QStringList rowsOf(const QString &program, const QString &prefix)
{
    QProcess process;
    process.start(program, {u"-datatags"_s});
    process.waitForFinished();
    QStringList rows;
    for (const QString &line : QString::fromUtf8(process.readAllStandardOutput()).split(u'\n')) {
        const QString function = line.section(u' ', 1, 1); // CLASS FUNCTION ROW
        const QString row = line.section(u' ', 2);
        if (row.startsWith(prefix))
            rows.append(function + u':' + row);
    }
    rows.removeDuplicates(); // a program that runs as two users lists them twice
    return rows;
}

} // namespace

class TstContainerSuites : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { PORTCULLIS_REQUIRE(whyNoContainer().isEmpty(), qPrintable(whyNoContainer())); }

    void what_landlock_alone_holds_it_holds_in_a_container_data()
    {
        QTest::addColumn<QString>("program");
        QTest::addColumn<QString>("user");
        QTest::addColumn<QStringList>("functions");
        // Those of kind confinement, started by root, run as an ordinary user as well.
        for (const char *name : {"tst_break_outs", "tst_walls", "tst_lifetime"})
            QTest::addRow("%s", name) << u"/confinement/confinement_"_s + QLatin1StringView(name) << QString()
                                      << QStringList();
        // As root it looks into neighbours of another uid, for which a container's root has no capability.
        QTest::newRow("tst_neighbours") << u"/confinement/confinement_tst_neighbours"_s << ordinaryUser
                                        << QStringList();
        const QStringList functions{
            u"the_runners_own_process_cannot_be_looked_into"_s, u"a_new_session_is_gone_after_the_time_limit"_s,
            u"no_command_has_uid_0_or_a_capability"_s, u"a_runner_inside_a_confined_command_fails_closed"_s};
        for (const QString &user : {QString(), namedUser})
            QTest::addRow("tst_tools, %s", user.isEmpty() ? "root" : "nobody")
                << u"/system/system_tst_tools"_s << user << QStringList();
        for (const QString &user : {QString(), ordinaryUser}) {
            const char *who = user.isEmpty() ? "root" : "an ordinary user";
            QTest::addRow("tst_exec, %s", who) << u"/system/system_tst_exec"_s << user << functions;
        }
    }

    void what_landlock_alone_holds_it_holds_in_a_container()
    {
        QFETCH(QString, program);
        QFETCH(QString, user);
        QFETCH(QStringList, functions);
        const QStringList rows = functions.isEmpty() ? rowsOf(testDir + program, u"Landlock alone"_s) : functions;
        QVERIFY(rows.size() > 1);
        const Done done = runInContainer({.user = user}, QStringList(testDir + program) + rows);
        QVERIFY2(done.exitCode == 0 && !done.out.contains("\nFAIL!"), (done.out + done.err).constData());
        QVERIFY2(done.out.count("\nPASS") > rows.size(), done.out.constData()); // and initTestCase, cleanupTestCase
    }
};

QTEST_GUILESS_MAIN(TstContainerSuites)
#include "tst_container_suites.moc"
