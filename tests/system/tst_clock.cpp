// SPDX-License-Identifier: Apache-2.0

// The clock of the machine is set while a command runs.

#include "tests/support/look.h"

#include <QDateTime>
#include <QJsonDocument>

#include <cstdlib>

using namespace portcullis::test;

namespace {

QDateTime timeIn(const QJsonObject &row, const QString &name)
{
    return QDateTime::fromString(row.value(name).toString(), Qt::ISODateWithMs);
}

} // namespace

class TstClock : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void how_long_a_command_took_is_right_whatever_is_done_to_the_clock_data()
    {
        QTest::addColumn<int>("seconds");
        QTest::newRow("set back by an hour") << -3600;
        QTest::newRow("set forward by an hour") << 3600;
        QTest::newRow("set back by a second") << -1;
        QTest::newRow("left alone") << 0;
    }
    void how_long_a_command_took_is_right_whatever_is_done_to_the_clock()
    {
        QFETCH(int, seconds);
        Gateway gateway;
        const QString file = gateway.root() + u"/clock"_s;
        gateway.setEnvironment(u"LD_PRELOAD"_s,
                               QStringLiteral(QT_TESTCASE_BUILDDIR "/system/portcullis-test-clock.so"));
        gateway.setEnvironment(u"PORTCULLIS_TEST_CLOCK"_s, file);
        const auto process = gateway.startExec(u"echo begun; cat; sleep 1"_s, {u"--stdin"_s, u"--timeout"_s, u"30"_s});
        QTRY_VERIFY_WITH_TIMEOUT(process->bytesAvailable() > 0, 60'000);
        QVERIFY(writeFile(file, QByteArray::number(seconds)));
        process->closeWriteChannel();
        QVERIFY(process->waitForFinished(60'000));
        QVERIFY2(process->exitCode() == 0, process->readAllStandardError().constData());
        QVERIFY(QFile::remove(file));
        const Done log = gateway.runner({u"log"_s, u"--json"_s, u"took:>1s"_s});
        const QJsonObject row = QJsonDocument::fromJson(log.out).object();
        const qint64 took = timeIn(row, u"started"_s).msecsTo(timeIn(row, u"finished"_s));
        QVERIFY2(took >= 1000 && took < 60'000, log.out.constData());
    }

    /// Otherwise the test above could not fail.
    void the_runner_sees_the_clock_that_was_set()
    {
        Gateway gateway;
        const QString file = gateway.root() + u"/clock"_s;
        QVERIFY(writeFile(file, "-360000"));
        QCOMPARE(gateway.exec(u"true"_s).exitCode, 0);
        gateway.setEnvironment(u"LD_PRELOAD"_s,
                               QStringLiteral(QT_TESTCASE_BUILDDIR "/system/portcullis-test-clock.so"));
        gateway.setEnvironment(u"PORTCULLIS_TEST_CLOCK"_s, file);
        QCOMPARE(gateway.exec(u"true"_s).exitCode, 0);
        QList<QDateTime> times;
        for (const QByteArray &line : gateway.runner({u"log"_s, u"--json"_s}).out.trimmed().split('\n'))
            times << timeIn(QJsonDocument::fromJson(line).object(), u"time"_s);
        QCOMPARE(times.size(), 2);
        QVERIFY(std::abs(times[0].secsTo(times[1])) > 300'000);
    }
};

QTEST_GUILESS_MAIN(TstClock)
#include "tst_clock.moc"
