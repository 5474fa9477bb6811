// SPDX-License-Identifier: Apache-2.0

// What the runner is started with and sent by its caller: limits and signals. It never ends without a word, nothing
// runs unrecorded, and a command gets none of it.

#include "tests/support/look.h"

#include <QFile>
#include <QTest>

#include <csignal>
#include <sys/resource.h>

using namespace portcullis::test;

namespace {

bool limitFiles(rlim_t bytes)
{
    const rlimit limits{bytes, RLIM_INFINITY};
    return setrlimit(RLIMIT_FSIZE, &limits) == 0;
}

QByteArray lastRow(const Gateway &gateway)
{
    return gateway.runner({u"log"_s, u"--json"_s, u"--limit"_s, u"1"_s}).out;
}

} // namespace

class TstCaller : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void where_no_file_may_grow_nothing_runs_and_it_is_said_data()
    {
        QTest::addColumn<int>("bytes");
        QTest::addColumn<bool>("recordIsThere");
        for (const int bytes : {0, 1, 512, 4096, 20'000}) {
            QTest::addRow("%d bytes, no record yet", bytes) << bytes << false;
            QTest::addRow("%d bytes, a record", bytes) << bytes << true;
        }
    }
    void where_no_file_may_grow_nothing_runs_and_it_is_said()
    {
        QFETCH(int, bytes);
        QFETCH(bool, recordIsThere);
        Gateway gateway;
        if (recordIsThere)
            QCOMPARE(gateway.exec(u"echo ran"_s).exitCode, 0);
        gateway.setUpRunner([bytes] { return limitFiles(static_cast<rlim_t>(bytes)); });
        const Done done = gateway.exec(u"echo ran; : > ran"_s);
        QVERIFY2(!done.crashed && done.exitCode == 74, (QByteArray::number(done.exitCode) + done.err).constData());
        QVERIFY2(done.out.isEmpty() && done.err.contains("nothing ran"), (done.out + done.err).constData());
        QVERIFY(!QFile::exists(gateway.tenantWorkspace(u"acme"_s) + u"/ran"_s));
        // Reading what is there shares an index in memory, which is a file as well.
        const Done read = gateway.runner({u"log"_s});
        QVERIFY2(!read.crashed && (read.exitCode == 74 || recordIsThere), read.err.constData());
        gateway.setUpNothing();
        const Done again = gateway.exec(u"echo ran"_s);
        QVERIFY2(again.exitCode == 0 && again.out == "ran\n", again.err.constData());
    }

    void where_files_may_grow_enough_the_callers_limit_changes_nothing()
    {
        Gateway gateway;
        gateway.setUpRunner([] { return limitFiles(4 << 20); });
        const Done done = gateway.exec(u"echo ran"_s);
        QVERIFY2(done.exitCode == 0 && done.out == "ran\n", done.err.constData());
    }

    void a_signal_that_would_end_the_runner_cancels_the_run_data()
    {
        QTest::addColumn<int>("signal");
        for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF,
                                 SIGXCPU, SIGIO, SIGPWR, SIGSTKFLT, SIGRTMIN, SIGRTMAX})
            QTest::addRow("%s", strsignal(signal)) << signal;
    }
    void a_signal_that_would_end_the_runner_cancels_the_run()
    {
        QFETCH(int, signal);
        const Gateway gateway;
        const auto process = gateway.startExec(u"echo begun; sleep 600"_s);
        QTRY_VERIFY_WITH_TIMEOUT(process->bytesAvailable() > 0, 60'000);
        QCOMPARE(::kill(static_cast<pid_t>(process->processId()), signal), 0);
        QVERIFY(process->waitForFinished(60'000));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), 130);
        const QByteArray row = lastRow(gateway);
        QVERIFY2(row.contains("\"outcome\":\"cancelled\""), row.constData());
    }

    void a_signal_that_is_an_error_of_a_write_ends_nothing()
    {
        const Gateway gateway;
        const auto process = gateway.startExec(u"echo begun; cat; echo over"_s, {u"--stdin"_s});
        QTRY_VERIFY_WITH_TIMEOUT(process->bytesAvailable() > 0, 60'000);
        for (const int signal : {SIGXFSZ, SIGPIPE})
            QCOMPARE(::kill(static_cast<pid_t>(process->processId()), signal), 0);
        process->closeWriteChannel();
        QVERIFY(process->waitForFinished(60'000));
        QCOMPARE(process->exitStatus(), QProcess::NormalExit);
        QCOMPARE(process->exitCode(), 0);
        QCOMPARE(process->readAllStandardOutput(), "begun\nover\n"_ba);
    }

    void a_command_has_every_signal_as_usual()
    {
        const Gateway gateway;
        for (const int signal : {SIGXFSZ, SIGPIPE, SIGUSR1, SIGXCPU, SIGRTMIN})
            QCOMPARE(gateway.exec(u"kill -%1 $$; echo lives"_s.arg(signal)).exitCode, 128 + signal);
    }
};

QTEST_GUILESS_MAIN(TstCaller)
#include "tst_caller.moc"
