// SPDX-License-Identifier: Apache-2.0

// What a gateway's host may expect of the runner inside of a container. Run by docker/tst_container, which says in the
// environment what level this container allows, and which step of the private view it refuses.

#include "tests/support/look.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QRegularExpression>
#include <QTest>

using namespace portcullis::test;

namespace {

QString expected(const char *name)
{
    return qEnvironmentVariable(name);
}

bool confined()
{
    return expected("PORTCULLIS_EXPECTED_LEVEL") != u"none"_s;
}

} // namespace

class InsideContainer : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_doctor_names_the_level_and_the_step_that_failed()
    {
        const Gateway gateway;
        const Done done = gateway.runner({u"doctor"_s, u"--probe"_s, u"--json"_s});
        const QJsonObject report = QJsonDocument::fromJson(done.out).object();
        QString severity;
        QString happened;
        for (const QJsonValue &value : report.value(u"findings").toArray()) {
            const QJsonObject finding = value.toObject();
            if (finding.value(u"id") != u"walls"_s)
                continue;
            severity = finding.value(u"severity").toString();
            happened = finding.value(u"happened").toString();
        }
        const bool full = expected("PORTCULLIS_EXPECTED_LEVEL") == u"full"_s;
        QCOMPARE(severity, full ? u"good"_s : confined() ? u"note"_s : u"problem"_s);
        const QRegularExpression step(u"step \"([a-z_]+)\""_s);
        if (confined()) // without Landlock the view is not what matters
            QVERIFY2(step.match(happened).captured(1) == expected("PORTCULLIS_EXPECTED_STEP"), qPrintable(happened));
        QCOMPARE(done.exitCode, confined() ? 0 : 1);
        breakOutsAreRefused(report.value(u"attempts").toArray(), full);
    }

    void a_run_records_the_level_and_says_when_there_is_none()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == 0 && done.out == "ran\n", (done.out + done.err).constData());
        QCOMPARE(done.err.count("msg=security.exec_fs_confinement_unavailable landlock_abi=0 tenant_id=acme\n"),
                 confined() ? 0 : 1);
        const QByteArray log = gateway.runner({u"log"_s, u"--json"_s}).out;
        const QByteArray level = "\"level\":\"" + expected("PORTCULLIS_EXPECTED_LEVEL").toUtf8() + '"';
        QVERIFY2(log.contains(level), log.constData());
    }

    void everyday_work_succeeds()
    {
        const Gateway gateway;
        const Done done = gateway.exec(u"git init -q . && git add secret.txt "
                                       "&& git -c user.name=a -c user.email=a@b commit -q -m first "
                                       "&& git log --format=%s && python3 -c 'print(6 * 7)' && mktemp >/dev/null "
                                       "&& seq 3 | sort -r | head -n 1"_s);
        QVERIFY2(done.exitCode == 0 && done.out == "first\n42\n3\n", (done.out + done.err).constData());
    }

    void what_is_not_granted_cannot_be_reached()
    {
        const Gateway gateway;
        QCOMPARE(gateway.exec(u"true"_s, {}, u"globex"_s).exitCode, 0); // its temporary folder exists now
        QVERIFY(writeFile(gateway.root() + u"/environment"_s, "TOKEN=secret\n", 0644));
        const QByteArrayList closed{bytes(gateway.tenantDir(u"globex"_s) + u"/secret.txt"_s),
                                    bytes(gateway.tenantWorkspace(u"globex"_s) + u"/secret.txt"_s),
                                    bytes(gateway.data() + u"/goclaw.db"_s),
                                    bytes(gateway.workspace() + u"/main.txt"_s),
                                    bytes(gateway.root() + u"/config.json"_s),
                                    bytes(gateway.root() + u"/environment"_s),
                                    bytes(gateway.root() + u"/policies/globex.json"_s),
                                    bytes(gateway.auditDb()),
                                    "/etc/shadow",
                                    bytes(gateway.data() + u"/tenants/"_s),
                                    bytes(gateway.tenantDir(u"globex"_s) + u'/'),
                                    bytes(gateway.data() + u"/.portcullis/tmp/globex/"_s),
                                    "/",
                                    "/root/"};
        if (!confined()) { // then the same attempt works
            const QByteArray open = lookAt(gateway, {bytes(gateway.workspace() + u"/main.txt"_s)}).out;
            QVERIFY2(open.startsWith("read main workspace\n"), open.constData());
            return;
        }
        const QByteArrayList lines = lookAt(gateway, closed).out.trimmed().split('\n');
        QCOMPARE(lines.size(), 2 * closed.size());
        for (qsizetype i = 0; i < lines.size(); ++i) {
            // In the view nothing can be made where everything is read-only.
            const bool refused = lines[i].endsWith(" errno 13") || lines[i] == "create errno 30";
            QVERIFY2(refused, (lines[i] + ": " + closed[i / 2]).constData());
        }
    }

    /// Such a program would give the group of the command to whoever starts it, for good. In the view there is only a
    /// group of its own, and a shared folder may need the bit.
    void no_program_of_roots_group_is_left_behind()
    {
        const Gateway gateway;
        gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', deny_groups: { dangerous_paths: false } }");
        (void)gateway.exec(u"cp /usr/bin/true mine; chmod 2755 mine; mkdir -m 2755 folder; mkdir -p folder"_s);
        const bool allowed =
            expected("PORTCULLIS_EXPECTED_LEVEL") == u"full"_s && (::geteuid() == 0 || ::getegid() != 0);
        for (const char *name : {"/mine", "/folder"}) {
            struct stat about{};
            const QString path = gateway.tenantWorkspace(u"acme"_s) + QString::fromLatin1(name);
            QVERIFY2(::stat(QFile::encodeName(path).constData(), &about) == 0, name);
            QVERIFY2(((about.st_mode & S_ISGID) != 0) == allowed, name);
        }
    }

    void its_own_tenant_directory_is_there_where_landlock_is()
    {
        const Gateway gateway;
        const QByteArray own = bytes(gateway.tenantDir(u"acme"_s) + u"/secret.txt"_s);
        if (confined()) {
            const QByteArray lines = lookAt(gateway, {own}).out;
            QVERIFY2(lines == "read secret of acme\nwrite done\n", lines.constData());
            return;
        }
        const Done named = gateway.exec(u"cat "_s + QString::fromUtf8(own));
        QVERIFY2(named.exitCode == 77 && named.out.isEmpty(), (named.out + named.err).constData());
        gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', deny_groups: { env_dump: false } }");
        const Done environment = gateway.exec(u"env"_s);
        QVERIFY2(environment.exitCode == 0 && environment.out.contains("HOME="), environment.err.constData());
        QVERIFY(!environment.out.contains(bytes(gateway.tenantDir(u"acme"_s))));
    }

    void the_host_policy_decides_data()
    {
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("exitCode");
        QTest::addColumn<bool>("wouldDeny");
        QTest::newRow("deny refuses") << u"deny"_s << 77 << false;
        QTest::newRow("warn runs and says so") << u"warn"_s << 0 << true;
        QTest::newRow("allow runs") << u"allow"_s << 0 << false;
    }

    void the_host_policy_decides()
    {
        QFETCH(QString, policy);
        QFETCH(int, exitCode);
        QFETCH(bool, wouldDeny);
        Gateway gateway;
        gateway.setEnvironment(u"GOCLAW_EXEC_TENANT_HOST_POLICY"_s, policy);
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == exitCode, done.err.constData());
        QCOMPARE(done.out, exitCode == 0 ? QByteArray("ran\n") : QByteArray());
        QCOMPARE(done.err.contains("security.exec_tenant_host_would_deny"), wouldDeny);
        QCOMPARE(done.err.contains("security.exec_fs_confinement_unavailable"), !confined());
    }

    void where_confinement_is_required_nothing_runs_without_it()
    {
        Gateway gateway;
        gateway.setEnvironment(u"PORTCULLIS_CONFINEMENT"_s, u"required"_s);
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == (confined() ? 0 : 77), done.err.constData());
        QCOMPARE(done.out, confined() ? QByteArray("ran\n") : QByteArray());
    }

private:
    static QByteArray bytes(const QString &path) { return QFile::encodeName(path); }

    static void breakOutsAreRefused(const QJsonArray &attempts, bool full)
    {
        QCOMPARE(attempts.size(), 20);
        for (const QJsonValue &value : attempts) {
            const QJsonObject attempt = value.toObject();
            const bool refused = attempt.value(u"outcome") == u"refused"_s;
            const bool open = !refused && !(attempt.value(u"documented").toBool() && !full);
            const QByteArray words = QJsonDocument(attempt).toJson(QJsonDocument::Compact);
            QVERIFY2(attempt.value(u"failure").toString().isEmpty(), words.constData());
            if (confined())
                QVERIFY2(!open, words.constData());
        }
    }
};

QTEST_GUILESS_MAIN(InsideContainer)
#include "inside_container.moc"
