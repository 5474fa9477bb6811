// SPDX-License-Identifier: Apache-2.0

// The operator's own tenant, confined by a key of the gateway.

#include "tests/support/gateway.h"

#include <QFileInfo>
#include <QTest>

using namespace Qt::Literals::StringLiterals;
using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

void addNamespaces()
{
    QTest::addColumn<bool>("namespaces");
    QTest::newRow("both walls") << true;
    QTest::newRow("Landlock alone") << false;
}

void setKey(Gateway &gateway, const QByteArray &value)
{
    gateway.setConfig("{ data_dir: '" + gateway.data().toUtf8() + "', agents: { defaults: { workspace: '"
                      + gateway.workspace().toUtf8() + "' } }, portcullis: { confine_master: " + value + ", run_as: '"
                      + QByteArray::number(Gateway::owner()) + "' } }");
}

void confineMaster(Gateway &gateway, bool namespaces)
{
    setKey(gateway, "true");
    if (!namespaces)
        gateway.refuseNamespaces();
}

} // namespace

class TstMaster : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_confined_master_works_in_a_workspace_of_its_own_data() { addNamespaces(); }
    void a_confined_master_works_in_a_workspace_of_its_own()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        confineMaster(gateway, namespaces);
        const Done done = gateway.exec(
            u"pwd; id -u; echo text > made; cat made; mktemp > /dev/null && echo temporary"_s, {}, u"master"_s);
        const QByteArray workspace = gateway.tenantWorkspace(u"master"_s).toUtf8();
        QCOMPARE(done.out, workspace + '\n' + QByteArray::number(Gateway::owner()) + "\ntext\ntemporary\n");
        QCOMPARE(done.exitCode, 0);
        QCOMPARE(done.result.value(u"level"_s).toString(), namespaces ? u"full"_s : u"landlock"_s);
        QVERIFY(QFileInfo::exists(gateway.tenantWorkspace(u"master"_s) + u"/made"_s));
    }

    void a_confined_master_reads_nothing_of_others_data() { addNamespaces(); }
    void a_confined_master_reads_nothing_of_others()
    {
        QFETCH(bool, namespaces);
        Gateway gateway;
        confineMaster(gateway, namespaces);
        QCOMPARE(
            gateway.exec(u"cat "_s + gateway.tenantWorkspace(u"globex"_s) + u"/secret.txt"_s, {}, u"master"_s).exitCode,
            77);
        // Where the text does not show the path, the walls hold.
        for (const QString &path : {gateway.tenantDir(u"globex"_s) + u"/secret.txt"_s,
                                    gateway.tenantWorkspace(u"globex"_s) + u"/secret.txt"_s, gateway.auditDb()}) {
            QVERIFY2(QFileInfo::exists(path), qPrintable(path));
            const QString hidden = QString::fromLatin1(path.toUtf8().toBase64());
            const Done done = gateway.exec(
                u"echo %1 > b; python3 -c 'import base64; print(open(base64.b64decode(open(\"b\").read())).read())'"_s
                    .arg(hidden),
                {}, u"master"_s);
            QVERIFY2(done.exitCode != 0 && done.out.isEmpty(), done.out.constData());
            QVERIFY2(done.err.contains("Permission denied"), done.err.constData());
        }
    }

    void without_the_key_the_main_workspace_is_the_place()
    {
        Gateway gateway;
        setKey(gateway, "false");
        const Done done = gateway.exec(u"pwd"_s, {}, u"master"_s);
        QCOMPARE(done.out, gateway.workspace().toUtf8() + '\n');
        QCOMPARE(done.result.value(u"level"_s).toString(), u"none"_s);
    }
};

QTEST_GUILESS_MAIN(TstMaster)
#include "tst_master.moc"
