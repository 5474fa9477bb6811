// SPDX-License-Identifier: Apache-2.0

// Whole runs of a tenant on a host without Landlock, which a filter of system calls makes of this one.

#include "tests/support/look.h"

#include <QDir>
#include <QTest>

using namespace portcullis::test;

namespace {

struct HostWithoutLandlock : Gateway {
    explicit HostWithoutLandlock(bool namespaces)
    {
        refuseLandlock();
        if (!namespaces)
            refuseNamespaces();
    }
};

} // namespace

class TstWithoutLandlock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_run_says_that_it_is_not_confined_data() { addNamespaces(); }
    void a_run_says_that_it_is_not_confined()
    {
        QFETCH(bool, namespaces);
        const HostWithoutLandlock gateway(namespaces);
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == 0 && done.out == "ran\n", (done.out + done.err).constData());
        QCOMPARE(done.err.count("msg=security.exec_fs_confinement_unavailable landlock_abi=0 tenant_id=acme\n"), 1);
        const Done log = gateway.runner({u"log"_s, u"--json"_s});
        QVERIFY2(log.out.contains(R"("level":"none")"), log.out.constData());
        // Where there is Landlock, nobody says so.
        const Gateway confined;
        QVERIFY(!confined.exec(u"echo ran"_s).err.contains("confinement_unavailable"));
    }

    void the_host_policy_decides_what_runs_data()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::addColumn<QString>("policy");
        QTest::addColumn<int>("code");
        for (const bool namespaces : {true, false}) {
            const char *where = namespaces ? "with namespaces" : "without namespaces";
            QTest::addRow("%s, deny", where) << namespaces << u"deny"_s << 77;
            QTest::addRow("%s, warn", where) << namespaces << u"warn"_s << 0;
            QTest::addRow("%s, allow", where) << namespaces << u"allow"_s << 0;
        }
    }
    void the_host_policy_decides_what_runs()
    {
        QFETCH(bool, namespaces);
        QFETCH(QString, policy);
        QFETCH(int, code);
        HostWithoutLandlock gateway(namespaces);
        gateway.setEnvironment(u"GOCLAW_EXEC_TENANT_HOST_POLICY"_s, policy);
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == code, (done.out + done.err).constData());
        QCOMPARE(done.out, code == 0 ? QByteArray("ran\n") : QByteArray());
        QCOMPARE(done.err.contains("security.exec_tenant_host_would_deny"), policy == u"warn");
        // A deny rule holds whatever the host policy is.
        const Done denied = gateway.exec(u"sudo id"_s);
        QVERIFY2(denied.exitCode == 77 && denied.err.contains("sudo"), denied.err.constData());
    }

    void the_tenant_directory_is_not_there_for_it_data() { addNamespaces(); }
    void the_tenant_directory_is_not_there_for_it()
    {
        QFETCH(bool, namespaces);
        const HostWithoutLandlock gateway(namespaces);
        const QString own = gateway.tenantDir(u"acme"_s);
        const Done named = gateway.exec(u"cat "_s + own + u"/secret.txt"_s);
        QVERIFY2(named.exitCode == 77 && named.out.isEmpty(), (named.out + named.err).constData());
        const Done started = gateway.exec(u"cat secret.txt"_s, {u"--cwd"_s, own});
        QVERIFY2(started.exitCode == 77 && started.out.isEmpty(), (started.out + started.err).constData());
        // With Landlock both are allowed.
        const Gateway confined;
        QCOMPARE(confined.exec(u"cat secret.txt"_s, {u"--cwd"_s, confined.tenantDir(u"acme"_s)}).out,
                 QByteArray("secret of acme\n"));
    }

    void no_variable_points_there_data() { addNamespaces(); }
    void no_variable_points_there()
    {
        QFETCH(bool, namespaces);
        const HostWithoutLandlock gateway(namespaces);
        gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', deny_groups: { env_dump: false } }");
        const Done done = gateway.exec(u"env"_s);
        QVERIFY2(done.exitCode == 0 && done.out.contains("HOME="), (done.out + done.err).constData());
        QVERIFY2(!done.out.contains(gateway.tenantDir(u"acme"_s).toUtf8()), done.out.constData());
        QVERIFY2(!done.out.contains(gateway.data().toUtf8() + "/.portcullis"), done.out.constData());
    }

    void where_confinement_is_required_nothing_runs_data() { addNamespaces(); }
    void where_confinement_is_required_nothing_runs()
    {
        QFETCH(bool, namespaces);
        HostWithoutLandlock gateway(namespaces);
        gateway.setEnvironment(u"PORTCULLIS_CONFINEMENT"_s, u"required"_s);
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == 77 && done.out.isEmpty(), (done.out + done.err).constData());
    }

private:
    static void addNamespaces()
    {
        QTest::addColumn<bool>("namespaces");
        QTest::newRow("with namespaces") << true;
        QTest::newRow("without namespaces") << false;
    }
};

QTEST_GUILESS_MAIN(TstWithoutLandlock)
#include "tst_without_landlock.moc"
