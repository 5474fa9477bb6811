// SPDX-License-Identifier: Apache-2.0
#include "tests/support/gateway.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <array>

using portcullis::test::Gateway;

class TstSecrets : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void a_secret_of_a_command_is_nowhere_in_the_record()
    {
        const Gateway gateway;
        QVERIFY(gateway.isValid());
        for (const char *command : commands)
            (void)gateway.exec(QString::fromLatin1(command));
        const QDir folder(gateway.root());
        const QStringList files = folder.entryList({QStringLiteral("audit.db*")}, QDir::Files);
        QVERIFY(!files.isEmpty());
        QByteArray all;
        for (const QString &name : files) {
            QFile file(folder.filePath(name));
            QVERIFY(file.open(QIODevice::ReadOnly));
            all += file.readAll();
        }
        QVERIFY(all.contains("_MASKED_"));
        for (qsizetype at = all.indexOf("S3cr3t"); at >= 0; at = all.indexOf("S3cr3t", at + 1))
            qWarning("%s", all.mid(qMax(qsizetype(0), at - 60), 100).toPercentEncoding(" /{}\":'|=-").constData());
        QVERIFY(!all.contains("S3cr3t"));
    }

private:
    static constexpr std::array commands{
        "export AWS_SECRET_ACCESS_KEY=S3cr3tAA01/wJalrXU; true",
        "redis-cli -a S3cr3tAA02 ping",
        "mysql --password=S3cr3tAA03 -e x",
        "mysql -pS3cr3tAA04 -e x",
        "git clone https://S3cr3tAA05@host.invalid/x.git",
        "git clone https://me:S3cr3tAA06@host.invalid/x.git",
        "echo 'S3cr3tAA07' | sudo -S id",
        "echo S3cr3tAA08 | docker login -u x --password-stdin",
        "echo S3cr3tAA09 | gh auth login --with-token",
        "docker login --password S3cr3tAA10 -u x",
        "docker login -u x -p S3cr3tAA11",
        "curl -u me:S3cr3tAA12 http://127.0.0.1:9/",
        "curl -H 'X-Api-Key: S3cr3tAA13' http://127.0.0.1:9/",
        "curl -H \"Authorization: Bearer S3cr3tAA14\" http://127.0.0.1:9/",
        "sshpass -p S3cr3tAA15 ssh host.invalid",
        "PGPASSWORD=S3cr3tAA16 psql -h 127.0.0.1",
        "PASSWORD='S3cr3t AA17'; echo \"$PASSWORD\"",
        "API_KEY=\"S3cr3tAA18\" env",
        "PASSWORD=S3cr3tAA19; cat \"$PASSWORD\"",
        "TOKEN='S3cr3t\"AA20'; printf '%s' \"$TOKEN\" >&2",
    };
};

QTEST_GUILESS_MAIN(TstSecrets)
#include "tst_secrets.moc"
