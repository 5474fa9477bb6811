// SPDX-License-Identifier: Apache-2.0

// kill -9 of the built runner, its guard or both at a moment that nobody chose, again and again on one record.
// PORTCULLIS_KILLS: how often. PORTCULLIS_KILLS_SEED: `now` for other moments each time; the seed is said.

#include "tests/support/gateway.h"
#include "tests/support/processes.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTest>

#include <csignal>
#include <map>
#include <random>

using namespace Qt::StringLiterals;
using namespace portcullis::test;

namespace {

constexpr int patience = 60'000;

unsigned seed()
{
    const QByteArray wanted = qgetenv("PORTCULLIS_KILLS_SEED");
    return wanted == "now" ? std::random_device()() : wanted.isEmpty() ? 1U : wanted.toUInt();
}

/// What SQLite itself says of the file.
QString soundness(const QString &path)
{
    QString answer;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"check"_s);
        database.setConnectOptions(u"QSQLITE_OPEN_READONLY"_s);
        database.setDatabaseName(path);
        if (!database.open())
            answer = u"cannot be opened"_s;
        for (const QString &question : {u"PRAGMA integrity_check"_s, u"PRAGMA foreign_key_check"_s}) {
            QSqlQuery query(database);
            query.exec(question);
            while (query.next())
                answer += query.value(0).toString();
        }
    }
    QSqlDatabase::removeDatabase(u"check"_s);
    return answer;
}

} // namespace

class TstKilledAtRandom : public QObject
{
    Q_OBJECT

    struct Round {
        int number = 0;
        QByteArray name; ///< of the file that shows that the command ran
        QByteArray mark; ///< of its processes
        bool endedWell = false; ///< the runner came to its end and said the command's code
    };

    std::map<QString, QJsonObject> m_closed; ///< by id: rows that were complete when we last looked
    std::map<QString, int> m_found; ///< how the rows of the killed looked

    static void kill(QProcess &runner, int victim)
    {
        const auto pid = static_cast<pid_t>(runner.processId());
        const pid_t guard = victim == 0 ? 0 : guardOf(pid);
        if (victim != 1 || guard == 0) {
            if (guard != 0)
                ::kill(guard, SIGSTOP);
            if (pid != 0)
                ::kill(pid, SIGKILL);
        }
        if (guard != 0)
            ::kill(guard, SIGKILL);
    }

    /// One command, and a kill somewhere on its way.
    static void runAndKill(const Gateway &gateway, Round &round, std::mt19937 &random, qint64 usualUs)
    {
        const bool isLong = random() % 3 == 0;
        QByteArray command = "touch " + round.name + "; sleep " + round.mark + " & head -c 20000 /dev/zero; ";
        command += isLong ? "sleep " + round.mark : QByteArray("true");
        const auto runner = gateway.startExec(QString::fromLatin1(command));
        const QString ran = gateway.tenantWorkspace(u"acme"_s) + u'/' + QString::fromLatin1(round.name);
        const auto over = [&] { return runner->state() == QProcess::NotRunning; };
        // Half of them while the run is being made, half after its command has begun.
        const bool late = random() % 2 == 0;
        if (late)
            QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(ran) || over(), patience);
        const auto delay = static_cast<qint64>(random() % static_cast<unsigned>(late ? usualUs / 3 : usualUs * 5 / 4));
        QElapsedTimer passed;
        passed.start();
        while (passed.nsecsElapsed() / 1000 < delay && !over())
            QTest::qWait(1);
        kill(*runner, static_cast<int>(random() % 3));
        QVERIFY(over() || runner->waitForFinished(patience));
        round.endedWell = runner->exitStatus() == QProcess::NormalExit && runner->exitCode() == 0;
    }

    void checkRows(const Gateway &gateway, const Round &round)
    {
        const Done log = gateway.runner({u"log"_s, u"--json"_s});
        QCOMPARE(log.exitCode, 0);
        QJsonObject ours;
        std::map<QString, QJsonObject> closed;
        for (const QByteArray &line : log.out.trimmed().split('\n')) {
            const QJsonObject row = QJsonDocument::fromJson(line).object();
            const QString id = row.value("id"_L1).toString();
            QVERIFY2(!id.isEmpty() && !closed.contains(id), line.constData());
            QVERIFY2(row.value("verdict"_L1).toString() == "allow"_L1, line.constData());
            if (row.value("outcome"_L1).toString() != "running"_L1)
                closed.emplace(id, row);
            if (row.value("command"_L1).toString().contains(QString::fromLatin1("touch " + round.name + ";")))
                ours = row;
        }
        for (const auto &[id, row] : m_closed)
            QVERIFY2(closed.contains(id) && closed[id] == row, qPrintable(id));
        m_closed = std::move(closed);
        const bool ran = QFile::exists(gateway.tenantWorkspace(u"acme"_s) + u'/' + QString::fromLatin1(round.name));
        const QString outcome = ours.value("outcome"_L1).toString();
        QVERIFY(!ran || !ours.isEmpty()); // what was started has its decision
        if (round.endedWell)
            QCOMPARE(outcome, u"exited"_s);
        ++m_found[outcome.isEmpty() ? u"no row"_s : outcome];
    }

private Q_SLOTS:
    void a_kill_loses_no_row_and_leaves_nothing_running()
    {
        const int rounds =
            qEnvironmentVariableIsSet("PORTCULLIS_KILLS") ? qEnvironmentVariableIntValue("PORTCULLIS_KILLS") : 20;
        const unsigned start = seed();
        qInfo("%d kills, seed %u", rounds, start);
        std::mt19937 random(start);
        const Gateway bothWalls;
        Gateway alone;
        alone.refuseNamespaces();
        QElapsedTimer usual;
        usual.start();
        QCOMPARE(bothWalls.exec(u"true"_s).exitCode, 0);
        const qint64 usualUs = usual.nsecsElapsed() / 1000;
        QCOMPARE(alone.exec(u"true"_s).exitCode, 0);
        std::map<QString, QJsonObject> closedElsewhere;
        for (int i = 0; i < rounds; ++i) {
            const Gateway &gateway = i % 2 == 0 ? bothWalls : alone;
            m_closed.swap(closedElsewhere); // each gateway has its own record
            Round round{.number = i, .name = "ran" + QByteArray::number(i), .mark = newMark()};
            runAndKill(gateway, round, random, usualUs);
            QCOMPARE(soundness(gateway.auditDb()), u"ok"_s);
            // The next runner closes what was left and works.
            const Done next = gateway.exec(u"true"_s);
            QVERIFY2(next.exitCode == 0, next.err.constData());
            QTRY_COMPARE_WITH_TIMEOUT(processesWith(round.mark), QList<pid_t>(), patience);
            QCOMPARE(gateway.runner({u"log"_s, u"--json"_s, u"outcome:running"_s}).out, QByteArray());
            checkRows(gateway, round);
            if (QTest::currentTestFailed())
                return;
        }
        for (const auto &[outcome, number] : m_found)
            qInfo("%d times: %s", number, qPrintable(outcome));
    }
};

QTEST_GUILESS_MAIN(TstKilledAtRandom)
#include "tst_killed_at_random.moc"
