// SPDX-License-Identifier: Apache-2.0

// The file of `exec --result`, through the built runner.

#include "tests/support/gateway.h"
#include "tests/support/must_work.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using portcullis::test::Done;
using portcullis::test::Gateway;

namespace {

QByteArray contentOf(const QString &path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

} // namespace

class TstResultFile : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_result_goes_nowhere_where_somebody_else_leads_it_data()
    {
        QTest::addColumn<QString>("name"); // below the gateway's root
        QTest::addColumn<bool>("accepted");
        QTest::newRow("a new file") << QStringLiteral("new.json") << true;
        QTest::newRow("a file that is there is written anew") << QStringLiteral("precious") << true;
        QTest::newRow("a folder behind a link of ours") << QStringLiteral("ours/new.json") << true;
        QTest::newRow("a link") << QStringLiteral("link") << false;
        QTest::newRow("a link to nothing") << QStringLiteral("dangling") << false;
        QTest::newRow("a pipe that nobody reads") << QStringLiteral("pipe") << false;
        QTest::newRow("a folder that everybody can write") << QStringLiteral("open/new.json") << false;
        QTest::newRow("a link in a folder that everybody can write") << QStringLiteral("open/way/precious") << false;
    }

    void a_result_goes_nowhere_where_somebody_else_leads_it()
    {
        QFETCH(QString, name);
        QFETCH(bool, accepted);
        const Gateway gateway;
        const QString root = gateway.root() + QLatin1Char('/');
        QFile precious(root + QStringLiteral("precious"));
        QVERIFY(precious.open(QIODevice::WriteOnly) && precious.write("kept") == 4);
        precious.close();
        QVERIFY(QFile::link(precious.fileName(), root + QStringLiteral("link")));
        QVERIFY(QFile::link(root + QStringLiteral("none"), root + QStringLiteral("dangling")));
        QVERIFY(QDir().mkdir(root + QStringLiteral("kept")));
        QVERIFY(QFile::link(root + QStringLiteral("kept"), root + QStringLiteral("ours")));
        QCOMPARE(::mkfifo((root + QStringLiteral("pipe")).toUtf8().constData(), 0600), 0);
        const QByteArray open = (root + QStringLiteral("open")).toUtf8();
        QVERIFY(::mkdir(open.constData(), 0700) == 0 && ::chmod(open.constData(), 0777) == 0);
        QVERIFY(QFile::link(gateway.root(), root + QStringLiteral("open/way")));
        const Done done =
            gateway.runner({QStringLiteral("exec"), QStringLiteral("--tenant=acme"), QStringLiteral("--result"),
                            root + name, QStringLiteral("--"), QStringLiteral("touch ran")});
        QVERIFY2(done.exitCode == (accepted ? 0 : 64), done.err.constData());
        QCOMPARE(QFile::exists(gateway.tenantWorkspace(QStringLiteral("acme")) + QStringLiteral("/ran")), accepted);
        QVERIFY2(accepted || done.err.contains("a regular file of ours"), done.err.constData());
        QVERIFY(!QFile::exists(root + QStringLiteral("none")));
        QFile target(root + name);
        if (accepted) {
            QVERIFY(target.open(QIODevice::ReadOnly));
            QCOMPARE(QJsonDocument::fromJson(target.readAll())[QStringLiteral("exit")].toInt(-1), 0);
        } else {
            QVERIFY(precious.open(QIODevice::ReadOnly));
            QCOMPARE(precious.readAll(), QByteArray("kept"));
        }
    }

    void a_result_goes_nowhere_in_the_gateway_its_tenants_or_the_record_data()
    {
        QTest::addColumn<QString>("name"); // below the gateway's root
        QTest::addColumn<QString>("place"); // that the refusal names
        QTest::newRow("the record") << QStringLiteral("audit.db") << QStringLiteral("audit.db");
        QTest::newRow("its log") << QStringLiteral("audit.db-wal") << QStringLiteral("audit.db-wal");
        QTest::newRow("the index of its log") << QStringLiteral("audit.db-shm") << QStringLiteral("audit.db-shm");
        QTest::newRow("its reserve") << QStringLiteral("audit.db-reserve") << QStringLiteral("audit.db-reserve");
        QTest::newRow("the record through a link") << QStringLiteral("ours/audit.db") << QStringLiteral("audit.db");
        QTest::newRow("another name of the record") << QStringLiteral("hard.json") << QStringLiteral("audit.db");
        QTest::newRow("the configuration") << QStringLiteral("config.json") << QStringLiteral("config.json");
        QTest::newRow("the environment file") << QStringLiteral("gateway.env") << QStringLiteral("gateway.env");
        QTest::newRow("a policy") << QStringLiteral("policies/acme.json") << QStringLiteral("policies");
        QTest::newRow("beside the policies") << QStringLiteral("policies/new.json") << QStringLiteral("policies");
        QTest::newRow("the gateway's database") << QStringLiteral("data/goclaw.db") << QStringLiteral("data/goclaw.db");
        QTest::newRow("the log of the gateway's database")
            << QStringLiteral("data/goclaw.db-wal") << QStringLiteral("data/goclaw.db-wal");
        QTest::newRow("the data folder") << QStringLiteral("data/new.json") << QStringLiteral("data");
        QTest::newRow("the tenant's directory")
            << QStringLiteral("data/tenants/acme/new.json") << QStringLiteral("data");
        QTest::newRow("the tenant's temporary folder")
            << QStringLiteral("data/.portcullis/tmp/acme/new.json") << QStringLiteral("data");
        QTest::newRow("the tenant's workspace")
            << QStringLiteral("workspace/tenants/acme/new.json") << QStringLiteral("workspace");
        QTest::newRow("a folder in the tenant's workspace")
            << QStringLiteral("workspace/tenants/acme/deep/new.json") << QStringLiteral("workspace");
        QTest::newRow("the workspace of another tenant")
            << QStringLiteral("workspace/tenants/globex/new.json") << QStringLiteral("workspace");
        QTest::newRow("the main workspace") << QStringLiteral("workspace/new.json") << QStringLiteral("workspace");
    }

    /// Their owner is who runs the runner: it is the place that is refused.
    void a_result_goes_nowhere_in_the_gateway_its_tenants_or_the_record()
    {
        QFETCH(QString, name);
        QFETCH(QString, place);
        Gateway gateway;
        const QString root = gateway.root() + QLatin1Char('/');
        gateway.setEnvironment(QStringLiteral("PORTCULLIS_ENVIRONMENT_FILE"),
                               gateway.writeFile(QStringLiteral("gateway.env"), "KEY=value\n"));
        QCOMPARE(gateway.exec(QStringLiteral("true")).exitCode, 0); // a record with a row
        QVERIFY(QDir().mkpath(root + QStringLiteral("data/.portcullis/tmp/acme")));
        QVERIFY(QDir().mkpath(root + QStringLiteral("workspace/tenants/acme/deep")));
        for (const char *folder : {"data/.portcullis", "data/.portcullis/tmp", "data/.portcullis/tmp/acme",
                                   "data/tenants/acme", "workspace/tenants/acme", "workspace/tenants/globex"}) {
            const QByteArray path = QFile::encodeName(root + QLatin1StringView(folder));
            QVERIFY(::chown(path.constData(), ::geteuid(), ::getegid()) == 0 && ::chmod(path.constData(), 0700) == 0);
        }
        QVERIFY(QFile::link(gateway.root(), root + QStringLiteral("ours")));
        QCOMPARE(::link(QFile::encodeName(gateway.auditDb()).constData(),
                        QFile::encodeName(root + QStringLiteral("hard.json")).constData()),
                 0);
        const bool was = QFile::exists(root + name);
        const QByteArray before = contentOf(root + name);
        const Done done =
            gateway.runner({QStringLiteral("exec"), QStringLiteral("--tenant=acme"), QStringLiteral("--result"),
                            root + name, QStringLiteral("--"), QStringLiteral("touch ran")});
        QVERIFY2(done.exitCode == 64, done.err.constData());
        QVERIFY2(done.err.contains("outside of " + QFile::encodeName(root + place) + ','), done.err.constData());
        QVERIFY(!QFile::exists(gateway.tenantWorkspace(QStringLiteral("acme")) + QStringLiteral("/ran")));
        QCOMPARE(QFile::exists(root + name), was);
        QCOMPARE(contentOf(root + name), before);
    }

    void a_file_is_not_touched_before_there_is_a_result()
    {
        const Gateway gateway;
        const QString path = gateway.writeFile(QStringLiteral("result.json"), "kept");
        QVERIFY(::chmod(QFile::encodeName(path).constData(), 0640) == 0);
        const QString other = gateway.root() + QStringLiteral("/other name");
        QCOMPARE(::link(QFile::encodeName(path).constData(), QFile::encodeName(other).constData()), 0);
        const QStringList words{QStringLiteral("exec"),     QStringLiteral("--tenant=acme"),
                                QStringLiteral("--result"), path,
                                QStringLiteral("--"),       QStringLiteral("exit 9")};
        gateway.setConfig("{ broken");
        QCOMPARE(gateway.runner(words).exitCode, 78);
        QCOMPARE(contentOf(path), QByteArray("kept"));
        gateway.setConfig({});
        QCOMPARE(gateway.runner(words).exitCode, 9);
        QCOMPARE(QJsonDocument::fromJson(contentOf(path))[QStringLiteral("exit")].toInt(-1), 9);
        QCOMPARE(contentOf(other), QByteArray("kept")); // a new file has taken the place
        struct stat status{};
        QVERIFY(::stat(QFile::encodeName(path).constData(), &status) == 0 && (status.st_mode & 0777) == 0640);
        QCOMPARE(QDir(gateway.root()).entryList({QStringLiteral(".portcullis-*")}, QDir::Files | QDir::Hidden),
                 QStringList());
    }

    void a_descriptor_takes_the_result_wherever_its_file_lies()
    {
        Gateway gateway;
        const QString path = gateway.tenantWorkspace(QStringLiteral("acme")) + QStringLiteral("/result.json");
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        gateway.setUpRunner([fd = file.handle()] { return ::dup2(fd, 9) == 9; });
        const Done done =
            gateway.runner({QStringLiteral("exec"), QStringLiteral("--tenant=acme"), QStringLiteral("--result=fd:9"),
                            QStringLiteral("--"), QStringLiteral("exit 9")});
        QVERIFY2(done.exitCode == 9, done.err.constData());
        QCOMPARE(QJsonDocument::fromJson(contentOf(path))[QStringLiteral("exit")].toInt(-1), 9);
    }

    void a_result_is_no_file_of_somebody_else()
    {
        PORTCULLIS_REQUIRE(::geteuid() == 0, "only root can make a file of somebody else");
        const Gateway gateway;
        const QString theirs = gateway.tenantWorkspace(QStringLiteral("acme"));
        QFile file(gateway.root() + QStringLiteral("/theirs"));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("kept") == 4);
        file.close();
        QCOMPARE(::chown(file.fileName().toUtf8().constData(), Gateway::owner(), Gateway::owner()), 0);
        for (const QString &name : {file.fileName(), theirs + QStringLiteral("/new.json")}) {
            const Done done =
                gateway.runner({QStringLiteral("exec"), QStringLiteral("--tenant=acme"), QStringLiteral("--result"),
                                name, QStringLiteral("--"), QStringLiteral("true")});
            QVERIFY2(done.exitCode == 64, done.err.constData());
        }
        QVERIFY(!QFile::exists(theirs + QStringLiteral("/new.json")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("kept"));
    }
};

QTEST_GUILESS_MAIN(TstResultFile)
#include "tst_result_file.moc"
