// SPDX-License-Identifier: Apache-2.0

// kill -9 of the built runner, of its guard and of both, in each state of a run: what is left, and what the record
// says.

#include "runner/audit/audit_reader.h"
#include "runner/audit/process_identity.h"
#include "tests/support/gateway.h"
#include "tests/support/held_call.h"
#include "tests/support/must_work.h"
#include "tests/support/processes.h"

#include <QJsonDocument>
#include <QSqlDatabase>
#include <QSqlQuery>
#include <QTest>

#include <array>
#include <csignal>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

using namespace Qt::StringLiterals;
using namespace std::chrono_literals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

constexpr int patience = 60'000;

/// How far a run has come.
enum class State {
    Recording, ///< decided; the decision is not committed
    GuardUp, ///< committed; the guard has done nothing yet
    Forked, ///< the command's process exists, and is not yet the command
    Running,
    Grace, ///< the time limit is over, TERM has been sent and ignored
    Draining, ///< the command and its guard have ended, the runner still hands on output
};
enum class Victim { Runner, Guard, Both };

/// What the next look at the record says of the run.
enum class Told {
    Nothing, ///< no row: and then nothing ran
    NotStarted,
    Unfinished,
    UnfinishedOrKilled, ///< the view's first process may still tell of the death before it dies
};
enum class Ran { No, Perhaps, Yes };

struct Case {
    State state;
    Victim victim;
    Told told;
    Ran ran;
    bool leftovers = false; ///< with Landlock alone processes stay, which the next start kills
};

// Design, lifetime: with both walls nothing outlives guard or runner. With Landlock alone the guard kills when the
// runner dies, the runner when the guard dies, and the next start what both leave.
constexpr std::array cases{
    Case{State::Recording, Victim::Runner, Told::Nothing, Ran::No},
    Case{State::GuardUp, Victim::Runner, Told::Unfinished, Ran::No},
    Case{State::GuardUp, Victim::Guard, Told::NotStarted, Ran::No},
    Case{State::GuardUp, Victim::Both, Told::Unfinished, Ran::No},
    Case{State::Forked, Victim::Runner, Told::Unfinished, Ran::Perhaps},
    Case{State::Forked, Victim::Guard, Told::Unfinished, Ran::No},
    Case{State::Forked, Victim::Both, Told::Unfinished, Ran::No},
    Case{State::Running, Victim::Runner, Told::Unfinished, Ran::Yes},
    Case{State::Running, Victim::Guard, Told::UnfinishedOrKilled, Ran::Yes},
    Case{State::Running, Victim::Both, Told::Unfinished, Ran::Yes, true},
    Case{State::Grace, Victim::Runner, Told::Unfinished, Ran::Yes},
    Case{State::Grace, Victim::Guard, Told::UnfinishedOrKilled, Ran::Yes},
    Case{State::Grace, Victim::Both, Told::Unfinished, Ran::Yes, true},
    Case{State::Draining, Victim::Runner, Told::Unfinished, Ran::Yes},
};

constexpr std::array stateNames{"before its decision is committed",
                                "before the guard answers",
                                "while the command is being made",
                                "while it runs",
                                "in the grace period",
                                "while its output is handed on"};
constexpr std::array victimNames{"runner", "guard", "both"};

/// Of another program, which has the record's write lock as long as this lives.
class RecordLock
{
public:
    explicit RecordLock(const QString &path)
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(u"QSQLITE"_s, u"lock"_s);
        database.setDatabaseName(path);
        m_held = database.open() && QSqlQuery(database).exec(u"BEGIN IMMEDIATE"_s);
    }
    ~RecordLock() { QSqlDatabase::removeDatabase(u"lock"_s); }
    RecordLock(const RecordLock &) = delete;
    RecordLock &operator=(const RecordLock &) = delete;
    [[nodiscard]] bool isHeld() const { return m_held; }

private:
    bool m_held = false;
};

bool hasOpen(qint64 process, const QString &path)
{
    const QString folder = u"/proc/%1/fd/"_s.arg(process);
    const QStringList numbers = QDir(folder).entryList(QDir::Files | QDir::System);
    return std::ranges::any_of(numbers,
                               [&](const QString &number) { return QFile::symLinkTarget(folder + number) == path; });
}

QByteArray commandFor(State state, const QByteArray &mark)
{
    // What is in the background ignores TERM, so that something is there in the grace period whatever happens.
    const QByteArray background = "(trap '' TERM; exec sleep " + mark + ") & ";
    if (state == State::Grace)
        return background + "trap 'touch term' TERM; touch started; while :; do sleep " + mark + "; done";
    if (state == State::Draining) // more than our pipe holds, less than ours and the command's together
        return "head -c 100000 /dev/zero; touch started done";
    return background + "touch started; sleep " + mark;
}

} // namespace

class TstKilled : public QObject
{
    Q_OBJECT

    std::unique_ptr<Gateway> m_gateway;
    std::unique_ptr<HeldCall> m_held;
    std::unique_ptr<QProcess> m_runner;
    QByteArray m_mark;
    pid_t m_guard = 0;
    QList<pid_t> m_others; ///< of the run, known by number: they have no mark yet

    [[nodiscard]] bool there(const char *file) const
    {
        return QFile::exists(m_gateway->tenantWorkspace(u"acme"_s) + u'/' + QLatin1String(file));
    }

    [[nodiscard]] Done log(const QStringList &words) const { return m_gateway->runner(QStringList{u"log"_s} + words); }

    /// The row of the command; empty when there is none. No row may still be open.
    [[nodiscard]] QJsonObject row() const
    {
        QJsonObject ours;
        const QByteArray out = log({u"--json"_s}).out.trimmed();
        for (const QByteArray &line : out.split('\n')) {
            const QJsonObject event = QJsonDocument::fromJson(line).object();
            if (event.value("outcome"_L1) == "running"_L1)
                qWarning("still running: %s", line.constData());
            if (event.value("command"_L1).toString().contains("touch"_L1) || event.value("outcome"_L1) == "running"_L1)
                ours = event;
        }
        return ours;
    }

    [[nodiscard]] bool isCommitted() const
    {
        const auto reader = audit::AuditReader::open(m_gateway->auditDb().toStdString());
        const auto changes =
            reader ? (*reader)->changes() : Result<audit::Changes, audit::AuditError>(audit::Changes());
        return changes && !changes->running.empty();
    }

    void start(State state)
    {
        m_runner = m_gateway->startExec(QString::fromLatin1(commandFor(state, m_mark)),
                                        state == State::Grace ? QStringList{u"--timeout=1"_s} : QStringList{});
        QVERIFY(m_runner->waitForStarted());
        m_gateway->setUpNothing(); // for the runners that look at the record
    }

    /// Calls of the probe and of others pass; the `number`-th since the decision was committed is held.
    void holdSession(int number)
    {
        QVERIFY(m_held->listen());
        for (int seen = 0; seen < number;) {
            const auto pid = m_held->next(std::chrono::milliseconds(patience));
            QVERIFY(pid);
            if (isCommitted() && ++seen == 1)
                m_guard = *pid;
            if (seen == number)
                m_others.append(*pid);
            else
                m_held->letGo();
        }
    }

    /// Brings a run into this state and keeps it there.
    void reach(State state)
    {
        if (state == State::GuardUp || state == State::Forked) {
            m_held = std::make_unique<HeldCall>(SYS_setsid);
            m_gateway->setUpRunner([this] { return m_held->install(); });
            start(state);
            holdSession(state == State::GuardUp ? 1 : 2);
            QVERIFY(m_guard > 0);
            QCOMPARE(statOf(m_guard).value(1).toLongLong(), m_runner->processId());
            return;
        }
        start(state);
        const char *sign = state == State::Grace ? "term" : state == State::Draining ? "done" : "started";
        QTRY_VERIFY_WITH_TIMEOUT(there(sign), patience);
        if (state == State::Draining) {
            QTRY_VERIFY_WITH_TIMEOUT(guardOf(m_runner->processId()) == 0, patience);
            return;
        }
        QVERIFY(comeToRun("sleep\0"_ba + m_mark, 2));
        m_guard = guardOf(m_runner->processId());
        QVERIFY(m_guard > 0);
    }

    void killVictim(Victim victim, bool namespaces)
    {
        if (m_guard != 0)
            m_others.append(m_guard);
        if (victim == Victim::Both)
            ::kill(m_guard, SIGSTOP); // so that it cannot do its duty when the runner dies
        if (victim != Victim::Guard) {
            m_runner->kill();
            QVERIFY(m_runner->waitForFinished());
        }
        if (victim != Victim::Runner)
            ::kill(m_guard, SIGKILL);
        if (!m_held)
            return;
        // Dying takes its time: whoever must be gone is, before what is held may go on.
        if (victim != Victim::Runner)
            QTRY_VERIFY_WITH_TIMEOUT(namespaces ? isOver() : isGone(m_guard), patience);
        m_held->letGo();
    }

    /// Nothing of the run is there any more.
    [[nodiscard]] bool isOver() const
    {
        return processesWith(m_mark).isEmpty() && std::ranges::all_of(m_others, isGone);
    }

    void checkRunner(Told told)
    {
        // It may have ended while something else was waited for, and then there is no end to wait for any more.
        QVERIFY(m_runner->state() == QProcess::NotRunning || m_runner->waitForFinished(patience));
        const QByteArray said = m_runner->readAllStandardError();
        const int code = m_runner->exitCode();
        if (told == Told::NotStarted) {
            QVERIFY2(code == 71 && said.contains("failed: "), said.constData());
        } else if (told == Told::Unfinished) {
            QVERIFY2(code == 70 && said.contains("unfinished: "), said.constData());
        } else {
            const bool grace = code == 124 && said.contains("timed out: ");
            QVERIFY2((code == 70 && said.contains("unfinished: ")) || code == 128 + SIGKILL || grace, said.constData());
        }
    }

    void checkRecord(const Case &expected, bool leftovers)
    {
        const QJsonObject event = row();
        if (expected.told == Told::Nothing) {
            QVERIFY(event.isEmpty());
            return;
        }
        QCOMPARE(event.value("verdict"_L1).toString(), u"allow"_s);
        const QString outcome = event.value("outcome"_L1).toString();
        if (expected.told == Told::NotStarted)
            QCOMPARE(outcome, u"not_started"_s);
        else if (expected.told == Told::Unfinished || outcome != u"signalled"_s)
            QVERIFY2(outcome == u"unfinished"_s
                         || (expected.told == Told::UnfinishedOrKilled && outcome == u"timed_out"_s),
                     qPrintable(outcome));
        QCOMPARE(event.value("note"_L1).toString().contains("leftovers_killed"_L1), leftovers);
    }

private Q_SLOTS:
    void cleanup()
    {
        if (m_runner && m_runner->state() != QProcess::NotRunning) {
            m_runner->kill();
            m_runner->waitForFinished();
        }
        m_runner.reset();
        m_held.reset();
        for (const pid_t pid : processesWith(m_mark))
            ::kill(pid, SIGKILL);
        m_gateway.reset();
        m_guard = 0;
        m_others.clear();
    }

    void whoever_is_killed_whenever_nothing_runs_on_and_the_record_says_so_data()
    {
        QTest::addColumn<int>("number");
        QTest::addColumn<bool>("namespaces");
        for (const bool namespaces : {true, false}) {
            for (std::size_t i = 0; i < cases.size(); ++i)
                QTest::addRow("%s, %s, %s", namespaces ? "both walls" : "Landlock alone",
                              victimNames.at(static_cast<std::size_t>(cases[i].victim)),
                              stateNames.at(static_cast<std::size_t>(cases[i].state)))
                    << static_cast<int>(i) << namespaces;
        }
    }

    void whoever_is_killed_whenever_nothing_runs_on_and_the_record_says_so()
    {
        QFETCH(int, number);
        QFETCH(bool, namespaces);
        const Case &expected = cases.at(static_cast<std::size_t>(number));
        const bool leftovers = expected.leftovers && !namespaces;
        m_mark = newMark();
        m_gateway = std::make_unique<Gateway>();
        if (!namespaces)
            m_gateway->refuseNamespaces();
        const Done level = m_gateway->exec(u"true"_s); // makes the record
        QCOMPARE(level.exitCode, 0);
        QCOMPARE(level.result.value("level"_L1).toString(), namespaces ? u"full"_s : u"landlock"_s);

        if (expected.state == State::Recording)
            killWhileRecording();
        else if (expected.state == State::Draining)
            killWhileDraining();
        else {
            reach(expected.state);
            if (QTest::currentTestFailed())
                return;
            killVictim(expected.victim, namespaces);
        }
        if (QTest::currentTestFailed())
            return;
        if (expected.victim == Victim::Guard)
            checkRunner(expected.told);
        if (leftovers) {
            QTRY_VERIFY_WITH_TIMEOUT(isGone(m_guard), patience);
            QVERIFY(!processesWith(m_mark).isEmpty());
        } else {
            QTRY_VERIFY_WITH_TIMEOUT(isOver(), patience);
        }
        checkNextStart(leftovers);
        if (!QTest::currentTestFailed())
            checkRecord(expected, leftovers);
        if (expected.ran != Ran::Perhaps)
            QCOMPARE(there("started"), expected.ran == Ran::Yes);
    }

private:
    void killWhileRecording()
    {
        const RecordLock lock(m_gateway->auditDb());
        QVERIFY(lock.isHeld());
        start(State::Recording);
        QTRY_VERIFY_WITH_TIMEOUT(hasOpen(m_runner->processId(), m_gateway->auditDb()), patience);
        killVictim(Victim::Runner, true);
    }

    void killWhileDraining()
    {
        const QByteArray fifo = QFile::encodeName(m_gateway->root() + u"/fifo"_s);
        QCOMPARE(::mkfifo(fifo.constData(), 0600), 0);
        const int reader = ::open(fifo.constData(), O_RDONLY | O_NONBLOCK | O_CLOEXEC); // and never reads
        QVERIFY(reader >= 0);
        m_gateway->setUpRunner([fifo] {
            const int fd = ::open(fifo.constData(), O_WRONLY | O_CLOEXEC);
            return fd >= 0 && ::dup2(fd, STDOUT_FILENO) == STDOUT_FILENO;
        });
        reach(State::Draining);
        if (!QTest::currentTestFailed())
            killVictim(Victim::Runner, true);
        ::close(reader);
    }

    /// The next runner finds what is to be found, and works.
    void checkNextStart(bool leftovers)
    {
        const Done done = m_gateway->exec(u"true"_s);
        QVERIFY2(done.exitCode == 0, done.err.constData());
        QVERIFY2(done.err.contains("security.exec_leftovers_killed") == leftovers, done.err.constData());
        QTRY_VERIFY_WITH_TIMEOUT(isOver(), patience);
    }
};

QTEST_GUILESS_MAIN(TstKilled)
#include "tst_killed.moc"
