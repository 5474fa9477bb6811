// SPDX-License-Identifier: Apache-2.0

// Each limit of a run in both directions and in every state of the walls: up to it work goes on, past it the kernel
// or the guard says no.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/small_mount.h"
#include "tests/support/two_users.h"

#include <QFileInfo>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

constexpr std::int64_t mebibyte = 1 << 20;

QByteArray python(const QByteArray &code)
{
    return "/usr/bin/python3 -c '\n" + code + "'";
}

/// Forks until it cannot, or has enough; prints how many it has.
QByteArray forks(int most)
{
    return python("import os, signal, sys\n"
                  "children = []\n"
                  "try:\n"
                  "    for i in range("
                  + QByteArray::number(most)
                  + "):\n"
                    "        pid = os.fork()\n"
                    "        if pid == 0:\n"
                    "            signal.pause(); os._exit(0)\n"
                    "        children.append(pid)\n"
                    "except BlockingIOError:\n"
                    "    print(\"refused\", end=\" \")\n"
                    "for pid in children: os.kill(pid, 9); os.waitpid(pid, 0)\n"
                    "print(len(children))");
}

/// A socket of this process on the loopback, to be reached by nobody without network.
struct Listener {
    explicit Listener(int type) : fd(socket(AF_INET, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0))
    {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof address;
        if (bind(fd.get(), reinterpret_cast<const sockaddr *>(&address), size) != 0
            || (type == SOCK_STREAM && listen(fd.get(), 8) != 0)
            || getsockname(fd.get(), reinterpret_cast<sockaddr *>(&address), &size) != 0)
            qFatal("cannot listen");
        port = ntohs(address.sin_port);
    }
    /// Whether something has come.
    bool heard() const
    {
        char byte = 0;
        return recv(fd.get(), &byte, 1, 0) > 0;
    }
    confinement::UniqueFd fd;
    int port = 0;
};

} // namespace

class TstLimits : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { PORTCULLIS_REQUIRE(QFileInfo::exists(u"/usr/bin/python3"_s), "no Python"); }

    // Network

    void without_network_nothing_outside_is_reached_data() { addNetworkRows(); }
    void without_network_nothing_outside_is_reached()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, code);
        const Listener stream(SOCK_STREAM);
        const Listener datagram(SOCK_DGRAM);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls,
                                           python("import socket as s, sys\n"
                                                  "TCP, UDP = "
                                                  + QByteArray::number(stream.port) + ", "
                                                  + QByteArray::number(datagram.port) + "\n" + code));
        // With it the host's loopback is reached: it is the limit that closes it.
        auto outcome = runPlan(tenancy, plan);
        const bool reaches = out(outcome) == "reached\n";
        QVERIFY2(reaches || code.contains("192.0.2."), describe(outcome).constData());
        char byte = 0;
        while (recv(datagram.fd.get(), &byte, 1, 0) > 0) { }
        plan.network = Network::None;
        outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::Exited && outcome.exitCode != 0 && out(outcome).isEmpty(),
                 describe(outcome).constData());
        QVERIFY(!datagram.heard());
    }

    void without_network_the_view_has_a_loopback_of_its_own_for_everything_data()
    {
        QTest::addColumn<QByteArray>("code");
        QTest::newRow("TCP") << QByteArray(
            "a = s.create_server((\"127.0.0.1\", 0)); s.create_connection(a.getsockname())");
        QTest::newRow("TCP over IPv6") << QByteArray(
            "a = s.create_server((\"::1\", 0), family=s.AF_INET6); s.create_connection(a.getsockname()[:2])");
        QTest::newRow("UDP") << QByteArray(
            "a = s.socket(s.AF_INET, s.SOCK_DGRAM); a.bind((\"127.0.0.1\", 0))\n"
            "s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", a.getsockname()); a.recv(1)");
    }
    void without_network_the_view_has_a_loopback_of_its_own_for_everything()
    {
        QFETCH(QByteArray, code);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(Walls::Both, python("import socket as s\n" + code + "\nprint(\"reached\")"));
        plan.network = Network::None;
        const auto outcome = runPlan(tenancy, plan);
        QVERIFY2(out(outcome) == "reached\n", describe(outcome).constData());
        // A loopback and nothing else.
        plan.argv.back() = "cat /proc/net/dev | grep -c :";
        QCOMPARE(out(runPlan(tenancy, plan)), "1\n"_ba);
    }

    // Processes, files

    void processes_are_limited_in_both_directions_data() { addWalls(); }
    void processes_are_limited_in_both_directions()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls, forks(20));
        plan.limits.processes = 40;
        auto outcome = runPlan(tenancy, plan);
        QVERIFY2(out(outcome) == "20\n", describe(outcome).constData());
        // Exact only in a user namespace of its own; elsewhere a multiple of it, which still ends a fork bomb.
        plan.argv.back() = forks(20'000).toStdString();
        outcome = runPlan(tenancy, plan);
        QVERIFY2(out(outcome).startsWith("refused "), describe(outcome).constData());
        if (walls == Walls::Both && ::geteuid() != 0)
            QVERIFY2(out(outcome).trimmed().mid(8).toInt() < 40, describe(outcome).constData());
    }

    void open_files_are_limited_in_both_directions_data() { addWalls(); }
    void open_files_are_limited_in_both_directions()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        plan::ExecPlan plan = tenancy.plan(walls,
                                           python("import os\n"
                                                  "kept = []\n"
                                                  "try:\n"
                                                  "    while len(kept) < 200: kept.append(os.open(\"/dev/null\", 0))\n"
                                                  "except OSError as e: print(e.errno)\n"
                                                  "print(len(kept) > 40)"));
        plan.limits.openFiles = 64;
        QCOMPARE(out(runPlan(tenancy, plan)), QByteArray::number(EMFILE) + "\nTrue\n");
        plan.limits.openFiles = 512;
        QCOMPARE(out(runPlan(tenancy, plan)), "True\n"_ba);
    }

    void the_size_of_a_file_is_limited_in_both_directions_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("how");
        for (const auto &[name, walls] : {std::pair{"both walls", Walls::Both},
                                          {"Landlock alone", Walls::LandlockAlone},
                                          {"no wall", Walls::None}}) {
            QTest::addRow("%s, written", name) << walls << "head -c %1 /dev/zero > big"_ba;
            QTest::addRow("%s, made longer", name) << walls << "truncate -s %1 big"_ba;
            QTest::addRow("%s, room taken in advance", name) << walls << "fallocate --posix -l %1 big"_ba;
            QTest::addRow("%s, written at its end", name)
                << walls << "touch big && dd if=/dev/zero of=big bs=1 count=1 seek=$((%1 - 1)) status=none"_ba;
        }
    }
    void the_size_of_a_file_is_limited_in_both_directions()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, how);
        const Tenancy tenancy;
        for (const std::int64_t size : {mebibyte, mebibyte + 1}) {
            plan::ExecPlan plan = tenancy.plan(walls, QByteArray(how).replace("%1", QByteArray::number(size)));
            plan.limits.fileBytes = mebibyte;
            const auto outcome = runPlan(tenancy, plan);
            QVERIFY2((outcome.outcome == Outcome::Exited && outcome.exitCode == 0) == (size == mebibyte),
                     describe(outcome).constData());
            QVERIFY(QFileInfo(tenancy.workspace() + u"/big"_s).size() <= mebibyte);
        }
    }

    // Room on the disk

    void what_must_be_left_free_is_left_data() { addWalls(); }
    void what_must_be_left_free_is_left()
    {
        QFETCH(Walls, walls);
        if (::geteuid() != 0)
            QSKIP("only root can mount a small file system");
        const Tenancy tenancy;
        const SmallMount small(text(tenancy.workspace()), 64 << 10);
        PORTCULLIS_REQUIRE(small.works(), "no small file system can be mounted");
        Tenancy::own(tenancy.workspace());
        plan::ExecPlan plan = tenancy.plan(walls, "head -c 20000000 /dev/zero > some; echo written");
        plan.limits.freeBytes = 32 * mebibyte;
        auto outcome = runPlan(tenancy, plan);
        QVERIFY2(out(outcome) == "written\n", describe(outcome).constData());
        QVERIFY(outcome.notes.empty());

        // In advance it cannot be taken faster than it is written.
        const std::string often = python("import os, time\n"
                                         "file = os.open(\"advance\", os.O_CREAT | os.O_RDWR)\n"
                                         "for size in 400, 100, 60, 30, 16, 4, 1:\n"
                                         "  try: os.posix_fallocate(file, 0, size << 20)\n"
                                         "  except OSError: pass\n"
                                         "time.sleep(60)")
                                      .toStdString();
        plan.argv.back() = often;
        outcome = runPlan(tenancy, plan);
        QVERIFY2(isKilledFor(outcome, confinement::RunNote::Kind::RoomExceeded), describe(outcome).constData());
        QVERIFY(QFile::remove(tenancy.workspace() + u"/advance"_s));

        // Slower than the guard looks.
        plan.argv.back() = "while :; do head -c 500000 /dev/zero >> more; sleep 0.02; done";
        outcome = runPlan(tenancy, plan);
        QVERIFY2(isKilledFor(outcome, confinement::RunNote::Kind::RoomExceeded), describe(outcome).constData());

        plan.argv.back() = "echo ran";
        outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::NotStarted && outcome.failure, describe(outcome).constData());
        QCOMPARE(outcome.failure->step, wire::Step::FreeSpace);
        QCOMPARE(outcome.failure->errorNumber, ENOSPC);
        QCOMPARE(outcome.failure->path, text(tenancy.workspace()));

        plan.limits.freeBytes = 0;
        QCOMPARE(out(runPlan(tenancy, plan)), "ran\n"_ba);
        plan.limits.freeBytes = mebibyte; // of another tenant, for whom there is room enough
        QCOMPARE(out(runPlan(tenancy, plan)), "ran\n"_ba);
    }

    void files_that_must_be_left_to_others_are_left_data() { addWalls(); }
    void files_that_must_be_left_to_others_are_left()
    {
        QFETCH(Walls, walls);
        if (::geteuid() != 0)
            QSKIP("only root can mount a small file system");
        const Tenancy tenancy;
        const SmallMount small(text(tenancy.workspace()), 64 << 10, 3000); // 300 must be left
        PORTCULLIS_REQUIRE(small.works(), "no small file system can be mounted");
        Tenancy::own(tenancy.workspace());
        plan::ExecPlan plan = tenancy.plan(walls, "for i in $(seq 2000); do : > some$i; done; echo made");
        plan.limits.freeBytes = mebibyte;
        auto outcome = runPlan(tenancy, plan);
        QVERIFY2(out(outcome) == "made\n" && outcome.notes.empty(), describe(outcome).constData());

        // Slower than the guard looks.
        plan.argv.back() = "i=0; while :; do : > more$((i += 1)); sleep 0.002; done";
        outcome = runPlan(tenancy, plan);
        QVERIFY2(isKilledFor(outcome, confinement::RunNote::Kind::FilesExceeded), describe(outcome).constData());
        QVERIFY(!has(outcome, confinement::RunNote::Kind::RoomExceeded));

        plan.argv.back() = "echo ran > file; cat file";
        outcome = runPlan(tenancy, plan);
        QVERIFY2(outcome.outcome == Outcome::NotStarted && outcome.failure, describe(outcome).constData());
        QCOMPARE(outcome.failure->step, wire::Step::FreeFiles);
        plan.limits.freeBytes = 0; // others, as an operator, still find room
        QCOMPARE(out(runPlan(tenancy, plan)), "ran\n"_ba);
    }

private:
    static void addNetworkRows()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("code");
        for (const auto &[name, walls] : {std::pair{"both walls", Walls::Both},
                                          {"Landlock alone", Walls::LandlockAlone},
                                          {"no wall", Walls::None}}) {
            QTest::addRow("%s, TCP to the host's loopback", name)
                << walls << "s.create_connection((\"127.0.0.1\", TCP)); print(\"reached\")"_ba;
            QTest::addRow("%s, UDP to the host's loopback", name)
                << walls
                << "a = s.socket(s.AF_INET, s.SOCK_DGRAM); a.connect((\"127.0.0.1\", UDP)); a.send(b\"x\")\n"
                   "a.send(b\"x\"); print(\"reached\")"_ba;
            QTest::addRow("%s, TCP to outside", name)
                << walls << "s.create_connection((\"192.0.2.1\", 9), timeout=0.2); print(\"reached\")"_ba;
            QTest::addRow("%s, UDP to outside", name)
                << walls
                << "s.socket(s.AF_INET, s.SOCK_DGRAM).sendto(b\"x\", (\"192.0.2.1\", 9)); print(\"reached\")"_ba;
        }
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstLimits)
#include "tst_limits.moc"
