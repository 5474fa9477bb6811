// SPDX-License-Identifier: Apache-2.0
#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

constexpr const char *python = "/usr/bin/python3";

QByteArray pythonCommand(const QByteArray &text)
{
    return QByteArray(python) + " -c '\nimport ctypes, os, threading, time\n" + text + "'";
}

/// Files without a name, written and never mapped, each of 60 MiB.
QByteArray unnamedFiles(int number)
{
    return pythonCommand("part = b\"x\" * (1 << 20)\n"
                         "for file in [os.memfd_create(\"x\") for _ in range("
                         + QByteArray::number(number)
                         + ")]:\n"
                           "  for _ in range(60): os.write(file, part)\n"
                           "time.sleep(@)");
}

/// `body` runs in a second thread of a process whose first thread has ended: /proc tells nothing of it by its number.
QByteArray headless(const QByteArray &body)
{
    return pythonCommand("def work():\n  " + QByteArray(body).replace("\n", "\n  ")
                         + "\nthreading.Thread(target=work).start()\n"
                           "ctypes.CDLL(None).syscall("
                         + QByteArray::number(SYS_exit) + ", 0)");
}

/// Segments of 60 MiB that no process has attached.
QByteArray segments(int number)
{
    return pythonCommand("libc = ctypes.CDLL(None)\n"
                         "libc.shmat.restype = ctypes.c_void_p\n"
                         "for _ in range("
                         + QByteArray::number(number)
                         + "):\n"
                           "  place = libc.shmat(libc.shmget(0, 60 << 20, 0o1600), None, 0)\n"
                           "  ctypes.memset(place, 1, 60 << 20)\n"
                           "  libc.shmdt(ctypes.c_void_p(place))\n"
                           "time.sleep(@)");
}

/// Page tables and nothing in them: of every 2 MiB one page is read, which is the kernel's page of zeros.
/// MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, PROT_READ, MADV_NOHUGEPAGE.
QByteArray pageTables(int mebibytes)
{
    return pythonCommand("import mmap\n"
                         "number, far = "
                         + QByteArray::number(mebibytes * 256)
                         + ", 2 << 20\n"
                           "place = mmap.mmap(-1, number * far, flags=0x4022, prot=1)\n"
                           "place.madvise(15)\n"
                           "for at in range(number): place[at * far]\n"
                           "time.sleep(@)");
}

confinement::RunOutcome runWithin(std::int64_t bytes, Walls walls, const QByteArray &command)
{
    const Tenancy tenancy;
    plan::ExecPlan plan = tenancy.plan(walls, command);
    plan.limits.memoryBytes = bytes;
    return runPlan(tenancy, plan);
}

/// 60 seconds where the run is to be killed before, else long enough for several looks at it.
QByteArray lasting(QByteArray command, const char *seconds)
{
    return command.replace("@", seconds);
}

} // namespace

class TstMemory : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { PORTCULLIS_REQUIRE(QFile::exists(QString::fromLatin1(python)), "no Python"); }

    void a_run_that_takes_too_much_memory_is_killed_as_a_whole_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("command");
        const QByteArray one = "tail /dev/zero"; // looks for the end of a line, and keeps what it has seen
        const QByteArray four =
            "for i in 1 2 3 4; do head -c 120000000 /dev/zero | tail -c 110000000 | sleep 60 & done; wait";
        // PR_SET_DUMPABLE is 4: nobody may then look at what the process shares.
        const QByteArray hidden = pythonCommand("[os.fork() for _ in range(2)]\n"
                                                "ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)\n"
                                                "kept = b\"x\" * (110 << 20)\n"
                                                "time.sleep(60)");
        const QByteArray file = "head -c 400000000 /dev/zero > /dev/shm/large; sleep 60";
        const QByteArray second = headless("kept = b\"x\" * (400 << 20)\ntime.sleep(60)");
        // CLONE_FILES is 0x400: from then on the thread has descriptors of its own.
        const QByteArray own = pythonCommand("def work():\n"
                                             "  ctypes.CDLL(None).unshare(0x400)\n"
                                             "  for file in [os.memfd_create(\"x\") for _ in range(7)]:\n"
                                             "    os.write(file, b\"x\" * (60 << 20))\n"
                                             "  time.sleep(60)\n"
                                             "threading.Thread(target=work).start()");
        for (const auto &[name, walls] : {std::pair{"both walls", Walls::Both},
                                          {"Landlock alone", Walls::LandlockAlone},
                                          {"no wall", Walls::None}}) {
            QTest::addRow("%s, a process whose first thread has ended", name) << walls << second;
            QTest::addRow("%s, files that one thread has alone", name) << walls << own;
            QTest::addRow("%s, one process", name) << walls << one;
            QTest::addRow("%s, several together", name) << walls << four;
            QTest::addRow("%s, several that hide it", name) << walls << hidden;
            QTest::addRow("%s, files without a name", name) << walls << lasting(unnamedFiles(7), "60");
            QTest::addRow("%s, page tables", name) << walls << lasting(pageTables(400), "60");
        }
        QTest::newRow("both walls, a file in /dev/shm") << Walls::Both << file;
        QTest::newRow("both walls, System V segments") << Walls::Both << lasting(segments(7), "60");
    }
    void a_run_that_takes_too_much_memory_is_killed_as_a_whole()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        const auto outcome = runWithin(300 << 20, walls, "(" + command + ") | cat; echo survived");
        QVERIFY2(isKilledFor(outcome, confinement::RunNote::Kind::MemoryExceeded), describe(outcome).constData());
        QVERIFY(!out(outcome).contains("survived"));
    }

    void a_run_that_keeps_to_its_memory_goes_on_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("command");
        // The same memory by several names: a file that is open, mapped, and mapped by a child as well.
        const QByteArray mapped = pythonCommand("import mmap\n"
                                                "file = os.memfd_create(\"x\")\n"
                                                "os.truncate(file, 200 << 20)\n"
                                                "kept = mmap.mmap(file, 200 << 20)\n"
                                                "for at in range(0, 200 << 20, 4096): kept[at] = 1\n"
                                                "os.fork()\n"
                                                "for at in range(0, 200 << 20, 4096): kept[at] = 2\n"
                                                "time.sleep(1)");
        for (const auto &[name, walls] : {std::pair{"both walls", Walls::Both},
                                          {"Landlock alone", Walls::LandlockAlone},
                                          {"no wall", Walls::None}}) {
            QTest::addRow("%s, a process whose first thread has ended", name)
                << walls << headless("kept = b\"x\" * (200 << 20)\ntime.sleep(1)");
            QTest::addRow("%s, files without a name", name) << walls << lasting(unnamedFiles(3), "1");
            QTest::addRow("%s, page tables", name) << walls << lasting(pageTables(150), "1");
            QTest::addRow("%s, a file that is mapped twice", name) << walls << mapped;
            QTest::addRow("%s, a file on the disk", name)
                << walls << QByteArray("head -c 400000000 /dev/zero > large; sleep 1; rm large");
        }
        QTest::newRow("both walls, a file in /dev/shm")
            << Walls::Both << QByteArray("head -c 200000000 /dev/zero > /dev/shm/large; sleep 1");
        QTest::newRow("both walls, System V segments") << Walls::Both << lasting(segments(3), "1");
    }
    void a_run_that_keeps_to_its_memory_goes_on()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        const auto outcome = runWithin(300 << 20, walls, command + "; echo done");
        QVERIFY2(out(outcome).endsWith("done\n"), describe(outcome).constData());
    }

    /// Each look at them takes long, and then much is taken between two looks.
    void a_run_cannot_hide_behind_what_it_costs_to_look_at_it_data() { addWalls(); }
    void a_run_cannot_hide_behind_what_it_costs_to_look_at_it()
    {
        QFETCH(Walls, walls);
        const auto outcome = runWithin(300 << 20, walls,
                                       pythonCommand("import signal\n"
                                                     "kept = b\"x\" * (20 << 20)\n"
                                                     "files = [os.open(\"/dev/null\", 0) for _ in range(900)]\n"
                                                     "for _ in range(400):\n"
                                                     "  if os.fork() == 0: signal.pause()\n"
                                                     "time.sleep(3)\n"
                                                     "more = b\"x\" * (600 << 20)\n"
                                                     "time.sleep(15)\n"
                                                     "print(\"survived\")"));
        QVERIFY2(isKilledFor(outcome, confinement::RunNote::Kind::MemoryExceeded), describe(outcome).constData());
    }

    void many_processes_with_many_files_are_nothing_to_be_killed_for_data() { addWalls(); }
    void many_processes_with_many_files_are_nothing_to_be_killed_for()
    {
        QFETCH(Walls, walls);
        // Less than what they map together, more than what they hold.
        const auto outcome = runWithin(std::int64_t{1} << 30, walls,
                                       pythonCommand("import signal\n"
                                                     "kept = b\"x\" * (100 << 20)\n"
                                                     "files = [os.open(\"/dev/null\", 0) for _ in range(100)]\n"
                                                     "children = []\n"
                                                     "for _ in range(200):\n"
                                                     "  children.append(os.fork())\n"
                                                     "  if children[-1] == 0: signal.pause()\n"
                                                     "time.sleep(2)\n"
                                                     "for pid in children: os.kill(pid, 9)\n"
                                                     "print(\"done\")"));
        QVERIFY2(out(outcome) == "done\n", describe(outcome).constData());
    }

    void memory_that_processes_share_counts_once_data() { addWalls(); }
    void memory_that_processes_share_counts_once()
    {
        QFETCH(Walls, walls);
        const auto outcome = runWithin(300 << 20, walls,
                                       "/usr/bin/python3 -c '\n"
                                       "import os, time\n"
                                       "kept = b\"x\" * (200 << 20)\n"
                                       "children = [os.fork() for _ in range(3)]\n"
                                       "time.sleep(1)\n"
                                       "if all(children): print(\"done\")'");
        QVERIFY2(out(outcome) == "done\n", describe(outcome).constData());
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstMemory)
#include "tst_memory.moc"

#include <sys/syscall.h>
