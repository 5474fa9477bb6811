// SPDX-License-Identifier: Apache-2.0

// The runner in real containers: what Docker takes away, what is left of the two walls, and that the record knows.

#include "tests/support/container.h"
#include "tests/support/must_work.h"

#include <QTest>

using namespace portcullis::test;
using namespace Qt::Literals::StringLiterals;

namespace {

const QString ordinaryUser = u"43218:43218"_s;
const QString rootsGroup = u"43218"_s; ///< a user without a group gets that of root
const QString unconfined = u"seccomp=unconfined"_s;
// For hosts with AppArmor, whose profile for containers refuses mounts; others ignore it.
const QString noProfile = u"apparmor=unconfined"_s;
const QString testDir = QStringLiteral(QT_TESTCASE_BUILDDIR);

/// A machine without Landlock, as its programs see it; everything else is allowed.
QString withoutLandlock()
{
    return u"seccomp="
           R"({"defaultAction":"SCMP_ACT_ALLOW","syscalls":[{"action":"SCMP_ACT_ERRNO","errnoRet":38,"names":)"
           R"(["landlock_create_ruleset","landlock_add_rule","landlock_restrict_self"]}]})"_s;
}

} // namespace

class TstContainer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { PORTCULLIS_REQUIRE(whyNoContainer().isEmpty(), qPrintable(whyNoContainer())); }

    void a_container_gives_the_level_that_it_allows_and_says_why_not_more_data()
    {
        QTest::addColumn<ContainerOptions>("options");
        QTest::addColumn<QString>("level");
        QTest::addColumn<QString>("failedStep");
        const auto row = [](const char *name, const ContainerOptions &options, const char *level, const char *step) {
            QTest::newRow(name) << options << QString::fromLatin1(level) << QString::fromLatin1(step);
        };
        const ContainerOptions asUser{.user = ordinaryUser};
        row("as Docker starts it, root", {}, "landlock", "unshare");
        row("as Docker starts it, an ordinary user", asUser, "landlock", "unshare");
        row("as Docker starts it, an ordinary user in root's group", {.user = rootsGroup}, "landlock", "unshare");
        row("hardened: read-only, no capability, no new privileges",
            {.user = ordinaryUser,
             .readOnly = true,
             .withoutCapabilities = {u"ALL"_s},
             .securityOptions = {u"no-new-privileges"_s}},
            "landlock", "unshare");
        row("any system call, root", {.securityOptions = {unconfined, noProfile}}, "landlock", "unshare");
        row("any system call, an ordinary user: the container's /proc is covered in part",
            {.user = ordinaryUser, .securityOptions = {unconfined, noProfile}}, "landlock", "mount_proc");
        row("may mount, with Docker's filter", {.capabilities = {u"SYS_ADMIN"_s}, .securityOptions = {noProfile}},
            "landlock", "pivot_root");
        row("may mount, any system call",
            {.capabilities = {u"SYS_ADMIN"_s}, .securityOptions = {unconfined, noProfile}}, "full", "");
        row("privileged, root", {.privileged = true}, "full", "");
        row("privileged, an ordinary user", {.user = ordinaryUser, .privileged = true}, "full", "");
        row("privileged, an ordinary user in root's group", {.user = rootsGroup, .privileged = true}, "full", "");
        row("without Landlock, root", {.securityOptions = {withoutLandlock()}}, "none", "");
        row("without Landlock, an ordinary user", {.user = ordinaryUser, .securityOptions = {withoutLandlock()}},
            "none", "");
    }

    void a_container_gives_the_level_that_it_allows_and_says_why_not_more()
    {
        QFETCH(ContainerOptions, options);
        QFETCH(QString, level);
        QFETCH(QString, failedStep);
        options.environment = {u"PORTCULLIS_EXPECTED_LEVEL="_s + level, u"PORTCULLIS_EXPECTED_STEP="_s + failedStep};
        const Done done = runInContainer(options, {testDir + u"/docker/inside_container"_s});
        QVERIFY2(done.exitCode == 0 && done.out.contains(" 0 failed, 0 skipped"), (done.out + done.err).constData());
    }

    void root_without_capabilities_is_told_which_it_needs_data()
    {
        QTest::addColumn<QStringList>("capabilities");
        QTest::addColumn<bool>("works");
        QTest::newRow("none") << QStringList() << false;
        QTest::newRow("nothing to end others with") << QStringList{u"SETUID"_s, u"SETGID"_s} << false;
        QTest::newRow("what it needs") << QStringList{u"SETUID"_s, u"SETGID"_s, u"KILL"_s} << true;
    }

    void root_without_capabilities_is_told_which_it_needs()
    {
        QFETCH(QStringList, capabilities);
        QFETCH(bool, works);
        const QString runner = QStringLiteral(TEST_BIN_DIR "/portcullis-runner");
        const Done done =
            runInContainer({.capabilities = capabilities, .withoutCapabilities = {u"ALL"_s}}, {runner, u"doctor"_s});
        QVERIFY2(done.exitCode == (works ? 0 : 1), (done.out + done.err).constData());
        QVERIFY2(done.out.contains("CAP_SETUID, CAP_SETGID and CAP_KILL") != works, done.out.constData());
        QVERIFY2(done.out.contains("confined by Landlock alone") == works, done.out.constData());
        QVERIFY2(!done.out.contains("kernel answered"), done.out.constData());
    }

    void the_runner_may_be_the_first_process_of_a_container_data()
    {
        QTest::addColumn<QString>("user");
        QTest::newRow("root") << QString();
        QTest::newRow("an ordinary user") << ordinaryUser;
    }

    void the_runner_may_be_the_first_process_of_a_container()
    {
        QFETCH(QString, user);
        const QString runner = QStringLiteral(TEST_BIN_DIR "/portcullis-runner");
        const Done done = runAsFirstProcess(
            {.user = user}, {runner, u"doctor"_s, u"--probe"_s, u"--json"_s, u"--audit-db"_s, u"/tmp/audit.db"_s});
        QVERIFY2(done.exitCode == 0 && done.out.count("\"good\":true") == 20, (done.out + done.err).constData());
    }
};

QTEST_GUILESS_MAIN(TstContainer)
#include "tst_container.moc"
