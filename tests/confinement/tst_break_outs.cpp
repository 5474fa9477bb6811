// SPDX-License-Identifier: Apache-2.0
#include "runner/confinement/probe.h"
#include "tests/confinement/break_out_rows.h"
#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/stand_in.h"
#include "tests/support/two_users.h"

#include <QFileInfo>
#include <QProcess>
#include <QTemporaryDir>

#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <netinet/in.h>
#include <set>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

using namespace portcullis;
using namespace portcullis::test;

namespace {

/// A listening socket of the host that everybody may connect to by its permissions.
confinement::UniqueFd listenAt(const QByteArray &path, bool abstract, int type = SOCK_STREAM)
{
    confinement::UniqueFd fd(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t start = abstract ? 1 : 0;
    memcpy(address.sun_path + start, path.constData(), static_cast<std::size_t>(path.size()));
    const auto size =
        static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + start + static_cast<std::size_t>(path.size()));
    if (bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), size) != 0
        || (type == SOCK_STREAM && listen(fd.get(), 1) != 0))
        qFatal("cannot listen");
    if (!abstract)
        chmod(path.constData(), 0777);
    return fd;
}

} // namespace

class TstBreakOuts : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        m_gateway = std::make_unique<StandIn>(::geteuid() == 0 ? tenantUid : ::geteuid());
        m_memory = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0666);
        QVERIFY(m_memory >= 0);
        m_abstract = "portcullis-test-" + QByteArray::number(::getpid());
        m_listening = listenAt(m_abstract, true);
    }

    void cleanupTestCase() { shmctl(m_memory, IPC_RMID, nullptr); }

    /// An attempt that never works would pass every row: without a wall most of them do.
    void break_outs_are_refused_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("about");
        QTest::addColumn<int>("expected");
        for (const BreakOut &row : breakOuts) {
            const int about = static_cast<int>(row.about);
            QTest::addRow("both walls: %s %d", row.name, about)
                << Walls::Both << QByteArray(row.name) << about << row.inView;
            QTest::addRow("Landlock alone: %s %d", row.name, about)
                << Walls::LandlockAlone << QByteArray(row.name) << about << row.alone;
            if (row.without != notTried)
                QTest::addRow("no wall: %s %d", row.name, about)
                    << Walls::None << QByteArray(row.name) << about << row.without;
        }
    }

    void break_outs_are_refused()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, name);
        QFETCH(int, about);
        QFETCH(int, expected);
        PORTCULLIS_REQUIRE(confinement::landlockAbi().abi >= 6, "the table is for Landlock ABI 6 and newer");
        const auto outcome = attempt(walls, name, static_cast<About>(about));
        const QList<QByteArray> words = out(outcome).simplified().split(' ');
        QVERIFY2(words.size() == 3 && words[0] == name, describe(outcome).constData());
        if (expected == machineDecides)
            return;
        if (expected == worksHarmlessly) {
            QVERIFY2(words[1] == "succeeded", describe(outcome).constData());
            return;
        }
        QVERIFY2(words[1] == "refused", describe(outcome).constData());
        if (expected != anyErrno)
            QVERIFY2(words[2].toInt() == expected, describe(outcome).constData());
    }

    /// It has the user of the command, and could not watch without descriptors or processor time.
    void the_supervisor_keeps_its_limits_and_its_turn_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("call");
        for (const auto &[name, walls] :
             {std::pair{"both walls", Walls::Both}, {"Landlock alone", Walls::LandlockAlone}}) {
            for (const char *call :
                 {"resource.prlimit(boss, resource.RLIMIT_NOFILE, (4, 4))",
                  "os.sched_setscheduler(boss, os.SCHED_IDLE, os.sched_param(0))",
                  "os.setpriority(os.PRIO_PROCESS, boss, 19)", "os.setpriority(os.PRIO_USER, os.getuid(), 19)"})
                QTest::addRow("%s, %s", name, call) << walls << QByteArray(call);
        }
    }
    void the_supervisor_keeps_its_limits_and_its_turn()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, call);
        const Tenancy tenancy;
        // The shell's parent; what is done to oneself goes on working.
        const auto outcome = runPlan(tenancy,
                                     tenancy.plan(walls,
                                                  "python3 -c 'import os, resource, sys\nboss = int(sys.argv[1])\n"
                                                  "os.setpriority(os.PRIO_PROCESS, 0, 1)\n"
                                                  "resource.prlimit(0, resource.RLIMIT_NOFILE, (64, 64))\n"
                                                  "try: "
                                                      + call + "\nexcept OSError as why: print(why.errno)' $PPID"));
        QVERIFY2(out(outcome) == QByteArray::number(EPERM) + "\n", describe(outcome).constData());
    }

    void without_walls_no_group_is_given_away_data()
    {
        QTest::addColumn<QByteArray>("name");
        for (const char *how :
             {"chmod", "fchmod", "fchmodat", "fchmodat2", "open", "temporary_file", "creat", "mknod", "mkdir"})
            QTest::addRow("%s", how) << QByteArray("setgid_by_") + how;
    }

    void without_walls_no_group_is_given_away()
    {
        QFETCH(QByteArray, name);
        const auto outcome = attempt(Walls::None, name, About::Nothing);
        QVERIFY2(out(outcome) == name + " refused " + QByteArray::number(EPERM) + '\n', describe(outcome).constData());
        // Where the guard confines nothing at all the same attempt works, so it is the filter that refused it.
        QProcess outside;
        const QTemporaryDir folder;
        outside.setWorkingDirectory(folder.path());
        outside.start(m_tenancy.path("portcullis-guard"), {QStringLiteral("--attempt"), QString::fromLatin1(name)});
        QVERIFY(outside.waitForFinished());
        QCOMPARE(outside.readAllStandardOutput(), name + " succeeded 0\n");
    }

    void the_operators_terminal_is_out_of_reach()
    {
        const confinement::UniqueFd terminal(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
        QVERIFY(terminal && grantpt(terminal.get()) == 0 && unlockpt(terminal.get()) == 0);
        const QByteArray name = ptsname(terminal.get());
        QVERIFY(name.startsWith("/dev/pts/"));
        ::chmod(name.constData(), 0666); // as it would be for a process of the same user
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone}) {
            const auto outcome = runPlan(m_tenancy, m_tenancy.plan(walls, "echo x > " + name));
            QVERIFY2(outcome.outcome == Outcome::Exited, describe(outcome).constData());
            QVERIFY2(err(outcome).contains("Permission denied"), describe(outcome).constData());
        }
        char byte = 0;
        fcntl(terminal.get(), F_SETFL, O_NONBLOCK);
        QVERIFY(read(terminal.get(), &byte, 1) < 0);
        const auto free = runPlan(m_tenancy, m_tenancy.plan(Walls::None, "echo x > " + name));
        QVERIFY2(free.exitCode == 0, describe(free).constData());
        QCOMPARE(read(terminal.get(), &byte, 1), 1);
    }

    void calls_of_another_architecture_kill()
    {
#if !defined(__x86_64__)
        QSKIP("only x86-64 has a second call table");
#endif
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone}) {
            const auto outcome = attempt(walls, "foreign_architecture", About::Nothing);
            QVERIFY2(outcome.outcome == Outcome::Signalled && (outcome.signal == SIGSYS || outcome.signal == SIGSEGV),
                     describe(outcome).constData());
        }
    }

    void an_older_landlock_still_protects_files_data()
    {
        QTest::addColumn<int>("abi");
        for (int abi = confinement::leastUsableAbi; abi <= confinement::newestKnownAbi; ++abi)
            QTest::addRow("ABI %d", abi) << abi;
    }

    void an_older_landlock_still_protects_files()
    {
        QFETCH(int, abi);
        PORTCULLIS_REQUIRE(confinement::landlockAbi().abi >= abi, "this kernel's Landlock is older");
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone}) {
            for (const char *name : {"read_foreign_file", "truncate_foreign_file", "list_root"}) {
                const auto outcome = attempt(
                    walls, name, QByteArrayView(name) == "list_root" ? About::Nothing : About::ForeignFile, abi);
                QVERIFY2(out(outcome).contains("refused 13"), describe(outcome).constData());
            }
            const auto socket = attempt(walls, "host_abstract_socket", About::AbstractSocket, abi);
            QVERIFY2(out(socket).contains("refused"), describe(socket).constData());
        }
    }

    void below_abi_6_a_run_without_a_view_says_that_signals_are_not_covered()
    {
        PORTCULLIS_REQUIRE(confinement::landlockAbi().abi >= 5, "this kernel's Landlock is older");
        const auto outcome = attempt(Walls::LandlockAlone, "list_root", About::Nothing, 5);
        QCOMPARE(outcome.notes.size(), std::size_t(1));
        QCOMPARE(outcome.notes.front().kind, confinement::RunNote::Kind::SignalsNotCovered);
    }

    void every_attempt_of_the_probe_is_known_and_refused_at_the_full_level()
    {
        QCOMPARE(confinement::attempts().size(), std::size_t(20));
        std::set<std::string_view> names;
        for (const confinement::Attempt &one : confinement::attempts()) {
            QVERIFY2(names.insert(one.name).second, one.name.data());
            const About about = one.argument == "foreign" ? About::ForeignFile
                : one.argument == "pid"                   ? About::Gateway
                                                          : About::Nothing;
            const auto outcome = attempt(Walls::Both, QByteArray(one.name.data()), about);
            QVERIFY2(out(outcome).contains(" refused "), describe(outcome).constData());
            if (one.expectedErrno != 0)
                QVERIFY2(out(outcome).trimmed().endsWith(QByteArray::number(one.expectedErrno)),
                         describe(outcome).constData());
        }
    }

    void without_a_view_a_closed_network_has_no_sockets_at_all_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("name");
        for (const char *name : {"stream_socket", "stream_socket_6", "wide_stream_socket", "multipath_socket",
                                 "datagram_socket", "datagram_socket_6", "light_datagram_socket"}) {
            QTest::addRow("Landlock alone: %s", name) << Walls::LandlockAlone << QByteArray(name);
            QTest::addRow("unconfined: %s", name) << Walls::None << QByteArray(name);
        }
    }

    void without_a_view_a_closed_network_has_no_sockets_at_all()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, name);
        const auto outcome = attempt(walls, name, About::Nothing, 0, Network::None);
        const QByteArray expected = name + " refused " + QByteArray::number(EAFNOSUPPORT) + '\n';
        QVERIFY2(out(outcome) == expected, describe(outcome).constData());
        QVERIFY2(!has(outcome, confinement::RunNote::Kind::SignalsNotCovered), describe(outcome).constData());
    }

    void the_network_can_be_taken_away()
    {
        const QByteArray script = "exec 3<>/dev/tcp/127.0.0.1/" + QByteArray::number(listeningPort());
        for (const Walls walls : {Walls::Both, Walls::LandlockAlone}) {
            plan::ExecPlan plan = m_tenancy.plan(walls, script);
            QCOMPARE(runPlan(m_tenancy, plan).exitCode, 0);
            plan.network = Network::None;
            QVERIFY(runPlan(m_tenancy, plan).exitCode != 0);
        }
    }

    void without_network_the_view_has_a_loopback_of_its_own()
    {
        plan::ExecPlan plan =
            m_tenancy.plan(Walls::Both,
                           "/usr/bin/python3 -c 'import socket as s; a=s.create_server((\"127.0.0.1\",0)); "
                           "s.create_connection(a.getsockname())'");
        PORTCULLIS_REQUIRE(QFileInfo::exists(QStringLiteral("/usr/bin/python3")), "no Python");
        plan.network = Network::None;
        const auto outcome = runPlan(m_tenancy, plan);
        QVERIFY2(outcome.exitCode == 0, describe(outcome).constData());
    }

private:
    confinement::RunOutcome attempt(Walls walls, const QByteArray &name, About about, int abi = 0,
                                    Network network = Network::Host)
    {
        Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, {});
        plan.argv = {text(tenancy.path("portcullis-guard")), "--attempt", name.toStdString()};
        plan.grants.push_back({.path = plan.argv.front(), .access = plan::Access::ReadExecute});
        plan.network = network;
        if (abi > 0)
            plan.landlockAbi = abi;
        const QByteArray socketPath = QFile::encodeName(tenancy.path("data/socket"));
        confinement::UniqueFd listening;
        if (about == About::PathSocket || about == About::PathDatagrams)
            listening = listenAt(socketPath, false, about == About::PathSocket ? SOCK_STREAM : SOCK_DGRAM);
        const QByteArray argument = argumentFor(tenancy, about);
        if (!argument.isEmpty())
            plan.argv.push_back(argument.toStdString());
        return runPlan(tenancy, plan);
    }

    QByteArray argumentFor(const Tenancy &tenancy, About about) const
    {
        switch (about) {
        case About::Nothing:
            return {};
        case About::ForeignFile:
            return QFile::encodeName(tenancy.foreignFile());
        case About::ForeignFolder:
            return QFile::encodeName(tenancy.path("data/tenants/globex"));
        case About::NewFileBesideIt:
            return QFile::encodeName(tenancy.foreignFile()) + ".new";
        case About::Gateway:
            return m_gateway->pid();
        case About::Runner:
            return QByteArray::number(::getpid());
        case About::SharedMemory:
            return QByteArray::number(m_memory);
        case About::PathSocket:
        case About::PathDatagrams:
            return QFile::encodeName(tenancy.path("data/socket"));
        case About::AbstractSocket:
            return m_abstract;
        }
        return {};
    }

    /// A port on which this test listens.
    int listeningPort()
    {
        m_port.reset(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (bind(m_port.get(), reinterpret_cast<const sockaddr *>(&address), size) != 0 || listen(m_port.get(), 8) != 0
            || getsockname(m_port.get(), reinterpret_cast<sockaddr *>(&address), &size) != 0)
            qFatal("cannot listen");
        return ntohs(address.sin_port);
    }

    Tenancy m_tenancy;
    std::unique_ptr<StandIn> m_gateway;
    QByteArray m_abstract;
    confinement::UniqueFd m_listening;
    confinement::UniqueFd m_port;
    int m_memory = -1;
};

PORTCULLIS_TWO_USERS_MAIN(TstBreakOuts)
#include "tst_break_outs.moc"
