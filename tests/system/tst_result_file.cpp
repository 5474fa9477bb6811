// SPDX-License-Identifier: Apache-2.0

// The file of `exec --result`, through the built runner.

#include "tests/support/gateway.h"
#include "tests/support/must_work.h"

#include <QFile>
#include <QJsonDocument>
#include <QTest>

#include <sys/stat.h>
#include <unistd.h>

using portcullis::test::Done;
using portcullis::test::Gateway;

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
        QVERIFY(QFile::link(gateway.data(), root + QStringLiteral("ours")));
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
