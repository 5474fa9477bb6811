// SPDX-License-Identifier: Apache-2.0

// What one command could take from all others at once: room on the disk, and what the kernel counts for a whole user.

#include "tests/support/confined.h"
#include "tests/support/must_work.h"
#include "tests/support/two_users.h"

#include <QFileInfo>

using namespace Qt::Literals::StringLiterals;
using namespace portcullis;
using namespace portcullis::test;

namespace {

QByteArray python(const QByteArray &code)
{
    return "/usr/bin/python3 -c '\nimport ctypes, fcntl, os, struct\nlibc = ctypes.CDLL(None, use_errno=True)\n" + code
        + "'";
}

/// Says how many timers there are when the next is refused.
QByteArray timers(int wanted)
{
    return python("made, timer = 0, ctypes.c_void_p()\n"
                  "while made < "
                  + QByteArray::number(wanted)
                  + " and libc.timer_create(1, None, ctypes.byref(timer)) == 0: made += 1\n"
                    "print(made)");
}

/// Says how many message queues there are when the next is refused; takes their names away.
QByteArray queues(int wanted)
{
    return python("made = 0\n"
                  "for made in range("
                  + QByteArray::number(wanted)
                  + " + 1):\n"
                    "  name = b\"/portcullis-%d-%d\" % (os.getpid(), made)\n"
                    "  queue = libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None) if made < "
                  + QByteArray::number(wanted)
                  + " else -1\n"
                    "  if queue < 0: break\n"
                    "  libc.mq_unlink(name)\n"
                    "  sent = libc.mq_send(queue, b\"word\", 4, 0)\n"
                    "  held = ctypes.create_string_buffer(65536)\n"
                    "  if sent != 0 or libc.mq_receive(queue, held, 65536, None) != 4: print(\"mute\")\n"
                    "print(made)");
}

} // namespace

class TstShares : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { PORTCULLIS_REQUIRE(QFileInfo::exists(u"/usr/bin/python3"_s), "no Python"); }

    void room_is_not_taken_at_once_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("command");
        const QByteArray open = "file = os.open(\"taken\", os.O_CREAT | os.O_RDWR)\n";
        const QByteArray tell = "\nprint(ctypes.get_errno())\n";
        for (const auto &[name, walls] : {std::pair{"both walls", Walls::Both},
                                          {"Landlock alone", Walls::LandlockAlone},
                                          {"no wall", Walls::None}}) {
            // FALLOC_FL_*: plainly, without a change of size, of zeros, of what is shared
            for (const char *mode : {"0", "1", "0x10", "0x11", "0x40"})
                QTest::addRow("%s, fallocate, mode %s", name, mode)
                    << walls
                    << python(open + "libc.fallocate(file, " + mode + ", ctypes.c_long(0), ctypes.c_long(1 << 20))"
                              + tell);
            // struct space_resv of linux/falloc.h
            for (const char *request : {"0x40305828", "0x4030582A", "0x40305839"})
                QTest::addRow("%s, ioctl %s", name, request)
                    << walls
                    << python(open + "try: fcntl.ioctl(file, " + request
                              + ", struct.pack(\"hhqqiI4i\", 0, 0, 0, 1 << 20, 0, 0, 0, 0, 0, 0))\n"
                                "except OSError as e: print(e.errno)\n");
        }
    }
    void room_is_not_taken_at_once()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, command + "; stat -c %b taken"));
        QVERIFY2(out(outcome) == QByteArray::number(EOPNOTSUPP) + "\n0\n", describe(outcome).constData());
    }

    void programs_that_want_their_room_in_advance_get_it_data()
    {
        QTest::addColumn<Walls>("walls");
        QTest::addColumn<QByteArray>("command");
        for (const auto &[name, walls] : {std::pair{"both walls", Walls::Both},
                                          {"Landlock alone", Walls::LandlockAlone},
                                          {"no wall", Walls::None}}) {
            QTest::addRow("%s, posix_fallocate", name)
                << walls
                << python("file = os.open(\"taken\", os.O_CREAT | os.O_RDWR); os.posix_fallocate(file, 0, 1 << 20)");
            QTest::addRow("%s, the tool of that name", name) << walls << "fallocate --posix --length 1M taken"_ba;
        }
    }
    void programs_that_want_their_room_in_advance_get_it()
    {
        QFETCH(Walls, walls);
        QFETCH(QByteArray, command);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, command + " && stat -c '%s %b' taken"));
        const QList<QByteArray> told = out(outcome).trimmed().split(' ');
        QVERIFY2(told.size() == 2 && told[0].toInt() == 1 << 20 && told[1].toInt() >= 1 << 11,
                 describe(outcome).constData());
    }

    void holes_can_be_made_data() { addWalls(); }
    void holes_can_be_made()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy,
                                     tenancy.plan(walls,
                                                  "head -c 1048576 /dev/zero > taken; sync taken\n"
                                                  "fallocate --punch-hole --length 1M taken && stat -c '%s %b' taken"));
        QVERIFY2(out(outcome) == "1048576 0\n", describe(outcome).constData());
    }

    void terminals_of_the_machine_are_left_for_others()
    {
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy,
                                     tenancy.plan(Walls::Both,
                                                  python("made = []\n"
                                                         "try:\n"
                                                         "    while len(made) < 200:\n"
                                                         "        made.append(os.open(\"/dev/ptmx\", os.O_RDWR))\n"
                                                         "except OSError as e: print(e.errno, len(made))\n")));
        QVERIFY2(out(outcome) == QByteArray::number(ENOSPC) + " 64\n", describe(outcome).constData());
    }

    void timers_of_the_user_are_left_for_others_data() { addWalls(); }
    void timers_of_the_user_are_left_for_others()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        QCOMPARE(out(runPlan(tenancy, tenancy.plan(walls, timers(1000)))), "1000\n"_ba);
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, timers(100'000)));
        QVERIFY2(out(outcome).toInt() > 1000 && out(outcome).toInt() <= 4096, describe(outcome).constData());
    }

    void bytes_in_message_queues_are_left_for_others_data()
    {
        QTest::addColumn<Walls>("walls"); // with Landlock alone there are no such queues
        QTest::newRow("both walls") << Walls::Both;
        QTest::newRow("no wall") << Walls::None;
    }
    void bytes_in_message_queues_are_left_for_others()
    {
        QFETCH(Walls, walls);
        const Tenancy tenancy;
        const auto outcome = runPlan(tenancy, tenancy.plan(walls, queues(1)));
        QVERIFY2(out(outcome) == "1\n", describe(outcome).constData());
        const auto many = runPlan(tenancy, tenancy.plan(walls, queues(9)));
        QVERIFY2(out(many).toInt() >= 2 && out(many).toInt() <= 4, describe(many).constData());
    }
};

PORTCULLIS_TWO_USERS_MAIN(TstShares)
#include "tst_shares.moc"
