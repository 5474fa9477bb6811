// SPDX-License-Identifier: Apache-2.0

// What a command that came by the bridge finds on the host.

#include "tests/support/look.h"

#include <QDir>
#include <QTest>

#include <cerrno>

using namespace portcullis::test;

class TstBridge : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void the_tenant_directory_is_out_of_reach_data() { addWallRows(); }
    void the_tenant_directory_is_out_of_reach()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        const QByteArray own = gateway.tenantDir(u"acme"_s).toUtf8();
        const QByteArray foreign = gateway.tenantDir(u"globex"_s).toUtf8();
        QVERIFY(QFile::link(QString::fromUtf8(own), gateway.tenantWorkspace(u"acme"_s) + u"/link"_s));
        const QByteArrayList paths{own + "/secret.txt", own + '/', "link/secret.txt",
                                   "/proc/self/root" + own + "/secret.txt", foreign + "/secret.txt"};
        const Done agent = lookAt(gateway, paths);
        QVERIFY2(agent.out.startsWith("read secret of acme\nwrite done\nlist "), (agent.out + agent.err).constData());
        const Done bridge = lookAt(gateway, paths, {u"--origin"_s, u"mcp_bridge"_s});
        QVERIFY2(bridge.exitCode == 0, bridge.err.constData());
        QCOMPARE(bridge.out.count(" errno " + QByteArray::number(EACCES)), 2 * paths.size());
        QVERIFY2(!bridge.out.contains("secret"), bridge.out.constData());
        // Its workspace is there as for everybody.
        const Done work = lookAt(gateway, {"secret.txt"}, {u"--origin"_s, u"mcp_bridge"_s});
        QVERIFY2(work.out == "read secret of acme\nwrite done\n", (work.out + work.err).constData());
    }

    void the_tenants_temporary_files_are_not_its_own_data() { addWallRows(); }
    void the_tenants_temporary_files_are_not_its_own()
    {
        QFETCH(bool, namespaces);
        // Not below /tmp, which the view replaces; as root below a folder that another user can pass.
        Gateway gateway(::geteuid() == 0 ? u"/srv"_s : QDir::homePath());
        if (!namespaces)
            gateway.refuseNamespaces();
        const QString look = u"cat \"$TMPDIR/kept\""_s;
        QCOMPARE(gateway.exec(u"echo kept > \"$TMPDIR/kept\""_s).exitCode, 0);
        QCOMPARE(gateway.exec(look).out, QByteArray("kept\n"));
        const Done done = gateway.exec(look, {u"--origin"_s, u"mcp_bridge"_s});
        QVERIFY2(done.exitCode != 0 && done.out.isEmpty(), (done.out + done.err).constData());
    }

    void no_variable_points_there_data() { addWallRows(); }
    void no_variable_points_there()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        if (!namespaces)
            gateway.refuseNamespaces();
        gateway.setPolicy(u"acme"_s, "{ version: 1, tenant: 'acme', deny_groups: { env_dump: false } }");
        const QByteArray own = gateway.tenantDir(u"acme"_s).toUtf8();
        QVERIFY(gateway.exec(u"env"_s).out.contains(own));
        const Done done = gateway.exec(u"env"_s, {u"--origin"_s, u"mcp_bridge"_s});
        QVERIFY2(done.exitCode == 0 && done.out.contains("HOME="), (done.out + done.err).constData());
        QVERIFY2(!done.out.contains(own) && !done.out.contains("/.portcullis"), done.out.constData());
    }
};

QTEST_GUILESS_MAIN(TstBridge)
#include "tst_bridge.moc"
